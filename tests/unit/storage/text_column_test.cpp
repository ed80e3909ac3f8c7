// Text columns: when a column becomes one, and that it holds what was put in.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "storage/constants.hpp"
#include "test_column.hpp"

namespace margay::storage {
namespace {

using plan::TypeKind;

//! Every column of more than two different strings is text.
BuildOptions TextOptions() {
  BuildOptions options;
  options.small_dictionary = 2;
  return options;
}

std::vector<std::string> Numbered(size_t count) {
  std::vector<std::string> values(count);
  for (size_t i = 0; i < count; i++) {
    values[i] = "comment " + std::to_string(i);
  }
  return values;
}

class TextColumnTest : public testing::Test {
 protected:
  //! Builds the column in every shape; it must be text.
  void Check(const TestColumn& column, BuildOptions options = TextOptions()) {
    for (ChunkShape shape : {ChunkShape::Flat, ChunkShape::SmallFlat, ChunkShape::Selection,
                             ChunkShape::Dictionary, ChunkShape::Mixed}) {
      auto image = BuildColumn(environment_, column, shape, options);
      ASSERT_EQ(image->GetEncoding(), Encoding::Text);
      EXPECT_EQ(image->Width(), 4u);
      ExpectImageHolds(column, *image, *environment_.device);
    }
  }

  Encoding EncodingOf(const std::vector<std::string>& values, BuildOptions options) {
    return BuildColumn(environment_, TextColumn(values), ChunkShape::Flat, options)->GetEncoding();
  }

