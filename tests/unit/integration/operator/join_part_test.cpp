// Joins above parts, which pass filters into their scans while they run, and joins inside parts.

#include <gtest/gtest.h>

#include "device/fault_injection.hpp"
#include "integration/operator/physical_part.hpp"
#include "test_database.hpp"

namespace margay::integration {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class JoinPartTest : public ::testing::Test {
 protected:
  JoinPartTest() {
    database_.Run(
        "CREATE TABLE fact AS SELECT i k, (i * 7 % 1000)::INTEGER v, i % 10 g "
        "FROM range(200000) r(i)");
    // Only the flags change in these tests: DuckDB's prepared statements keep what they have
    // learnt from statistics.
    database_.Run(
        "CREATE TABLE dimension AS SELECT i::INTEGER id, (i % 1000 < 500)::INTEGER flag, "
        "'name ' || i % 20 AS name FROM range(1000) r(i)");
    database_.Run("SET margay_tail_rows = 1000000");
  }
  ~JoinPartTest() override { device::FaultInjection::Reset(); }

  void SetMode(const std::string& mode) { database_.Run("SET margay_mode = '" + mode + "'"); }

  //! Other rows of the dimension take part, at the other end of the range of keys.
  void FlipFlags() { database_.Run("UPDATE dimension SET flag = 1 - flag"); }

  static std::string Execute(duckdb::PreparedStatement& statement) {
    auto result = statement.Execute();
    if (result->HasError()) {
      return "error: " + result->GetError();
    }
    std::string text;
    for (auto chunk = result->Fetch(); chunk && chunk->size() > 0; chunk = result->Fetch()) {
      for (duckdb::idx_t row = 0; row < chunk->size(); row++) {
        text += text.empty() ? "" : "\n";
        for (duckdb::idx_t column = 0; column < chunk->ColumnCount(); column++) {
          text += (column == 0 ? "" : "|") + chunk->GetValue(column, row).ToString();
        }
      }
    }
    return text;
  }

  //! Executes a prepared statement again and again, on the device and in DuckDB, over changing
  //! data.
  void ExpectSameInAllModes(const std::string& query) {
    SCOPED_TRACE(query);
    auto statement = database_.Connection().Prepare(query);
    ASSERT_FALSE(statement->HasError()) << statement->GetError();
    for (const char* mode :
         {"off", "force", "off", "auto", "force", "force", "off", "auto", "force"}) {
      SCOPED_TRACE(mode);
      SetMode(mode);
      EXPECT_EQ(Execute(*statement), database_.Reference(query));
      FlipFlags();
      EXPECT_EQ(Execute(*statement), database_.Reference(query));
      database_.State().builder.WaitUntilIdle();
      EXPECT_EQ(Execute(*statement), database_.Reference(query));
    }
  }

  //! Runs the query in auto mode until nothing is left to be made ready for it.
  void Prepare(const std::string& query) {
    SetMode("auto");
    for (int i = 0; i < 4; i++) {
      EXPECT_EQ(database_.Query(query), database_.Reference(query));
      database_.State().builder.WaitUntilIdle();
    }
  }

