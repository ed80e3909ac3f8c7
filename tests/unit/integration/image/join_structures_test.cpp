// Join tables that are kept with the images of their tables.

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "test_database.hpp"

namespace margay::integration {
namespace {

class JoinStructuresTest : public ::testing::Test {
 protected:
  JoinStructuresTest() {
    database_.Run(
        "CREATE TABLE line AS SELECT (hash(i) % 60000)::INTEGER head, i % 10 g, i v "
        "FROM range(300000) r(i)");
    database_.Run(
        "CREATE TABLE head AS SELECT i::INTEGER id, (i % 100)::INTEGER w, 'name ' || i % 7 AS name "
        "FROM range(50000) r(i)");
    database_.Run("SET GLOBAL margay_mode = 'force'");
  }

  void ExpectSame(const std::string& query) {
    EXPECT_EQ(database_.Query(query), database_.Reference(query)) << query;
  }
  std::string Kept() {
    return database_.Query(
        "SELECT \"table\", \"column\", encoding, rows, bytes > 0, build_ms > 0 FROM margay_cache() "
        "WHERE kind = 'join table' ORDER BY ALL");
  }
  uint64_t Built() { return database_.Counter("structures_built"); }
  uint64_t Reused() { return database_.Counter("structures_reused"); }

  static constexpr const char* kQuery =
      "SELECT count(*), sum(v), sum(w) FROM line JOIN head ON head = id";

  TestDatabase database_;
};

TEST_F(JoinStructuresTest, OneIsMadeAndServesOtherQueries) {
  ExpectSame(kQuery);
  EXPECT_EQ(Kept(), "head|id|direct|50000|true|true");
  EXPECT_EQ(Built(), 1);
  EXPECT_EQ(Reused(), 0);
  ExpectSame(kQuery);
  ExpectSame(
      "SELECT g, count(*), min(w) FROM line LEFT JOIN head ON id = head GROUP BY g ORDER BY g");
  ExpectSame("SELECT g, sum(w) FROM line, head WHERE id = head GROUP BY g ORDER BY g");
  EXPECT_EQ(Built(), 1);
  EXPECT_EQ(Reused(), 3);
  auto other = database_.Connect();
  EXPECT_EQ(TestDatabase::Query(*other, kQuery), database_.Reference(kQuery));
  EXPECT_EQ(Built(), 1);
  EXPECT_EQ(Reused(), 4);
  // Another key is another table.
  ExpectSame("SELECT count(*), sum(v), sum(w) FROM line JOIN head ON head = id + 1");
  EXPECT_EQ(Built(), 2);
  EXPECT_EQ(Kept(), "head|(id + 1)|direct|50000|true|true\nhead|id|direct|50000|true|true");
}

TEST_F(JoinStructuresTest, EveryMethodIsKept) {
  const char* semi = "SELECT count(*), sum(g) FROM line WHERE head IN (SELECT id FROM head)";
  for (int run = 0; run < 2; run++) {
    ExpectSame(semi);
    for (const char* method : {"direct", "hash", "partitioned_hash", "rank_bitmap"}) {
      database_.Run(std::string("SET margay_join_method = '") + method + "'");
      ExpectSame(kQuery);
      ExpectSame(semi);
    }
    database_.Run("RESET margay_join_method");
  }
  EXPECT_EQ(Kept(),
            "head|id|bitmap|50000|true|true\nhead|id|direct|50000|true|true\n"
            "head|id|hash|50000|true|true\nhead|id|partitioned_hash|50000|true|true\n"
            "head|id|rank_bitmap|50000|true|true");
  EXPECT_EQ(Built(), 5);
  EXPECT_EQ(Reused(), 13);
}

TEST_F(JoinStructuresTest, ExplainAnalyzeSaysWhereItCameFrom) {
  ExpectSame(kQuery);
  const std::string plan = database_.Query(std::string("EXPLAIN ANALYZE ") + kQuery);
  EXPECT_NE(plan.find("1 from the cache, 0 built"), std::string::npos) << plan;
}

TEST_F(JoinStructuresTest, AChangeOutdatesIt) {
  ExpectSame(kQuery);
  database_.Run("INSERT INTO head VALUES (55000, 1, 'new')");
  ExpectSame(kQuery);
  database_.Run("UPDATE head SET id = id + 1 WHERE w = 5");
  ExpectSame(kQuery);
  database_.Run("ALTER TABLE head ALTER id TYPE BIGINT");
  ExpectSame(kQuery);
  EXPECT_EQ(Built(), 4);
  EXPECT_EQ(Reused(), 0);
  database_.Run("BEGIN");
  database_.Run("DELETE FROM head WHERE id < 20000");
  ExpectSame(kQuery);
  database_.Run("ROLLBACK");
  ExpectSame(kQuery);
}

TEST_F(JoinStructuresTest, ItIsEvictedWithTheRest) {
  ExpectSame(kQuery);
  EXPECT_NE(database_.Query("CALL margay_evict()"), "0");
  EXPECT_EQ(Kept(), "");
  ExpectSame(kQuery);
  EXPECT_EQ(Built(), 2);
}

TEST_F(JoinStructuresTest, LittleMemoryMakesRoomForOthers) {
  // Room for one query at a time: 1.2 MB and 0.2 MB of keys, 0.2 MB per join table.
  database_.Run(
      "CREATE TABLE wide AS SELECT (i * 17 % 60000)::INTEGER head FROM range(300000) r(i)");
  const std::string other = "SELECT count(*), sum(w) FROM wide JOIN head ON head = id + 2";
  database_.Run("SET GLOBAL margay_device_memory = '4MB'");
  for (int i = 0; i < 3; i++) {
    ExpectSame(kQuery);
    ExpectSame(other);
  }
}

TEST_F(JoinStructuresTest, UniqueSidesAreLookedUp) {
  // DuckDB would build on the few rows of `line`; a table of the unique keys is there already.
  ExpectSame(kQuery);
  ExpectSame("SELECT count(*), sum(w) FROM head JOIN line ON id = head WHERE g = 3 AND v < 1000");
  ExpectSame(
      "SELECT name, count(*), sum(v) FROM head JOIN line ON id = head WHERE g = 3 AND w < 50 "
      "AND v < 1000 GROUP BY name ORDER BY name");
  EXPECT_EQ(Built(), 1);
  EXPECT_EQ(Reused(), 2);
}

TEST_F(JoinStructuresTest, SeveralConnectionsAtOnce) {
  const std::string expected = database_.Reference(kQuery);
  for (int round = 0; round < 3; round++) {
    database_.Query("CALL margay_evict()");
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) {
      threads.emplace_back([&] {
        auto connection = database_.Connect();
        EXPECT_EQ(TestDatabase::Query(*connection, kQuery), expected);
      });
    }
    for (auto& thread : threads) {
      thread.join();
    }
  }
}

}  // namespace
}  // namespace margay::integration
