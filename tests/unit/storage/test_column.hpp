// The slow, obvious side of the storage tests: columns as lists of cells, a feeder that hands them
// to a builder in every shape a source may have, and a reader that decodes an image row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "memory/extent_pool.hpp"
#include "memory/heap_allocator.hpp"
#include "storage/table_image_builder.hpp"

namespace margay::storage {

//! One value; which member counts depends on the column's type.
struct Cell {
  bool is_null = false;
  Int128 integer = 0;
  double real = 0;
  std::string text;
};

struct TestColumn {
  plan::Type type;
  std::vector<Cell> cells;
};

//! How chunks look.
enum class ChunkShape { Flat, SmallFlat, Selection, Dictionary, Mixed };

//! A column of random values over the whole range of the type, with some repeated and extreme ones.
TestColumn RandomColumn(plan::Type type, size_t rows, bool with_nulls, uint32_t seed);

TestColumn IntegerColumn(plan::Type type, const std::vector<Int128>& values);
TestColumn RealColumn(plan::Type type, const std::vector<double>& values);
TestColumn TextColumn(const std::vector<std::string>& values);

//! Appends rows [first, first + count) of `column` to the writer's column `position`.
void FeedRows(BatchWriter& writer, size_t position, const TestColumn& column, size_t first,
              size_t count, ChunkShape shape, std::mt19937& random);

//! Feeds the columns in batches of random sizes that come in random order.
void FeedBatches(TableImageBuilder& builder, const std::vector<TestColumn>& columns,
                 ChunkShape shape, uint32_t seed);

//! What the device sees of all extents of a column, decoded.
std::vector<Cell> Decode(const ColumnImage& image, device::Device& device);

//! Decodes and compares every row, the padding, and all statistics.
void ExpectImageHolds(const TestColumn& column, const ColumnImage& image, device::Device& device);

//! Runs on several threads.
ParallelFor ThreadedFor(size_t threads);

//! Device, allocator and pool of a test. The device is the one that MARGAY_TEST_DEVICE selects,
//! else the CPU; nullptr where there is none.
struct TestEnvironment {
  explicit TestEnvironment(
      memory::ExtentPool::Placement placement = memory::ExtentPool::Placement::Automatic);

  std::shared_ptr<device::Device> device;
  std::shared_ptr<memory::HeapAllocator> allocator = std::make_shared<memory::HeapAllocator>();
  std::unique_ptr<memory::ExtentPool> pool;
};

//! Builds one column, in one go.
std::shared_ptr<const ColumnImage> BuildColumn(TestEnvironment& environment,
                                               const TestColumn& column,
                                               ChunkShape shape = ChunkShape::Mixed,
                                               BuildOptions options = {}, uint32_t seed = 1);

}  // namespace margay::storage
