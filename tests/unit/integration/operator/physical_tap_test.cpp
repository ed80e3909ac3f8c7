// Taps: when a device reads rows that DuckDB gives, and what becomes of these rows.
#include "integration/operator/physical_tap.hpp"

#include <gtest/gtest.h>

#include "device/fault_injection.hpp"
#include "test_database.hpp"

namespace margay::integration {
namespace {

constexpr const char* kJoin =
    "SELECT g, count(*), sum(n) FROM t JOIN range(100) r(n) ON v = n GROUP BY g ORDER BY g";

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class PhysicalTapTest : public ::testing::Test {
 protected:
  PhysicalTapTest() {
    database_.Run(
        "CREATE TABLE t AS SELECT i k, i % 7 g, (i % 1000)::INTEGER v FROM range(300000) r(i)");
    database_.Run("CREATE TABLE small AS SELECT i::INTEGER id, i % 3 w FROM range(50) r(i)");
  }
  ~PhysicalTapTest() override { device::FaultInjection::Reset(); }

  void SetMode(const std::string& mode) { database_.Run("SET margay_mode = '" + mode + "'"); }

  uint64_t OnDevice() { return database_.Counter("device_executions"); }

  //! The plan without line breaks in its texts.
  std::string Explain(const std::string& query) {
    return database_.Query("EXPLAIN (FORMAT JSON) " + query);
  }

  //! Runs a query in auto mode until the device answers it; all answers must be right.
  void ExpectOnDeviceInTheEnd(const std::string& query) {
    SetMode("auto");
    const std::string expected = database_.Reference(query);
    for (int i = 0; i < 20; i++) {
      const uint64_t before = OnDevice();
      ASSERT_EQ(database_.Query(query), expected);
      if (OnDevice() > before) {
        return;
      }
      database_.State().builder.WaitUntilIdle();
    }
    FAIL() << database_.Query("EXPLAIN " + query);
  }

  //! Bytes of rows that operators keep.
  std::string KeptBytes() {
    return database_.Query(
        "SELECT memory_usage_bytes FROM duckdb_memory() WHERE tag = 'COLUMN_DATA'");
  }

  TestDatabase database_;
};

TEST_F(PhysicalTapTest, AutoModeJoinsATableWithRowsOfDuckDB) {
  ExpectOnDeviceInTheEnd(kJoin);
  EXPECT_GE(database_.Counter("private_images_built"), 1U);
  EXPECT_EQ(database_.Counter("runtime_fallbacks"), 0U);
  ExpectOnDeviceInTheEnd(
      "SELECT g, sum(n) FROM t JOIN (SELECT id, row_number() OVER (PARTITION BY w ORDER BY id) n "
      "FROM small) ON v = id GROUP BY g ORDER BY g");
  ExpectOnDeviceInTheEnd(
      "SELECT m, count(*) FROM t JOIN (SELECT w, median(id)::BIGINT m FROM small GROUP BY w) "
      "ON g = w GROUP BY m ORDER BY m");
}

TEST_F(PhysicalTapTest, AutoModeLeavesToDuckDBWhatDoesNotPay) {
  const std::string plan = Explain("SELECT count(*) FROM t JOIN range(400000) r(n) ON k = n");
  EXPECT_TRUE(Contains(plan, "DuckDB: DuckDB would have to hand over about 400000 rows")) << plan;
  const std::string alone =
      Explain("SELECT sum(n) FROM (SELECT row_number() OVER (ORDER BY v) n FROM t)");
  EXPECT_TRUE(Contains(alone, "DuckDB: all rows come from DuckDB")) << alone;
}

TEST_F(PhysicalTapTest, ExplainShowsTheBorderAndWhyItIsThere) {
  SetMode("force");
  const std::string plan = Explain(kJoin);
  EXPECT_TRUE(Contains(plan, "MARGAY_TAP")) << plan;
  EXPECT_TRUE(Contains(plan, "the table function range is not supported yet")) << plan;
  EXPECT_TRUE(Contains(plan, "RANGE")) << plan;
  const std::string profile = database_.Query(std::string("EXPLAIN ANALYZE ") + kJoin);
  EXPECT_TRUE(Contains(profile, "DuckDB, whose rows")) << profile;
  EXPECT_EQ(OnDevice(), 1U);
}

TEST_F(PhysicalTapTest, RowsAreDroppedAfterTheQuery) {
  SetMode("force");
  auto statement = database_.Connection().Prepare(
      "SELECT count(*), sum(n) FROM t JOIN range(200000) r(n) ON k = n");
  for (int i = 0; i < 2; i++) {
    ASSERT_FALSE(statement->Execute()->HasError());
    EXPECT_EQ(KeptBytes(), "0");
  }
  EXPECT_EQ(OnDevice(), 2U);
}

TEST_F(PhysicalTapTest, ASubtreeRunsOnceThoughTheDeviceFails) {
  database_.Run("CREATE SEQUENCE numbers");
  SetMode("force");
  const std::string answer = database_.Query(
      "SELECT sum(n * 9223372036854775807 + v) FROM t "
      "JOIN (SELECT nextval('numbers') n FROM range(50)) ON v = n");
  EXPECT_TRUE(Contains(answer, "Out of Range")) << answer;
  EXPECT_EQ(database_.Counter("runtime_fallbacks"), 1U);
  EXPECT_EQ(database_.Query("SELECT nextval('numbers')"), "51");
}

TEST_F(PhysicalTapTest, FiltersOfJoinsInAnEarlierExecutionAreGone) {
  database_.Run("CREATE TEMPORARY TABLE probe AS SELECT i % 500 x FROM range(200000) r(i)");
  auto statement =
      database_.Connection().Prepare("SELECT count(*), sum(w) FROM probe JOIN small ON x = id");
  auto execute = [&](const std::string& mode) {
    SetMode(mode);
    auto result = statement->Execute();
    EXPECT_FALSE(result->HasError()) << result->GetError();
    return result->Fetch()->GetValue(0, 0).ToString();
  };
  EXPECT_EQ(execute("off"), "20000");
  database_.Run("INSERT INTO small SELECT i, 0 FROM range(50, 400) r(i)");
  EXPECT_EQ(execute("force"), "160000");
  EXPECT_EQ(OnDevice(), 1U);
}

TEST_F(PhysicalTapTest, InterruptsEndTheCollectionOfRows) {
  SetMode("force");
  auto& connection = database_.Connection();
  std::thread interrupter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    connection.Interrupt();
  });
  const std::string answer =
      database_.Query("SELECT count(*) FROM t JOIN range(100000000000) r(n) ON k = n");
  interrupter.join();
  EXPECT_TRUE(Contains(answer, "INTERRUPT")) << answer;
  EXPECT_EQ(database_.Query(kJoin), database_.Reference(kJoin));
}

}  // namespace
}  // namespace margay::integration
