#include "integration/image/image_cache.hpp"

#include <gtest/gtest.h>

#include "duckdb/main/appender.hpp"
#include "test_database.hpp"

namespace margay::integration {
namespace {

constexpr const char* kQuery = "SELECT count(*), sum(v), min(v), max(v) FROM t WHERE k % 3 = 1";

//! Every change of a table must be seen by the next query on the device.
class ImageCacheTest : public ::testing::Test {
 protected:
  ImageCacheTest() {
    database_.Run("CREATE TABLE t AS SELECT i k, (i * 7) % 1000 v FROM range(200000) r(i)");
    database_.Run("SET margay_mode = 'force'");
    ExpectDeviceAnswer(database_.Connection());
  }

  //! The device answers, and as DuckDB would.
  void ExpectDeviceAnswer(duckdb::Connection& connection, const std::string& query = kQuery) {
    auto before = database_.Counter("device_executions");
    std::string answer = TestDatabase::Query(connection, query);
    EXPECT_EQ(answer, TestDatabase::Reference(connection, query)) << query;
    EXPECT_EQ(database_.Counter("device_executions"), before + 1)
        << query << " ran on the device: " << answer;
  }

  TestDatabase database_;
};

TEST_F(ImageCacheTest, ColumnsAreEncodedOnce) {
  auto columns = database_.Counter("columns_built");
  ExpectDeviceAnswer(database_.Connection());
  auto other = database_.Connect();
  TestDatabase::Run(*other, "SET margay_mode = 'force'");
  ExpectDeviceAnswer(*other);
  EXPECT_EQ(database_.Counter("columns_built"), columns);
  EXPECT_EQ(database_.Counter("images_built"), 1U);
}

TEST_F(ImageCacheTest, MissingColumnsJoinTheImage) {
  ExpectDeviceAnswer(database_.Connection(), "SELECT sum(k) FROM t");
  EXPECT_EQ(database_.Counter("images_built"), 1U);
  EXPECT_EQ(database_.Query("SELECT \"column\", rows FROM margay_cache() ORDER BY 1"),
            "k|200000\nv|200000");
}

TEST_F(ImageCacheTest, EveryKindOfWriteIsSeen) {
  for (const char* change :
       {"UPDATE t SET v = v + 1 WHERE k = 4", "INSERT INTO t VALUES (4, 5000)",
        "DELETE FROM t WHERE k = 7", "CHECKPOINT", "ALTER TABLE t ADD COLUMN w INTEGER DEFAULT 3",
        "ALTER TABLE t RENAME COLUMN w TO x", "ALTER TABLE t DROP COLUMN x",
        "ALTER TABLE t ALTER COLUMN v TYPE BIGINT USING v + 1",
        "CREATE OR REPLACE TABLE t AS SELECT i k, i v FROM range(150000) r(i)", "TRUNCATE t"}) {
    SCOPED_TRACE(change);
    database_.Run(change);
    ExpectDeviceAnswer(database_.Connection());
  }
}

TEST_F(ImageCacheTest, ATableOfTheSameNameIsAnotherTable) {
  database_.Run("DROP TABLE t");
  database_.Run("CREATE TABLE t AS SELECT i + 1 k, i v FROM range(200000) r(i)");
  ExpectDeviceAnswer(database_.Connection());
  database_.Run("ALTER TABLE t RENAME TO u");
  database_.Run("CREATE TABLE t AS SELECT i k, -i v FROM range(1000) r(i)");
  ExpectDeviceAnswer(database_.Connection());
}

TEST_F(ImageCacheTest, AnAppenderIsSeen) {
  duckdb::Appender appender(database_.Connection(), "t");
  appender.AppendRow(static_cast<int64_t>(1), static_cast<int64_t>(123456));
  appender.Close();
  ExpectDeviceAnswer(database_.Connection());
}

TEST_F(ImageCacheTest, OwnChangesAreReadPrivately) {
  auto other = database_.Connect();
  TestDatabase::Run(*other, "SET margay_mode = 'force'");
  database_.Run("BEGIN");
  database_.Run("UPDATE t SET v = 0 WHERE k < 1000");
  database_.Run("INSERT INTO t SELECT 1, 77 FROM range(5000)");
  database_.Run("DELETE FROM t WHERE k BETWEEN 2000 AND 3000");
  auto shared = database_.Counter("images_built");
  ExpectDeviceAnswer(database_.Connection());
  EXPECT_EQ(database_.Counter("private_images_built"), 1U);
  EXPECT_EQ(database_.Counter("images_built"), shared);
  ExpectDeviceAnswer(*other);
  database_.Run("ROLLBACK");
  ExpectDeviceAnswer(database_.Connection());
  ExpectDeviceAnswer(*other);
}

TEST_F(ImageCacheTest, AnOldSnapshotIsReadPrivately) {
  auto other = database_.Connect();
  TestDatabase::Run(*other, "SET margay_mode = 'force'");
  TestDatabase::Run(*other, "BEGIN");
  ExpectDeviceAnswer(*other);
  database_.Run("DELETE FROM t WHERE k < 5000");
  ExpectDeviceAnswer(database_.Connection());
  ExpectDeviceAnswer(*other);
  TestDatabase::Run(*other, "COMMIT");
  ExpectDeviceAnswer(*other);
}

TEST_F(ImageCacheTest, TemporaryTablesAreNotKept) {
  database_.Run("CREATE TEMP TABLE s AS SELECT i FROM range(200000) r(i)");
  EXPECT_EQ(database_.Query("SELECT i + 1 FROM s LIMIT 1"), "1");
  for (const char* mode : {"force", "auto"}) {
    database_.Run("SET margay_mode = '" + std::string(mode) + "'");
    EXPECT_EQ(database_.Query("SELECT sum(i) FROM s"), "19999900000");
    EXPECT_EQ(database_.Query("SELECT count(*) FROM margay_cache() WHERE \"table\" = 's'"), "0");
  }
}

TEST_F(ImageCacheTest, AnotherFileUnderTheSameNameIsAnotherDatabase) {
  TestFile first("first");
  TestFile second("second");
  for (const auto* file : {&first, &second, &first}) {
    database_.Run("ATTACH '" + file->Path() + "' AS a");
    database_.Run("CREATE OR REPLACE TABLE a.t AS SELECT i, " + std::to_string(file == &first) +
                  " j FROM range(100000) r(i)");
    ExpectDeviceAnswer(database_.Connection(), "SELECT sum(i), sum(j) FROM a.t");
    database_.Run("DETACH a");
  }
}

TEST_F(ImageCacheTest, EvictionGivesTheMemoryBack) {
  EXPECT_NE(database_.Query("FROM margay_evict()"), "0");
  EXPECT_EQ(database_.Query("SELECT count(*) FROM margay_cache()"), "0");
  EXPECT_EQ(database_.Query("SELECT count(*) FROM margay_kernels()"), "0");
  EXPECT_EQ(database_.Query("FROM margay_evict()"), "0");
  ExpectDeviceAnswer(database_.Connection());
}

TEST_F(ImageCacheTest, ConnectionsShareOneBuild) {
  database_.Run("FROM margay_evict()");
  auto columns = database_.Counter("columns_built");
  std::vector<std::thread> threads;
  std::string expected = database_.Reference(kQuery);
  for (int i = 0; i < 6; i++) {
    threads.emplace_back([&] {
      auto connection = database_.Connect();
      TestDatabase::Run(*connection, "SET margay_mode = 'force'");
      EXPECT_EQ(TestDatabase::Query(*connection, kQuery), expected);
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(database_.Counter("columns_built"), columns + 2);
}

TEST_F(ImageCacheTest, ImagesYieldToDuckDBsMemoryNeeds) {
  database_.Run("SET threads = 2");
  database_.Run("SET memory_limit = '150MB'");
  database_.Run("CREATE TABLE large AS SELECT i, hash(i) h FROM range(2000000) r(i)");
  ExpectDeviceAnswer(database_.Connection(), "SELECT sum(i) FROM large WHERE h > 5");
  // Needs most of the limit: DuckDB gets what the images hold.
  std::string distinct = "SELECT count(DISTINCT i + (h & 1)::BIGINT) FROM large";
  EXPECT_EQ(database_.Reference(distinct).find("error"), std::string::npos);
  ExpectDeviceAnswer(database_.Connection(), "SELECT sum(i) FROM large WHERE h > 5");
}

TEST_F(ImageCacheTest, WritersAndReadersAtTheSameTimeGetTheirSnapshots) {
  database_.Run("CREATE TABLE pairs AS SELECT i k, 0 a, 0 b FROM range(100000) r(i)");
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    auto connection = database_.Connect();
    for (int i = 1; !stop; i++) {
      auto value = std::to_string(i);
      TestDatabase::Run(*connection, "UPDATE pairs SET a = " + value + ", b = " + value +
                                         " WHERE k % 100 = " + std::to_string(i % 100));
      std::this_thread::sleep_for(std::chrono::milliseconds(i % 7));
    }
  });
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; i++) {
    readers.emplace_back([&] {
      auto connection = database_.Connect();
      TestDatabase::Run(*connection, "SET margay_mode = 'force'");
      for (int j = 0; j < 15; j++) {
        EXPECT_EQ(TestDatabase::Query(*connection,
                                      "SELECT count(*), sum(a) - sum(b) FROM pairs WHERE k >= 0"),
                  "100000|0");
      }
    });
  }
  for (auto& reader : readers) {
    reader.join();
  }
  stop = true;
  writer.join();
}

}  // namespace
}  // namespace margay::integration
