// Every type, with and without NULLs, at sizes around a segment's, in every shape of chunk: what
// comes back from the image must be what went in, and the statistics must be those of a slow count.
#include <gtest/gtest.h>

#include <tuple>

#include "test_column.hpp"

namespace margay::storage {
namespace {

using plan::Type;
using plan::TypeKind;

const std::vector<Type> kTypes = {
    TypeKind::Boolean,    TypeKind::Int8,        TypeKind::Int16,     TypeKind::Int32,
    TypeKind::Int64,      TypeKind::Int128,      TypeKind::UInt8,     TypeKind::UInt16,
    TypeKind::UInt32,     TypeKind::UInt64,      Type::Decimal(4, 1), Type::Decimal(9, 2),
    Type::Decimal(18, 3), Type::Decimal(38, 10), TypeKind::Date,      TypeKind::Timestamp,
    TypeKind::Float32,    TypeKind::Float64,     TypeKind::Varchar};

class ColumnTypesTest : public testing::TestWithParam<std::tuple<Type, bool>> {};

TEST_P(ColumnTypesTest, ImageHoldsTheRows) {
  TestEnvironment environment;
  if (environment.device == nullptr) {
    GTEST_SKIP() << "no device";
  }
  const auto& [type, with_nulls] = GetParam();
  uint32_t seed = 1;
  for (size_t rows : {0, 1, 2, 65535, 65536, 65537, 200000}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    BuildOptions options;
    options.segments_per_extent = rows == 200000 ? 2 : 0;
    TestColumn column = RandomColumn(type, rows, with_nulls, seed++);
    std::shared_ptr<const ColumnImage> image =
        BuildColumn(environment, column, ChunkShape::Mixed, options, seed);
    ExpectImageHolds(column, *image, *environment.device);
    if (HasFatalFailure()) {
      return;
    }
  }
  EXPECT_EQ(environment.allocator->Used(), 0u) << "images and staging are gone";
}

TEST_P(ColumnTypesTest, EveryShapeOfChunk) {
  TestEnvironment environment;
  if (environment.device == nullptr) {
    GTEST_SKIP() << "no device";
  }
  const auto& [type, with_nulls] = GetParam();
  TestColumn column = RandomColumn(type, 70000, with_nulls, 7);
  for (ChunkShape shape :
       {ChunkShape::Flat, ChunkShape::SmallFlat, ChunkShape::Selection, ChunkShape::Dictionary}) {
    SCOPED_TRACE("shape " + std::to_string(static_cast<int>(shape)));
    ExpectImageHolds(column, *BuildColumn(environment, column, shape), *environment.device);
    if (HasFatalFailure()) {
      return;
    }
  }
}

std::string NameOf(const testing::TestParamInfo<std::tuple<Type, bool>>& info) {
  std::string name = std::get<0>(info.param).ToString();
  std::erase_if(name, [](char character) { return std::isalnum(character) == 0; });
  return name + (std::get<1>(info.param) ? "WithNulls" : "");
}

INSTANTIATE_TEST_SUITE_P(Types, ColumnTypesTest,
                         testing::Combine(testing::ValuesIn(kTypes), testing::Bool()), NameOf);

}  // namespace
}  // namespace margay::storage
