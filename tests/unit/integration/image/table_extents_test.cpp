#include "integration/image/table_extents.hpp"

#include <gtest/gtest.h>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/duck_table_entry.hpp"
#include "integration/image/duck_table_source.hpp"
#include "test_database.hpp"

namespace margay::integration {
namespace {

//! An image of one column of table t, in a transaction, with nothing of it in memory.
class TableExtentsTest : public ::testing::Test {
 protected:
  TableExtentsTest() {
    database_.Run("CREATE TABLE t AS SELECT (i * 7) % 1000 v FROM range(200000) r(i)");
    database_.Run("CREATE TABLE u AS SELECT (i * 7) % 1000 + 1 v FROM range(200000) r(i)");
    database_.Run("SET margay_mode = 'force'");
    database_.Query("SELECT sum(v) FROM u");
    place_ = database_.State().devices.List().at(0);
    database_.Connection().BeginTransaction();
    storage::BuildOptions options;
    options.segments_per_extent = 2;
    const std::vector<plan::ScanColumn> columns{{0, "v", plan::TypeKind::Int64}};
    image_ = SourceOf("t")
                 ->Read(Context(), Specify(columns), *place_->pool, options, {})
                 .MakeImage(columns);
    column_ = image_->Find(0);
    place_->pool->EvictAll();
  }
  ~TableExtentsTest() override { database_.Connection().Rollback(); }

  duckdb::ClientContext& Context() { return *database_.Connection().context; }

  std::shared_ptr<const TableSource> SourceOf(const std::string& name) {
    auto& table = duckdb::Catalog::GetEntry<duckdb::TableCatalogEntry>(Context(), INVALID_CATALOG,
                                                                       DEFAULT_SCHEMA, name);
    return std::make_shared<DuckTableSource>(database_.State().tracker,
                                             table.Cast<duckdb::DuckTableEntry>());
  }

  //! Reads the rows of the image from table `name`.
  TableExtents ExtentsFrom(const std::string& name) {
    return {Context(), {std::make_shared<TableCopy>(place_, image_, SourceOf(name))}, {}};
  }

  TestDatabase database_;
  std::shared_ptr<const OpenDevice> place_;
  std::shared_ptr<storage::TableImage> image_;
  std::shared_ptr<const storage::ColumnImage> column_;
};

TEST_F(TableExtentsTest, WhatOthersDropFromTheImageComesBack) {
  ASSERT_TRUE(column_->IsGone());
  TableExtents extents = ExtentsFrom("t");
  image_->Remove(0);
  ASSERT_TRUE(extents.Has(*column_));
  const auto first = extents.Restore({column_.get()}, 0);
  EXPECT_EQ(first.size(), 1U);
  EXPECT_FALSE(column_->IsGone());
  EXPECT_TRUE(column_->IsLost());
  EXPECT_LT(column_->HeldBytes(), column_->Bytes());
  const auto second = extents.Restore({column_.get()}, 1);
  EXPECT_FALSE(column_->IsLost());
  EXPECT_EQ(column_->HeldBytes(), column_->Bytes());
}

TEST_F(TableExtentsTest, AColumnWhoseRowsAreOthersIsDropped) {
  TableExtents extents = ExtentsFrom("u");
  EXPECT_THROW(extents.Restore({column_.get()}, 1), execute::ImageLost);
  EXPECT_EQ(image_->Find(0), nullptr) << "the next attempt would find it again";
}

}  // namespace
}  // namespace margay::integration