  TestDatabase database_;
};

TEST_F(JoinPartTest, FiltersOfAJoinAboveAScanAreHints) {
  const std::string query =
      "SELECT count(*), sum(v), sum(k) FROM fact "
      "JOIN (SELECT id, max(flag) f FROM dimension WHERE flag = 1 GROUP BY id) d "
      "ON v = id AND hash(v) = hash(id)";
  SetMode("force");
  auto before = database_.Counter("device_executions");
  EXPECT_EQ(database_.Query(query), database_.Reference(query));
  EXPECT_EQ(database_.Counter("device_executions"), before + 3)
      << "both inputs of the join, and the aggregate above it";
  ExpectSameInAllModes(query);
}

TEST_F(JoinPartTest, FiltersOfAJoinAboveAnAggregateAreHints) {
  const std::string query =
      "SELECT count(*), sum(n), sum(s) FROM (SELECT v, count(*) n, sum(k) s FROM fact GROUP BY v) "
      "JOIN dimension ON v = id AND hash(v) = hash(id) WHERE flag = 1";
  SetMode("force");
  auto before = database_.Counter("device_executions");
  EXPECT_EQ(database_.Query(query), database_.Reference(query));
  EXPECT_EQ(database_.Counter("device_executions"), before + 3)
      << "both inputs of the join, and the aggregate above it";
  ExpectSameInAllModes(query);
}

TEST_F(JoinPartTest, FiltersOfATopNAreHints) {
  ExpectSameInAllModes(
      "SELECT id, count(*) c, max(name) FROM dimension WHERE flag = 1 GROUP BY id "
      "ORDER BY id LIMIT 5");
  ExpectSameInAllModes(
      "SELECT id, count(*) c FROM dimension WHERE flag = 1 GROUP BY id "
      "ORDER BY id DESC NULLS FIRST LIMIT 5");
}

TEST_F(JoinPartTest, FiltersHoldInDuckDBAfterTheDeviceFailed) {
  const std::string query =
      "SELECT count(*), sum(n), sum(s) FROM (SELECT v, count(*) n, sum(k) s FROM fact GROUP BY v) "
      "JOIN dimension ON v = id AND hash(v) = hash(id) WHERE flag = 1";
  auto statement = database_.Connection().Prepare(query);
  for (int i = 0; i < 4; i++) {
    FlipFlags();
    // Changes count per database, so that all columns have to be encoded again.
    SetMode("force");
    database_.Query(query);
    SetMode("auto");
    constexpr int kOutOfResources = -5;
    auto fallbacks = database_.Counter("runtime_fallbacks");
    device::FaultInjection::FailCall(2, kOutOfResources);
    auto answer = Execute(*statement);
    device::FaultInjection::Reset();
    EXPECT_EQ(answer, database_.Reference(query));
    EXPECT_EQ(database_.Counter("runtime_fallbacks"), fallbacks + 1);
    EXPECT_EQ(Execute(*statement), database_.Reference(query));
  }
}

TEST_F(JoinPartTest, AJoinIsOnePart) {
  const std::string query =
      "SELECT name, count(*), sum(k) FROM fact JOIN dimension ON v = id WHERE flag = 1 "
      "GROUP BY name";
  auto plan = database_.Query("EXPLAIN " + query);
  EXPECT_TRUE(Contains(plan, "SCAN fact, JOIN INNER")) << plan;
  EXPECT_TRUE(Contains(plan, "(SCAN dimension, FILTER)")) << plan;
  Prepare(query + " ORDER BY name");
  EXPECT_EQ(database_.Query("SELECT \"table\", \"column\" FROM margay_cache() ORDER BY ALL"),
            "dimension|flag\ndimension|id\ndimension|name\nfact|k\nfact|v");
}

TEST_F(JoinPartTest, ExplainNamesTheMethodOfEachJoin) {
  const std::string query =
      "SELECT count(*), sum(k), min(d.name) FROM fact JOIN dimension d ON v = d.id "
      "SEMI JOIN dimension e ON fact.v = e.id AND e.flag = 1 WHERE k < (SELECT max(id) FROM "
      "dimension)";
  const auto expect = [&](const std::string& methods) {
    EXPECT_EQ(database_.Query(query), database_.Reference(query));
    for (const char* explain : {"EXPLAIN ", "EXPLAIN ANALYZE "}) {
      std::string plan = database_.Query(explain + query);
      EXPECT_TRUE(Contains(plan, "Join methods")) << plan;
      for (const std::string& method : duckdb::StringUtil::Split(methods, ", "))
        EXPECT_TRUE(Contains(plan, method)) << method << " in " << plan;
    }
  };
  SetMode("force");
  expect("dimension: direct, dimension: bitmap, the groups: nested_loop");
  database_.Run("SET margay_join_method = 'hash'");
  expect("dimension: hash, the groups: nested_loop");
  database_.Run("SET margay_join_method = 'partitioned_hash'");
  expect("dimension: partitioned_hash, the groups: nested_loop");
  database_.Run("SET margay_join_method = 'nested_loop'");
  expect("dimension: nested_loop, the groups: nested_loop");
}

// DuckDB gives these joins one predicate, and would run nested loops.
TEST_F(JoinPartTest, EqualitiesWithinAPredicateAreKeys) {
  SetMode("force");
  for (const char* join : {"LEFT JOIN dimension d ON v = id AND g < 4",
                           "RIGHT JOIN dimension d ON v = id AND flag = 1",
                           "SEMI JOIN dimension d ON v = id AND (g < 4 OR flag = 1)",
                           "ANTI JOIN dimension d ON v = id AND g < 4"}) {
    const std::string query = std::string("SELECT count(*), sum(k) FROM fact ") + join;
    EXPECT_EQ(database_.Query(query), database_.Reference(query));
    const std::string plan = database_.Query("EXPLAIN " + query);
    EXPECT_TRUE(Contains(plan, "Join methods")) << plan;
    EXPECT_FALSE(Contains(plan, "nested_loop")) << plan;
  }
}

// Where joins make several rows of one, work-items of the lanes share their groups, and read the
// rows of 128-bit extremes twice.
TEST_F(JoinPartTest, RowsOfWideExtremesAreCountedOnce) {
  database_.Run(
      "CREATE TABLE wide AS SELECT i % 1000 AS v, i % 7 AS g, "
      "(hash(i) % 5)::HUGEINT * 18446744073709551616 + hash(i + 1) AS h FROM range(150000) r(i)");
  const std::string query =
      "SELECT g, min(h), max(h), count(*) FROM wide JOIN (SELECT id % 500 AS id FROM dimension) "
      "ON v = id GROUP BY g ORDER BY g";
  SetMode("force");
  const auto second_passes = [&] {
    return database_.Query("SELECT count(*) FROM margay_kernels() WHERE source LIKE '%is_second%'");
  };
  for (const std::string shape : {"loop", "lanes"}) {
    database_.Run("SET margay_shape = '" + shape + "'");
    const std::string passes = second_passes();
    EXPECT_EQ(database_.Query(query), database_.Reference(query));
    EXPECT_EQ(second_passes() != passes, shape == "lanes");
    // The join table is kept from here on, and the 7 groups are read to be ordered.
    const uint64_t before = database_.Counter("rows_read");
    database_.Query(query);
    EXPECT_EQ(database_.Counter("rows_read"), before + 150007);
  }
}

TEST_F(JoinPartTest, LargeHashTablesArePartitioned) {
  database_.Run(
      "CREATE TABLE large AS SELECT (hash(i) >> 1)::BIGINT id, i v FROM range(4194304) r(i)");
  database_.Run("CREATE TABLE few AS SELECT (hash(i * 3) >> 1)::BIGINT id FROM range(200000) r(i)");
  SetMode("force");
  const auto expect = [&](const std::string& build, const std::string& shape, bool is_partitioned) {
    database_.Run("SET margay_shape = '" + shape + "'");
    const std::string query =
        "SELECT count(*), sum(b.v) FROM few LEFT JOIN " + build + " b ON few.id = b.id";
    EXPECT_EQ(database_.Query(query), database_.Reference(query));
    const std::string plan = database_.Query("EXPLAIN " + query);
    EXPECT_TRUE(Contains(plan, is_partitioned ? "large: partitioned_hash" : "large: hash")) << plan;
  };
  expect("large", "loop", true);
  expect("(FROM large WHERE v < 1000000)", "loop", false);
  expect("large", "lanes", false);
}

TEST_F(JoinPartTest, SegmentsWithoutKeysOfTheBuildSideAreSkipped) {
  SetMode("force");
  for (const char* shape : {"loop", "lanes"}) {
    database_.Run(std::string("SET margay_shape = '") + shape + "'");
    const auto expect = [&](const std::string& filter, int skipped) {
      // The keys of 200,000 rows are sorted: four segments.
      const std::string query =
          "SELECT count(*), sum(v) FROM fact SEMI JOIN (SELECT id * 150 AS id FROM dimension "
          "WHERE " +
          filter + ") d ON k = d.id";
      EXPECT_EQ(database_.Query(query), database_.Reference(query));
      std::string plan = database_.Query("EXPLAIN ANALYZE " + query);
      EXPECT_TRUE(Contains(plan, std::to_string(skipped) + " of 5")) << plan;
    };
    expect("flag = 1 AND id < 5", 3);
    expect("flag = 0 AND id > 700", 2);
    expect("flag = 1 AND id > 600", 4);
    expect("flag >= 0 AND name < 'z'", 1);
  }
}

TEST_F(JoinPartTest, FewRowsAreLookedUpInATableThatIsNotScanned) {
  SetMode("force");
  const std::string query =
      "SELECT count(*), sum(v) FROM fact JOIN (SELECT id * 150 AS id FROM dimension WHERE flag = "
      "1) d "
      "ON k = d.id";
  EXPECT_EQ(database_.Query(query), database_.Reference(query));
  // The join table is kept from here on.
  const uint64_t before = database_.Counter("rows_read");
  database_.Query(query);
  EXPECT_LT(database_.Counter("rows_read"), before + 10'000) << "the fact table has 200,000 rows";
}

TEST_F(JoinPartTest, LongNestedLoopsAreLeftToDuckDB) {
  const auto explain = [&](const std::string& build) {
    return database_.Query("EXPLAIN SELECT count(*) FROM fact JOIN " + build + " ON fact.v < b.v");
  };
  SetMode("auto");
  EXPECT_TRUE(Contains(explain("(SELECT k, v FROM fact) b"), "without an"));
  EXPECT_FALSE(Contains(explain("(SELECT max(v) AS v FROM fact) b"), "without an"));
}

TEST_F(JoinPartTest, EveryJoinInEveryMode) {
  for (const char* query : {
           "SELECT count(*), sum(k) FROM fact JOIN dimension ON v = id WHERE flag = 1",
           "SELECT count(*), count(name), sum(k) FROM fact "
           "LEFT JOIN (SELECT * FROM dimension WHERE flag = 1) ON v = id",
           "SELECT count(*), count(k), min(name) FROM (SELECT * FROM dimension WHERE flag = 1) "
           "LEFT JOIN fact ON v = id + 600",
           "SELECT count(*), sum(k) FROM fact WHERE v IN "
           "(SELECT id FROM dimension WHERE flag = 1)",
           "SELECT count(*), sum(k) FROM fact ANTI JOIN "
           "(SELECT * FROM dimension WHERE flag = 1) ON v = id AND g > id % 10",
           "SELECT count(*), sum(a.id) FROM dimension a JOIN dimension b "
           "ON a.id = b.id + 1 AND a.flag <> b.flag",
       }) {
    SCOPED_TRACE(query);
    auto statement = database_.Connection().Prepare(query);
    for (const char* mode : {"off", "auto", "off", "auto", "auto"}) {
      SetMode(mode);
      EXPECT_EQ(Execute(*statement), database_.Reference(query));
      FlipFlags();
      EXPECT_EQ(Execute(*statement), database_.Reference(query));
      database_.State().builder.WaitUntilIdle();
      EXPECT_EQ(Execute(*statement), database_.Reference(query));
    }
  }
}

TEST_F(JoinPartTest, TheLargestTableDecidesAboutTheSize) {
  const std::string query = "SELECT sum(k) FROM fact JOIN dimension ON v = id WHERE flag = 1";
  database_.Run("SET margay_min_rows = 200000");
  EXPECT_FALSE(Contains(database_.Query("EXPLAIN " + query), "margay_min_rows"));
  database_.Run("SET margay_min_rows = 200001");
  EXPECT_TRUE(Contains(database_.Query("EXPLAIN " + query), "margay_min_rows"));
}

TEST_F(JoinPartTest, ATableIsReadOnceForAllOfItsScans) {
  const std::string query =
      "SELECT sum(a.k) FROM fact a JOIN fact b ON a.k = b.k + 1 WHERE a.v < 500 AND b.g = 3";
  Prepare(query);
  EXPECT_EQ(database_.Counter("images_built"), 1U);
  EXPECT_EQ(database_.Counter("columns_built"), 3U);
}

TEST_F(JoinPartTest, APartDoesNotHoldOnToATableThatChanged) {
  const std::string query = "SELECT sum(k) FROM fact JOIN dimension ON v = id WHERE flag = 1";
  Prepare(query);
  std::weak_ptr<const storage::ColumnImage> of_dimension;
  for (const CachedColumn& column : database_.State().images.List()) {
    if (column.table == "dimension") {
      of_dimension = column.image;
    }
  }
  ASSERT_FALSE(of_dimension.expired());
  FlipFlags();
  SetMode("force");
  database_.Query("SELECT sum(flag) FROM dimension");
  EXPECT_TRUE(of_dimension.expired());
}

}  // namespace
}  // namespace margay::integration