  TestEnvironment environment_;
};

TEST_F(TextColumnTest, AllKindsOfStrings) {
  const std::string zero(1, '\0');
  Check(TextColumn({"", "a", zero, "a" + zero + "b", "\xC3\xA9", "日本語", "", "",
                    std::string(13, 'x'), std::string(100000, 'y'), "last", ""}));
  Check(TextColumn({"", "1", "12", "123", "", "1234", ""}));
}

TEST_F(TextColumnTest, OneRow) {
  BuildOptions options;
  options.small_dictionary = 0;
  Check(TextColumn({"only"}), options);
  Check(TextColumn({""}), options);
}

TEST_F(TextColumnTest, Nulls) {
  TestColumn column = TextColumn(Numbered(5000));
  for (size_t i = 0; i < column.cells.size(); i++) {
    column.cells[i].is_null = i % 7 == 3 || (i > 2000 && i < 4500);
  }
  Check(column);
  column.cells.front().is_null = true;
  column.cells.back().is_null = true;
  Check(column);
}

TEST_F(TextColumnTest, SegmentEdges) {
  for (size_t rows : {kSegmentRows - 1, kSegmentRows, kSegmentRows + 1, 3 * kSegmentRows + 5}) {
    TestColumn column = TextColumn(Numbered(rows));
    column.cells[kSegmentRows - 2].text.clear();
    column.cells.back().is_null = true;
    Check(column);
  }
}

TEST_F(TextColumnTest, ASegmentOfNullsOrOfEmptyStrings) {
  TestColumn column = TextColumn(Numbered(3 * kSegmentRows));
  for (size_t row = kSegmentRows; row < 2 * kSegmentRows; row++) {
    column.cells[row].is_null = true;
    column.cells[row].text.clear();
  }
  Check(column);
  for (size_t row = kSegmentRows; row < 2 * kSegmentRows; row++) {
    column.cells[row].is_null = false;
  }
  Check(column);
}

TEST_F(TextColumnTest, TextExtentsAreCutAtSegments) {
  const TestColumn column = TextColumn(Numbered(5 * kSegmentRows + 10));
  BuildOptions options = TextOptions();
  options.segments_per_extent = 4;
  options.largest_text_extent = 2500000;  // two segments of about 1.05 MB each
  auto image = BuildColumn(environment_, column, ChunkShape::Flat, options);
  ExpectImageHolds(column, *image, *environment_.device);
  EXPECT_EQ(image->DataExtents().size(), 2u);
  EXPECT_EQ(image->TextExtents().size(), 3u);
  options.largest_text_extent = 1;
  image = BuildColumn(environment_, column, ChunkShape::Flat, options);
  ExpectImageHolds(column, *image, *environment_.device);
  EXPECT_EQ(image->TextExtents().size(), 6u) << "a segment is never cut";
}

TEST_F(TextColumnTest, LongStringsInDeviceMemory) {
  TestEnvironment environment(memory::ExtentPool::Placement::Device);
  std::vector<std::string> values;
  for (size_t i = 0; i < 90; i++) {
    values.push_back(std::string(1000000 + i, static_cast<char>('a' + i % 26)));
  }
  const TestColumn column = TextColumn(values);
  auto image = BuildColumn(environment, column, ChunkShape::Flat, TextOptions());
  ASSERT_EQ(image->GetEncoding(), Encoding::Text);
  ASSERT_GT(image->TextExtents()[0]->Bytes(), memory::ExtentPool::kFillBytes)
      << "written in several ranges";
  ExpectImageHolds(column, *image, *environment.device);
}

TEST_F(TextColumnTest, ManyThreads) {
  const TestColumn column = TextColumn(Numbered(300000));
  BuildOptions options;
  options.small_dictionary = 1000;
  TableImageBuilder builder({{0, "c", column.type}}, environment_.allocator, options);
  ThreadedFor(4)(30, [&](size_t batch) {
    std::mt19937 random(static_cast<uint32_t>(batch));
    BatchWriter writer = builder.StartBatch(batch);
    FeedRows(writer, 0, column, batch * 10000, 10000, ChunkShape::Mixed, random);
    writer.Close();
  });
  auto image = builder.FinishColumn(0, *environment_.pool, ThreadedFor(4));
  ASSERT_EQ(image->GetEncoding(), Encoding::Text);
  ExpectImageHolds(column, *image, *environment_.device);
}

TEST_F(TextColumnTest, ADictionaryWhereItPays) {
  std::vector<std::string> values;
  for (size_t i = 0; i < 8000; i++) {
    values.push_back("value " + std::to_string(i % 1000));
  }
  BuildOptions options;
  options.small_dictionary = 999;
  EXPECT_EQ(EncodingOf(values, options), Encoding::Dictionary) << "8 rows for each string";
  values.pop_back();
  EXPECT_EQ(EncodingOf(values, options), Encoding::Text);
  options.small_dictionary = 1000;
  EXPECT_EQ(EncodingOf(values, options), Encoding::Dictionary) << "few enough in any case";
  values.push_back("value 999");
  options = {};
  options.largest_dictionary = 999;
  EXPECT_EQ(EncodingOf(values, options), Encoding::Text);
  options.largest_dictionary = 1000;
  EXPECT_EQ(EncodingOf(values, options), Encoding::Dictionary);
  options.largest_dictionary_bytes = 5000;
  EXPECT_EQ(EncodingOf(values, options), Encoding::Text);
}

TEST_F(TextColumnTest, InterningEndsEarly) {
  const TestColumn column = TextColumn(Numbered(400000));
  for (uint64_t expected_rows : {uint64_t{0}, uint64_t{400000}}) {
    BuildOptions options;
    options.small_dictionary = 1000;
    options.expected_rows = expected_rows;
    TableImageBuilder builder({{0, "c", column.type}}, environment_.allocator, options);
    std::mt19937 random(1);
    BatchWriter writer = builder.StartBatch(0);
    FeedRows(writer, 0, column, 0, column.cells.size(), ChunkShape::Flat, random);
    writer.Close();
    // 14 bytes of text and 4 of length per row; an interned string takes 16 bytes and a slot more.
    EXPECT_LT(builder.StagedBytes(), column.cells.size() * 22) << expected_rows;
    auto image = builder.FinishColumn(0, *environment_.pool);
    EXPECT_EQ(image->GetEncoding(), Encoding::Text);
  }
}

TEST_F(TextColumnTest, ALostTextExtentMakesTheColumnLost) {
  BuildOptions options = TextOptions();
  options.segments_per_extent = 1;
  auto image = BuildColumn(environment_, TextColumn(Numbered(200000)), ChunkShape::Flat, options);
  std::vector<memory::ExtentPin> pins;
  for (const auto& extent : image->DataExtents()) {
    pins.push_back(*extent->TryPin());
  }
  environment_.pool->EvictAll();
  EXPECT_TRUE(image->IsLost());
}

}  // namespace
}  // namespace margay::storage
