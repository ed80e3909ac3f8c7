#include "integration/image/snapshot_tracker.hpp"

#include <gtest/gtest.h>

#include "duckdb/main/appender.hpp"
#include "duckdb/main/database_manager.hpp"
#include "test_database.hpp"

namespace margay::integration {
namespace {

class SnapshotTrackerTest : public ::testing::Test {
 protected:
  SnapshotTrackerTest() : writer_(database_.Connect()), reader_(database_.Connect()) {
    database_.Run("CREATE TABLE t AS SELECT i FROM range(1000) r(i)");
    built_at_ = Snapshot("memory");
  }

  template <class Function>
  void InTransaction(const std::string& name, Function function) {
    auto& context = *reader_->context;
    context.RunFunctionInTransaction([&] {
      auto database = duckdb::DatabaseManager::Get(context).GetDatabase(context, name);
      function(context, *database);
    });
  }

  Moment Snapshot(const std::string& name) {
    Moment snapshot = 0;
    InTransaction(name, [&](duckdb::ClientContext& context, duckdb::AttachedDatabase& database) {
      snapshot = SnapshotOf(context, database);
    });
    return snapshot;
  }

  Validity Check(Moment built_at, const std::string& name = "memory") {
    auto validity = Validity::Valid;
    InTransaction(name, [&](duckdb::ClientContext& context, duckdb::AttachedDatabase& database) {
      validity = database_.State().tracker->Check(context, database, built_at);
    });
    return validity;
  }
  Validity Check() { return Check(built_at_); }

  TestDatabase database_;
  std::unique_ptr<duckdb::Connection> writer_;
  std::unique_ptr<duckdb::Connection> reader_;
  Moment built_at_ = 0;
};

TEST_F(SnapshotTrackerTest, ACopyStaysValidWhileNothingIsWritten) {
  EXPECT_EQ(Check(), Validity::Valid);
  database_.Query(*writer_, "SELECT sum(i) FROM t");
  database_.Query(*writer_, "CHECKPOINT");
  EXPECT_EQ(Check(), Validity::Valid);
}

TEST_F(SnapshotTrackerTest, OwnChangesMakeItInvalidUntilTheyAreRolledBack) {
  TestDatabase::Run(*reader_, "BEGIN");
  EXPECT_EQ(Check(), Validity::Valid);
  TestDatabase::Run(*reader_, "UPDATE t SET i = 7 WHERE i = 3");
  EXPECT_EQ(Check(), Validity::OwnChanges);
  TestDatabase::Run(*reader_, "ROLLBACK");
  // A rollback counts as a write: it may follow a commit that failed half way.
  EXPECT_EQ(Check(), Validity::WrittenSince);
  EXPECT_EQ(Check(Snapshot("memory")), Validity::Valid);
}

TEST_F(SnapshotTrackerTest, AnIdleWriterIsNoThreatUntilItCommits) {
  TestDatabase::Run(*writer_, "BEGIN");
  TestDatabase::Run(*writer_, "INSERT INTO t VALUES (1)");
  EXPECT_EQ(Check(), Validity::Valid);
  TestDatabase::Run(*writer_, "COMMIT");
  EXPECT_EQ(Check(), Validity::WrittenSince);
}

TEST_F(SnapshotTrackerTest, AnOldReaderMayUseAnOldCopyOnlyIfNothingWasWritten) {
  TestDatabase::Run(*reader_, "BEGIN");
  EXPECT_EQ(Check(), Validity::Valid);
  TestDatabase::Run(*writer_, "DELETE FROM t WHERE i = 5");
  EXPECT_EQ(Check(), Validity::WrittenSince);
  TestDatabase::Run(*reader_, "COMMIT");
}

TEST_F(SnapshotTrackerTest, AnAppenderIsSeen) {
  duckdb::Appender appender(*writer_, "t");
  appender.AppendRow(static_cast<int64_t>(1));
  appender.Close();
  EXPECT_EQ(Check(), Validity::WrittenSince);
}

TEST_F(SnapshotTrackerTest, ChangesOfTheCatalogAreSeen) {
  TestDatabase::Run(*writer_, "CREATE TABLE other (i INTEGER)");
  EXPECT_EQ(Check(), Validity::WrittenSince);
}

TEST_F(SnapshotTrackerTest, ABusyWriterIsAThreat) {
  // A streaming result keeps its statement open, and with it the connection busy.
  TestDatabase::Run(*writer_, "BEGIN");
  TestDatabase::Run(*writer_, "INSERT INTO t VALUES (1)");
  auto stream = writer_->SendQuery("SELECT * FROM range(1000000)");
  EXPECT_EQ(Check(), Validity::BusyWriter);
  stream.reset();
  TestDatabase::Run(*writer_, "ROLLBACK");
}

TEST_F(SnapshotTrackerTest, DatabasesAreTrackedApart) {
  TestFile file("tracked_apart");
  TestDatabase::Run(*writer_, "ATTACH '" + file.Path() + "' AS other");
  auto built_at = Snapshot("memory");
  TestDatabase::Run(*writer_, "CREATE TABLE other.t AS SELECT 1 i");
  EXPECT_EQ(Check(built_at), Validity::Valid);
  EXPECT_EQ(Check(0, "other"), Validity::WrittenSince);
  TestDatabase::Run(*writer_, "DETACH other");
}

TEST_F(SnapshotTrackerTest, ADatabaseAttachedUnderAnOldNameStartsAfresh) {
  TestFile first("first");
  TestFile second("second");
  TestDatabase::Run(*writer_, "ATTACH '" + first.Path() + "' AS other");
  TestDatabase::Run(*writer_, "CREATE TABLE other.t AS SELECT 1 i");
  TestDatabase::Run(*writer_, "DETACH other");
  TestDatabase::Run(*writer_, "ATTACH '" + second.Path() + "' AS other");
  EXPECT_EQ(Check(Snapshot("other"), "other"), Validity::Valid);
  TestDatabase::Run(*writer_, "CREATE TABLE other.t AS SELECT 2 i");
  EXPECT_EQ(Check(0, "other"), Validity::WrittenSince);
  TestDatabase::Run(*writer_, "DETACH other");
}

TEST(SnapshotTrackerLoad, ATransactionThatWasOpenAtLoadIsAThreatUntilItEnds) {
  duckdb::DuckDB database(nullptr);
  duckdb::Connection early(database);
  duckdb::Connection reader(database);
  TestDatabase::Run(early, "CREATE TABLE t AS SELECT 1 i");
  TestDatabase::Run(early, "BEGIN");
  TestDatabase::Run(early, "INSERT INTO t VALUES (2)");
  Register(*database.instance);
  auto check = [&](Moment* built_at) {
    auto validity = Validity::Valid;
    reader.context->RunFunctionInTransaction([&] {
      auto& context = *reader.context;
      auto memory = duckdb::DatabaseManager::Get(context).GetDatabase(context, "memory");
      if (*built_at == 0) {
        *built_at = SnapshotOf(context, *memory);
      }
      validity = Instance::Get(context)->tracker->Check(context, *memory, *built_at);
    });
    return validity;
  };
  Moment built_at = 0;
  EXPECT_EQ(check(&built_at), Validity::BusyWriter);
  TestDatabase::Run(early, "COMMIT");
  EXPECT_EQ(check(&built_at), Validity::WrittenSince);
  built_at = 0;
  EXPECT_EQ(check(&built_at), Validity::Valid);
}

}  // namespace
}  // namespace margay::integration
