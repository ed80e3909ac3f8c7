// Extents of columns that were dropped and are encoded again.
#include <gtest/gtest.h>

#include "storage/constants.hpp"
#include "storage/extent_source.hpp"
#include "test_column.hpp"

namespace margay::storage {
namespace {

using plan::TypeKind;

constexpr size_t kSegmentsPerTestExtent = 2;
constexpr size_t kRows = 5 * kSegmentRows + 17;

class RestoreTest : public testing::Test {
 protected:
  void SetUp() override {
    if (environment_.device == nullptr) {
      GTEST_SKIP() << "no device";
    }
    options_.segments_per_extent = kSegmentsPerTestExtent;
  }

  //! Brings one extent back from the rows of `column`.
  PinnedExtents Restore(const TestColumn& column, const std::shared_ptr<const ColumnImage>& image,
                        size_t extent) {
    const size_t first = extent * kSegmentsPerTestExtent * kSegmentRows;
    const size_t count =
        std::min(column.cells.size() - first, kSegmentsPerTestExtent * kSegmentRows);
    TestColumn rows{column.type, {}};
    rows.cells.assign(column.cells.begin() + static_cast<ptrdiff_t>(first),
                      column.cells.begin() + static_cast<ptrdiff_t>(first + count));
    TableImageBuilder builder({{0, "c", column.type}}, {image}, environment_.allocator);
    FeedBatches(builder, {rows}, ChunkShape::Mixed, 5);
    return builder.RestoreColumn(0, extent, *environment_.pool, ThreadedFor(2));
  }

  //! Builds the column, drops all of it, and brings it back, the last extent first.
  void Check(const TestColumn& column) {
    const auto image = BuildColumn(environment_, column, ChunkShape::Mixed, options_);
    ASSERT_EQ(image->ExtentCount(), 3u);
    environment_.pool->EvictAll();
    ASSERT_FALSE(image->TryPin(0).has_value());
    std::vector<PinnedExtents> pins;
    for (size_t extent = image->ExtentCount(); extent-- > 0;) {
      pins.push_back(Restore(column, image, extent));
      EXPECT_TRUE(image->TryPin(extent).has_value());
    }
    EXPECT_FALSE(image->IsLost());
    ExpectImageHolds(column, *image, *environment_.device);
  }

  TestEnvironment environment_;
  BuildOptions options_;
};

TEST_F(RestoreTest, EveryEncoding) {
  for (TypeKind type : {TypeKind::Int8, TypeKind::Int32, TypeKind::Int64, TypeKind::Int128,
                        TypeKind::Float32, TypeKind::Float64, TypeKind::Varchar}) {
    for (bool with_nulls : {false, true}) {
      Check(RandomColumn(type, kRows, with_nulls, 3));
    }
  }
}

TEST_F(RestoreTest, WidthsAndNullsAreThoseOfTheWholeColumn) {
  // Only the first extent needs four bytes, only the second one has a NULL.
  std::vector<Int128> values(kRows);
  for (size_t i = 0; i < kRows; i++) {
    values[i] = i < kSegmentRows ? static_cast<Int128>(i) * 1000 : static_cast<Int128>(i % 10);
  }
  TestColumn column = IntegerColumn(TypeKind::Int64, values);
  column.cells[3 * kSegmentRows + 5].is_null = true;
  Check(column);
}

TEST_F(RestoreTest, StringsKeepTheirDictionary) {
  std::vector<std::string> values(kRows);
  for (size_t i = 0; i < kRows; i++) {
    values[i] = "value " + std::to_string(i * 7 % (i < 3 * kSegmentRows ? 300 : 1000));
  }
  Check(TextColumn(values));
}

TEST_F(RestoreTest, Text) {
  options_.small_dictionary = 2;
  std::vector<std::string> values(kRows);
  for (size_t i = 0; i < kRows; i++) {
    values[i] = "the comment of row " + std::to_string(i);
  }
  TestColumn column = TextColumn(values);
  column.cells[100].is_null = true;
  Check(column);
}

TEST_F(RestoreTest, OtherRowsAreFound) {
  TestColumn column = RandomColumn(TypeKind::Int32, kRows, true, 3);
  const auto image = BuildColumn(environment_, column, ChunkShape::Mixed, options_);
  environment_.pool->EvictAll();
  TestColumn shorter = column;
  shorter.cells.pop_back();
  EXPECT_THROW(Restore(shorter, image, 2), RowsDiffer);
  TestColumn other = column;
  other.cells[4 * kSegmentRows].is_null = !other.cells[4 * kSegmentRows].is_null;
  EXPECT_THROW(Restore(other, image, 2), RowsDiffer);
  EXPECT_TRUE(image->IsLost());

  const TestColumn strings = RandomColumn(TypeKind::Varchar, kRows, false, 3);
  const auto codes = BuildColumn(environment_, strings, ChunkShape::Mixed, options_);
  environment_.pool->EvictAll();
  TestColumn others = strings;
  others.cells[7].text = "a string that no row had";
  EXPECT_THROW(Restore(others, codes, 0), RowsDiffer);
}

TEST_F(RestoreTest, AColumnLargerThanItsMemory) {
  const TestColumn column = RandomColumn(TypeKind::Int32, kRows, false, 3);
  const size_t extent_bytes = kSegmentsPerTestExtent * kSegmentRows * 4 + 2 * kExtentSlackBytes;
  environment_.pool->SetLimit(extent_bytes * 3 / 2);
  EXPECT_THROW(BuildColumn(environment_, column, ChunkShape::Mixed, options_), memory::OutOfMemory);
  options_.may_lose_extents = true;
  const auto image = BuildColumn(environment_, column, ChunkShape::Mixed, options_);
  EXPECT_TRUE(image->IsLost());
  for (size_t extent = 0; extent < 3; extent++) {
    EXPECT_EQ(Restore(column, image, extent).data.size(), 1u);
  }
}

}  // namespace
}  // namespace margay::storage
