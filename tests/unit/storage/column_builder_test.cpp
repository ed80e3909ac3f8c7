#include "storage/column_builder.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "storage/constants.hpp"
#include "storage/refused_column.hpp"
#include "test_column.hpp"

namespace margay::storage {
namespace {

using plan::Type;
using plan::TypeKind;

constexpr Int128 kInt64Min = std::numeric_limits<int64_t>::min();
constexpr Int128 kInt64Max = std::numeric_limits<int64_t>::max();

class ColumnBuilderTest : public testing::Test {
 protected:
  void SetUp() override {
    if (environment_.device == nullptr) {
      GTEST_SKIP() << "no device";
    }
  }

  //! Builds, compares, and returns the image.
  std::shared_ptr<const ColumnImage> Check(const TestColumn& column, BuildOptions options = {}) {
    std::shared_ptr<const ColumnImage> image =
        BuildColumn(environment_, column, ChunkShape::Mixed, options);
    ExpectImageHolds(column, *image, *environment_.device);
    return image;
  }

  TestEnvironment environment_;
};

TEST_F(ColumnBuilderTest, ExtremesOfInt64InOneSegment) {
  auto image = Check(IntegerColumn(TypeKind::Int64, {kInt64Min, kInt64Max, 0, -1, 1, kInt64Min}));
  EXPECT_EQ(image->GetEncoding(), Encoding::Narrow);
  EXPECT_EQ(image->Width(), 8u);
  EXPECT_EQ(image->Segments()[0].base, std::numeric_limits<int64_t>::min());
}

TEST_F(ColumnBuilderTest, ExtremesOfEveryIntegralType) {
  for (Type type : std::vector<Type>{
           TypeKind::Boolean, TypeKind::Int8, TypeKind::Int16, TypeKind::Int32, TypeKind::Int64,
           TypeKind::Int128, TypeKind::UInt8, TypeKind::UInt16, TypeKind::UInt32, TypeKind::UInt64,
           TypeKind::Date, TypeKind::Timestamp, Type::Decimal(4, 0), Type::Decimal(38, 0)}) {
    SCOPED_TRACE(type.ToString());
    const Int128 low = type.LowestValue();
    const Int128 high = type.HighestValue();
    Check(IntegerColumn(type, {low}));
    Check(IntegerColumn(type, {high}));
    Check(IntegerColumn(type, {low, high}));
    Check(IntegerColumn(type, {high, low, high}));
  }
}

TEST_F(ColumnBuilderTest, WidthIsTheSmallestForAllSegments) {
  std::vector<Int128> values(2 * kSegmentRows, 1000000);
  values[0] = 1000255;
  EXPECT_EQ(Check(IntegerColumn(TypeKind::Int64, values))->Width(), 1u);
  values[1] = 1000256;
  EXPECT_EQ(Check(IntegerColumn(TypeKind::Int64, values))->Width(), 2u);
  values[2 * kSegmentRows - 1] = 1000000 + 65536;
  EXPECT_EQ(Check(IntegerColumn(TypeKind::Int64, values))->Width(), 4u);
  values[2 * kSegmentRows - 1] = 1000000 + (Int128{1} << 32);
  EXPECT_EQ(Check(IntegerColumn(TypeKind::Int64, values))->Width(), 8u);
}

TEST_F(ColumnBuilderTest, ABaseOfItsOwnForEverySegment) {
  // The middle of a piece is where the value jumps, since batches don't end at segments.
  std::vector<Int128> values;
  for (size_t row = 0; row < 3 * kSegmentRows; row++) {
    values.push_back(static_cast<Int128>(row / kSegmentRows) * 1000000000000 + row % 7);
  }
  auto image = Check(IntegerColumn(TypeKind::Int64, values));
  EXPECT_EQ(image->Width(), 1u);
  EXPECT_EQ(image->Segments()[2].base, 2000000000000);
}

TEST_F(ColumnBuilderTest, WideOnlyWhereInt64DoesNotDo) {
  auto fits = Check(IntegerColumn(TypeKind::Int128, {kInt64Min, 5, kInt64Max}));
  EXPECT_EQ(fits->GetEncoding(), Encoding::Narrow);
  EXPECT_EQ(fits->Width(), 8u);
  auto small = Check(IntegerColumn(Type::Decimal(38, 2), {100, -5, 90}));
  EXPECT_EQ(small->Width(), 1u);
  for (Int128 value : {kInt64Max + 1, kInt64Min - 1, kInt128Max, kInt128Min}) {
    auto image = Check(IntegerColumn(TypeKind::Int128, {value, -1, 1}));
    EXPECT_EQ(image->GetEncoding(), Encoding::Wide);
    EXPECT_EQ(image->Width(), 16u);
  }
}

TEST_F(ColumnBuilderTest, UnsignedBigintAboveInt64) {
  EXPECT_EQ(Check(IntegerColumn(TypeKind::UInt64, {0, kInt64Max}))->GetEncoding(),
            Encoding::Narrow);
  EXPECT_EQ(Check(IntegerColumn(TypeKind::UInt64, {0, kInt64Max + 1}))->GetEncoding(),
            Encoding::Wide);
}

TEST_F(ColumnBuilderTest, AllRowsNull) {
  for (Type type : std::vector<Type>{TypeKind::Int32, TypeKind::Int128, TypeKind::Float64,
                                     TypeKind::Varchar, TypeKind::Boolean}) {
    SCOPED_TRACE(type.ToString());
    TestColumn column{type, std::vector<Cell>(100000)};
    for (Cell& cell : column.cells) {
      cell.is_null = true;
    }
    auto image = Check(column);
    EXPECT_FALSE(image->Statistics().HasValues());
    EXPECT_EQ(image->Segments()[0].nulls, image->Segments()[0].rows);
  }
}

TEST_F(ColumnBuilderTest, OneSegmentOfNullsAmongOthers) {
  for (Type type : std::vector<Type>{TypeKind::Int64, TypeKind::Float32, TypeKind::Varchar}) {
    SCOPED_TRACE(type.ToString());
    TestColumn column = RandomColumn(type, 3 * kSegmentRows, false, 3);
    for (size_t row = kSegmentRows; row < 2 * kSegmentRows; row++) {
      column.cells[row].is_null = true;
    }
    Check(column);
  }
}

TEST_F(ColumnBuilderTest, SpecialReals) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (TypeKind kind : {TypeKind::Float32, TypeKind::Float64}) {
    auto image = Check(RealColumn(kind, {-0.0, 0.0, infinity, -infinity, nan, 1.5}));
    EXPECT_TRUE(image->Statistics().has_nan);
    EXPECT_EQ(image->Statistics().real_max, infinity);
    auto only_nan = Check(RealColumn(kind, {nan, nan}));
    EXPECT_GT(only_nan->Statistics().real_min, only_nan->Statistics().real_max);
    EXPECT_TRUE(Check(RealColumn(kind, {-1, -0.0, 0.0, 2, 2}))->Statistics().sorted);
    EXPECT_FALSE(Check(RealColumn(kind, {1, nan}))->Statistics().sorted);
  }
}

TEST_F(ColumnBuilderTest, SortedColumnsAndTheirDistinctValues) {
  std::vector<Int128> values;
  for (size_t row = 0; row < 150000; row++) {
    values.push_back(-70000 + static_cast<Int128>(row / 3));
  }
  auto image = Check(IntegerColumn(TypeKind::Int32, values));
  EXPECT_TRUE(image->Statistics().sorted);
  EXPECT_EQ(image->Statistics().distinct_count, 50000u);
  std::swap(values[kSegmentRows - 1], values[kSegmentRows + 5]);
  EXPECT_FALSE(Check(IntegerColumn(TypeKind::Int32, values))->Statistics().sorted);
  EXPECT_TRUE(
      Check(IntegerColumn(TypeKind::Int128, {kInt128Min, -1, 0, kInt128Max}))->Statistics().sorted);
}

TEST_F(ColumnBuilderTest, AFallBetweenSegmentsIsNotSorted) {
  std::vector<Int128> integers(2 * kSegmentRows, 5);
  std::vector<double> reals(2 * kSegmentRows, 5);
  std::vector<std::string> texts(2 * kSegmentRows, "b");
  for (size_t row = kSegmentRows; row < 2 * kSegmentRows; row++) {
    integers[row] = 3;
    reals[row] = 3;
    texts[row] = "a";
  }
  EXPECT_FALSE(Check(IntegerColumn(TypeKind::Int32, integers))->Statistics().sorted);
  EXPECT_FALSE(Check(RealColumn(TypeKind::Float64, reals))->Statistics().sorted);
  EXPECT_FALSE(Check(TextColumn(texts))->Statistics().sorted);
}

TEST_F(ColumnBuilderTest, StringsInBinaryOrder) {
  const std::string zero(1, '\0');
  auto image = Check(TextColumn({"b", "a", "", "\xC3\xA9", "a" + zero, "z", "\xFF", zero, "a",
                                 "aaaaaaaaaaaab", "aaaaaaaaaaaaa", "aaaaaaaa", "aaaaaaaa" + zero}));
  const Dictionary& dictionary = *image->GetDictionary();
  EXPECT_EQ(image->Width(), 1u);
  ASSERT_EQ(dictionary.Size(), 12u);
  EXPECT_EQ(dictionary.Value(0), "");
  EXPECT_EQ(dictionary.Value(1), zero);
  EXPECT_EQ(dictionary.Value(2), "a");
  EXPECT_EQ(dictionary.Value(3), "a" + zero);
  EXPECT_EQ(dictionary.Value(11), "\xFF") << "bytes are unsigned";
}

TEST_F(ColumnBuilderTest, WidthOfCodes) {
  std::vector<std::string> values;
  for (size_t i = 0; i < 256; i++) {
    values.push_back("value " + std::to_string(i));
  }
  EXPECT_EQ(Check(TextColumn(values))->Width(), 1u);
  values.push_back("one more");
  EXPECT_EQ(Check(TextColumn(values))->Width(), 2u);
  for (size_t i = 0; i < 8 * 65536; i++) {
    values.push_back(std::to_string(i % 65536));
  }
  EXPECT_EQ(Check(TextColumn(values))->Width(), 4u);
}

TEST_F(ColumnBuilderTest, ExtentsInDeviceMemory) {
  TestEnvironment environment(memory::ExtentPool::Placement::Device);
  for (Type type : std::vector<Type>{TypeKind::Int64, TypeKind::Int128, TypeKind::Varchar}) {
    TestColumn column = RandomColumn(type, 200000, true, 5);
    auto image = BuildColumn(environment, column);
    EXPECT_EQ(environment.allocator->Used(), 0u) << "nothing is left on the host";
    ExpectImageHolds(column, *image, *environment.device);
  }
}

TEST_F(ColumnBuilderTest, ARefusedColumnLeavesTheOthers) {
  const TestColumn text = TextColumn({"a", "b"});
  const TestColumn number = IntegerColumn(TypeKind::Int32, {1, 2, 3});
  BuildOptions options;
  options.expected_rows = 3;
  options.small_dictionary = 0;
  TableImageBuilder builder({{1, "t", text.type}, {2, "n", number.type}}, environment_.allocator,
                            options);
  std::mt19937 random(1);
  {
    BatchWriter writer = builder.StartBatch(0);
    FeedRows(writer, 0, text, 0, 2, ChunkShape::Flat, random);
    const std::string_view huge("", size_t{5} << 30);
    EXPECT_THROW(writer.Append(0, {.values = &huge, .count = 1}), RefusedColumn);
    EXPECT_THROW(FeedRows(writer, 0, text, 0, 1, ChunkShape::Flat, random), RefusedColumn);
    FeedRows(writer, 1, number, 0, 3, ChunkShape::Flat, random);
    writer.Close();
  }
  EXPECT_THROW(builder.FinishColumn(0, *environment_.pool), RefusedColumn);
  ExpectImageHolds(number, *builder.FinishColumn(1, *environment_.pool), *environment_.device);
}

TEST_F(ColumnBuilderTest, NoEncodingForUnsigned128) {
  EXPECT_THROW(ColumnBuilder({0, "c", TypeKind::UInt128}, environment_.allocator, {}),
               RefusedColumn);
}

TEST_F(ColumnBuilderTest, AnExtentLessMakesTheColumnLost) {
  BuildOptions options;
  options.segments_per_extent = 1;
  auto image = BuildColumn(environment_, RandomColumn(TypeKind::Int32, 200000, true, 1),
                           ChunkShape::Flat, options);
  ASSERT_EQ(image->DataExtents().size(), 4u);
  EXPECT_FALSE(image->IsLost());
  std::optional<memory::ExtentPin> pin = image->DataExtents()[0]->TryPin();
  environment_.pool->EvictAll();
  EXPECT_TRUE(image->IsLost());
  EXPECT_FALSE(image->DataExtents()[0]->IsLost());
}

TEST_F(ColumnBuilderTest, AColumnBeyondTheLimitIsOutOfMemoryNotHalfThere) {
  BuildOptions options;
  options.segments_per_extent = 1;
  const TestColumn column = RandomColumn(TypeKind::Float64, 4 * kSegmentRows, false, 1);
  environment_.pool->SetLimit(3 * kSegmentRows * 8);
  EXPECT_THROW(BuildColumn(environment_, column, ChunkShape::Flat, options), memory::OutOfMemory);
  environment_.pool->EvictAll();
  EXPECT_EQ(environment_.pool->Used(), 0u);
}

}  // namespace
}  // namespace margay::storage
