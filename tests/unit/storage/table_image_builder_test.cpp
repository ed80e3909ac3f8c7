#include "storage/table_image_builder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "test_column.hpp"

namespace margay::storage {
namespace {

using plan::TypeKind;

class TableImageBuilderTest : public testing::Test {
 protected:
  void SetUp() override {
    if (environment_.device == nullptr) {
      GTEST_SKIP() << "no device";
    }
  }

  TestEnvironment environment_;
};

TEST_F(TableImageBuilderTest, SeveralColumnsByTheirIds) {
  const std::vector<TestColumn> columns = {RandomColumn(TypeKind::Int32, 100000, true, 1),
                                           RandomColumn(TypeKind::Varchar, 100000, false, 2),
                                           RandomColumn(TypeKind::Float32, 100000, false, 3)};
  TableImageBuilder builder(
      {{7, "a", columns[0].type}, {3, "b", columns[1].type}, {9, "c", columns[2].type}},
      environment_.allocator);
  FeedBatches(builder, columns, ChunkShape::Mixed, 4);
  EXPECT_GT(builder.StagedBytes(), 100000u);
  EXPECT_EQ(builder.StagedBytes(), environment_.allocator->Used())
      << "all staging comes from the allocator";
  std::shared_ptr<TableImage> image = builder.Finish(*environment_.pool, ThreadedFor(2));
  EXPECT_EQ(builder.StagedBytes(), 0u);
  EXPECT_EQ(image->Rows(), 100000u);
  EXPECT_EQ(image->SegmentCount(), 2u);
  EXPECT_EQ(image->ExtentCount(), 1u);
  EXPECT_EQ(image->ColumnIds(), (std::vector<uint64_t>{3, 7, 9}));
  ExpectImageHolds(columns[0], *image->Find(7), *environment_.device);
  ExpectImageHolds(columns[1], *image->Find(3), *environment_.device);
  ExpectImageHolds(columns[2], *image->Find(9), *environment_.device);
}

TEST_F(TableImageBuilderTest, StagingIsAboutAsNarrowAsTheImage) {
  std::vector<Int128> values(1000000);
  for (size_t i = 0; i < values.size(); i++) {
    values[i] = 5000000000 + static_cast<Int128>(i * 7919 % 30000);
  }
  const TestColumn column = IntegerColumn(TypeKind::Int64, values);
  TableImageBuilder builder({{0, "c", column.type}}, environment_.allocator);
  FeedBatches(builder, {column}, ChunkShape::Flat, 1);
  const size_t staged = builder.StagedBytes();
  std::shared_ptr<TableImage> image = builder.Finish(*environment_.pool);
  EXPECT_EQ(image->Find(0)->Width(), 2u);
  EXPECT_LT(staged, image->Bytes() * 5 / 4 + (size_t{2} << 20));
}

TEST_F(TableImageBuilderTest, BatchesFromSeveralThreads) {
  constexpr size_t kBatchRows = 10000;
  const std::vector<TestColumn> columns = {RandomColumn(TypeKind::Int64, 205000, true, 1),
                                           RandomColumn(TypeKind::Varchar, 205000, true, 2)};
  TableImageBuilder builder({{0, "a", columns[0].type}, {1, "b", columns[1].type}},
                            environment_.allocator);
  std::atomic<size_t> next = 0;
  std::vector<std::thread> workers;
  for (uint32_t worker = 0; worker < 3; worker++) {
    workers.emplace_back([&, worker] {
      std::mt19937 random(worker);
      for (size_t batch = next++; batch * kBatchRows < 205000; batch = next++) {
        const size_t first = batch * kBatchRows;
        const size_t count = std::min<size_t>(kBatchRows, 205000 - first);
        BatchWriter writer = builder.StartBatch(batch);
        for (size_t i = 0; i < columns.size(); i++) {
          FeedRows(writer, i, columns[i], first, count, ChunkShape::Flat, random);
        }
        writer.Close();
      }
    });
  }
  for (std::thread& worker : workers) {
    worker.join();
  }
  // Both columns at once, each on several threads.
  std::shared_ptr<const ColumnImage> images[2];
  std::thread first(
      [&] { images[0] = builder.FinishColumn(0, *environment_.pool, ThreadedFor(2)); });
  std::thread second(
      [&] { images[1] = builder.FinishColumn(1, *environment_.pool, ThreadedFor(2)); });
  first.join();
  second.join();
  ExpectImageHolds(columns[0], *images[0], *environment_.device);
  ExpectImageHolds(columns[1], *images[1], *environment_.device);
}

TEST_F(TableImageBuilderTest, AnOpenWriterThatDiesLeavesNoRows) {
  const TestColumn column = RandomColumn(TypeKind::Varchar, 5000, true, 1);
  TableImageBuilder builder({{0, "c", column.type}}, environment_.allocator);
  std::mt19937 random(1);
  {
    BatchWriter writer = builder.StartBatch(3);
    FeedRows(writer, 0, column, 0, 4000, ChunkShape::Flat, random);
  }
  {
    BatchWriter writer = builder.StartBatch(3);
    BatchWriter moved = std::move(writer);
    FeedRows(moved, 0, column, 0, 5000, ChunkShape::Mixed, random);
    moved.Close();
  }
  std::shared_ptr<TableImage> image = builder.Finish(*environment_.pool);
  EXPECT_EQ(image->Rows(), 5000u);
  EXPECT_EQ(Decode(*image->Find(0), *environment_.device).size(), 5000u);
}

TEST_F(TableImageBuilderTest, AnInterruptedBuildGivesAllMemoryBack) {
  const TestColumn column = RandomColumn(TypeKind::Varchar, 5000, true, 1);
  {
    TableImageBuilder builder({{0, "c", column.type}}, environment_.allocator);
    std::mt19937 random(1);
    BatchWriter writer = builder.StartBatch(3);
    FeedRows(writer, 0, column, 0, 4000, ChunkShape::Flat, random);
  }
  EXPECT_EQ(environment_.allocator->Used(), 0u);
}

TEST_F(TableImageBuilderTest, OutOfMemoryWhileStaging) {
  const TestColumn column = RandomColumn(TypeKind::Int64, 200000, false, 1);
  auto small = std::make_shared<memory::HeapAllocator>(100000);
  {
    TableImageBuilder builder({{0, "c", column.type}}, small);
    EXPECT_THROW(FeedBatches(builder, {column}, ChunkShape::Flat, 1), memory::OutOfMemory);
  }
  EXPECT_EQ(small->Used(), 0u);
}

TEST_F(TableImageBuilderTest, MistakesOfTheSourceAreErrors) {
  const TestColumn column = RandomColumn(TypeKind::Int32, 100, false, 1);
  std::mt19937 random(1);
  {
    TableImageBuilder builder({{0, "a", column.type}, {1, "b", column.type}},
                              environment_.allocator);
    BatchWriter writer = builder.StartBatch(0);
    FeedRows(writer, 0, column, 0, 100, ChunkShape::Flat, random);
    FeedRows(writer, 1, column, 0, 99, ChunkShape::Flat, random);
    EXPECT_THROW(writer.Close(), std::logic_error) << "different numbers of rows";
    EXPECT_THROW(builder.FinishColumn(0, *environment_.pool), std::logic_error)
        << "a batch is open";
  }
  TableImageBuilder builder({{0, "a", column.type}}, environment_.allocator);
  for (int i = 0; i < 2; i++) {
    BatchWriter writer = builder.StartBatch(4);
    FeedRows(writer, 0, column, 0, 100, ChunkShape::Flat, random);
    writer.Close();
  }
  EXPECT_THROW(builder.Finish(*environment_.pool), std::logic_error) << "the same index twice";
}

}  // namespace
}  // namespace margay::storage
