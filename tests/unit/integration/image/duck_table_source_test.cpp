#include "integration/image/duck_table_source.hpp"

#include <gtest/gtest.h>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/duck_table_entry.hpp"
#include "test_database.hpp"

namespace margay::integration {
namespace {

class DuckTableSourceTest : public ::testing::Test {
 protected:
  DuckTableSourceTest() { database_.Run("CREATE TABLE t AS FROM range(10) r(v)"); }

  duckdb::ClientContext& Context() { return *database_.Connection().context; }

  //! The table as a transaction sees it now.
  std::shared_ptr<const TableSource> SourceOf(const std::string& name) {
    std::shared_ptr<const TableSource> source;
    Context().RunFunctionInTransaction([&] {
      auto& table = duckdb::Catalog::GetEntry<duckdb::TableCatalogEntry>(Context(), INVALID_CATALOG,
                                                                         INVALID_SCHEMA, name);
      source = std::make_shared<DuckTableSource>(database_.State().tracker,
                                                 table.Cast<duckdb::DuckTableEntry>());
    });
    return source;
  }

  TestDatabase database_;
};

TEST_F(DuckTableSourceTest, IsTheSameTableAfterWritesAndUnderAnotherName) {
  const auto source = SourceOf("t");
  database_.Run("INSERT INTO t VALUES (10)");
  EXPECT_TRUE(source->IsSameTable(*SourceOf("t")));
  database_.Run("ALTER TABLE t RENAME TO renamed");
  const auto renamed = SourceOf("renamed");
  EXPECT_TRUE(source->IsSameTable(*renamed));
  EXPECT_EQ(source->Name().table, "t");
  EXPECT_EQ(renamed->Name().table, "renamed");
  EXPECT_EQ(renamed->Name().schema, "main");
  EXPECT_EQ(renamed->Name().database, "memory");
  EXPECT_EQ(renamed->TotalRows(), 11U);
}

TEST_F(DuckTableSourceTest, IsAnotherTableOnceItsColumnsAre) {
  const auto source = SourceOf("t");
  database_.Run("ALTER TABLE t ADD COLUMN w INTEGER");
  EXPECT_FALSE(source->IsSameTable(*SourceOf("t")));
}

TEST_F(DuckTableSourceTest, IsAnotherTableAfterDropAndCreate) {
  const auto source = SourceOf("t");
  EXPECT_FALSE(source->IsGone());
  database_.Run("DROP TABLE t");
  EXPECT_TRUE(source->IsGone());
  database_.Run("CREATE TABLE t AS FROM range(10) r(v)");
  EXPECT_FALSE(source->IsSameTable(*SourceOf("t")));
}

TEST_F(DuckTableSourceTest, TemporaryTablesAreNotCached) {
  database_.Run("CREATE TEMP TABLE u AS FROM range(10) r(v)");
  EXPECT_FALSE(SourceOf("t")->RefuseCaching());
  EXPECT_EQ(SourceOf("u")->RefuseCaching(), "temporary tables are not cached");
}

TEST_F(DuckTableSourceTest, RowsOfTheOwnTransactionCanNotBeReadAgain) {
  const auto source = SourceOf("t");
  database_.Run("BEGIN");
  EXPECT_TRUE(source->CanReadAgain(Context()));
  EXPECT_EQ(source->Check(Context(), source->SnapshotFor(Context())), Validity::Valid);
  database_.Run("INSERT INTO t VALUES (10)");
  EXPECT_FALSE(source->CanReadAgain(Context()));
  EXPECT_EQ(source->Check(Context(), source->SnapshotFor(Context())), Validity::OwnChanges);
  database_.Run("ROLLBACK");
}

}  // namespace
}  // namespace margay::integration
