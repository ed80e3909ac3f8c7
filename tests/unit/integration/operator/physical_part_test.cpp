#include "integration/operator/physical_part.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "device/fault_injection.hpp"
#include "duckdb/storage/buffer_manager.hpp"
#include "test_database.hpp"

namespace margay::integration {
namespace {

constexpr const char* kQuery = "SELECT g, count(*), sum(v) FROM t GROUP BY g ORDER BY g";

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

//! Of one that was admitted together with others: waits until another wants to be alone, or is
//! done.
void WaitUntilOneHasToBeAlone(schedule::Admission& admission, const std::atomic<bool>& is_done) {
  while (!is_done && admission.TryEnterTogether()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class PhysicalPartTest : public ::testing::Test {
 protected:
  PhysicalPartTest() {
    database_.Run(
        "CREATE TABLE t AS SELECT i k, i % 7 g, (i % 1000)::INTEGER v, 'text ' || (i % 50) s "
        "FROM range(300000) r(i)");
  }
  ~PhysicalPartTest() override { device::FaultInjection::Reset(); }

  void Force() { database_.Run("SET margay_mode = 'force'"); }

  uint64_t OnDevice() { return database_.Counter("device_executions"); }
  uint64_t InDuckDB() { return database_.Counter("duckdb_executions"); }

  //! The plan without line breaks in its texts.
  std::string Explain(const std::string& query) {
    return database_.Query("EXPLAIN (FORMAT JSON) " + query);
  }

  //! Waits until a query that DuckDB answers at first runs on the device.
  ::testing::AssertionResult RunsOnDeviceInTheEnd(const std::string& query) {
    for (int i = 0; i < 20; i++) {
      auto before = OnDevice();
      database_.Query(query);
      if (OnDevice() > before) {
        return ::testing::AssertionSuccess();
      }
      database_.State().builder.WaitUntilIdle();
    }
    return ::testing::AssertionFailure() << database_.Query("EXPLAIN " + query);
  }

  TestDatabase database_;
};

TEST_F(PhysicalPartTest, ForceModeRunsOnTheDevice) {
  Force();
  EXPECT_EQ(database_.Query(kQuery), database_.Reference(kQuery));
  EXPECT_EQ(OnDevice(), 1U);
}

//! Many groups: in tables that vectors can't fill.
TEST_F(PhysicalPartTest, RowsThatDoNotPassRaiseNoErrors) {
  Force();
  database_.Run("SET margay_shape = 'loop'");
  // Only rows that don't pass would leave the type.
  for (const char* query : {"SELECT v, sum(k) FROM t WHERE g < 3 GROUP BY v ORDER BY v",
                            "SELECT v, sum((k * 10000)::INTEGER) FROM t WHERE k < 100000 "
                            "GROUP BY v ORDER BY v"}) {
    EXPECT_EQ(database_.Query(query), database_.Reference(query)) << query;
  }
  EXPECT_EQ(database_.Counter("runtime_fallbacks"), 0U);
}

TEST_F(PhysicalPartTest, StringsComeBack) {
  Force();
  std::string groups = "SELECT s, count(*) FROM t WHERE k < 200000 GROUP BY s ORDER BY s";
  EXPECT_EQ(database_.Query(groups), database_.Reference(groups));
  database_.Run("SET margay_tail_rows = 1000000");
  std::string rows = "SELECT s, k FROM t WHERE v = 999";
  EXPECT_EQ(database_.Query(rows), database_.Reference(rows));
}

TEST_F(PhysicalPartTest, PartsAreFoundAgainByWhatTheyMean) {
  Force();
  const auto generated = [&](const std::string& query) {
    const uint64_t before = database_.Counter("parts_lowered");
    EXPECT_EQ(database_.Query(query), database_.Reference(query)) << query;
    return database_.Counter("parts_lowered") - before;
  };
  const std::string like = "SELECT g, count(*) FROM t WHERE s LIKE '%3' GROUP BY g ORDER BY g";
  database_.Query(like);  // has no image to begin with
  EXPECT_EQ(generated(like), 0U);
  EXPECT_EQ(generated("SELECT g, count(*) FROM t WHERE s LIKE '%4' GROUP BY g ORDER BY g"), 1U);
  // Written alike, but of another type.
  for (const std::string type : {"DECIMAL(18,1)", "DOUBLE", "DECIMAL(4,1)", "FLOAT"}) {
    const std::string value =
        "CASE WHEN s = 'text 7' THEN 1.5::" + type + " ELSE 2.5::" + type + " END";
    generated("SELECT " + value + " AS c, count(*) FROM t GROUP BY c ORDER BY c");
    generated("SELECT CASE WHEN k < 9 THEN 1.5::" + type + " ELSE 2.5::" + type +
              " END AS c, count(*) FROM t GROUP BY c ORDER BY c");
  }
  for (const std::string type : {"INTEGER", "BIGINT", "SMALLINT"}) {
    EXPECT_EQ(generated("SELECT CASE WHEN s = 'text 7' THEN 1::" + type + " ELSE 2::" + type +
                        " END AS c, count(*) FROM t GROUP BY c ORDER BY c"),
              1U);
  }
}

TEST_F(PhysicalPartTest, PartsOutliveTheConnectionTheyWereMadeFor) {
  database_.Run("CREATE TABLE u AS SELECT i, 'text number ' || i AS s FROM range(100000) r(i)");
  const std::vector<std::string> queries = {
      "SELECT g, count(*) FROM t WHERE s LIKE '%3%' OR upper(s) = 'TEXT 7' GROUP BY g ORDER BY g",
      // The host computes these functions of the result's texts when it has them.
      "SELECT replace(s, 'text', 'a text') FROM u WHERE i < 5"};
  for (int i = 0; i < 3; i++) {
    const std::unique_ptr<duckdb::Connection> connection = database_.Connect();
    database_.Run(*connection, "SET margay_mode = 'force'");
    database_.Run(*connection, "SET margay_tail_rows = 1000000");
    for (const std::string& query : queries) {
      const uint64_t before = OnDevice();
      EXPECT_EQ(database_.Query(*connection, query), database_.Reference(*connection, query));
      EXPECT_EQ(OnDevice(), before + 1) << query;
    }
  }
}

TEST_F(PhysicalPartTest, TextColumns) {
  Force();
  database_.Run("CREATE TABLE u AS SELECT i, 'text number ' || i AS s FROM range(100000) r(i)");
  database_.Run("SET margay_tail_rows = 1000000");
  std::string count = "SELECT count(*), sum(length(s)) FROM u WHERE s LIKE '%number%77%'";
  EXPECT_EQ(database_.Query(count), database_.Reference(count));
  std::string rows = "SELECT i, s FROM u WHERE s LIKE '%99'";
  EXPECT_EQ(database_.Query(rows), database_.Reference(rows));
  EXPECT_EQ(OnDevice(), 2U);
  auto profile = database_.Query("EXPLAIN ANALYZE " + count);
  EXPECT_TRUE(Contains(profile, "text, 4 bytes")) << profile;
  EXPECT_EQ(database_.Query("SELECT encoding, width FROM margay_cache() WHERE \"column\" = 's'"),
            "text|4");
  auto refused = database_.Query("SELECT count(*) FROM u WHERE ascii(s) = 116");
  EXPECT_TRUE(Contains(refused, "s has too many different strings for a dictionary")) << refused;
}

TEST_F(PhysicalPartTest, OffModeLeavesEverythingToDuckDB) {
  database_.Run("SET margay_mode = 'off'");
  database_.Query(kQuery);
  EXPECT_EQ(OnDevice(), 0U);
  EXPECT_TRUE(Contains(database_.Query(std::string("EXPLAIN ") + kQuery), "margay_mode = off"));
}

TEST_F(PhysicalPartTest, AutoModeAnswersAtOnceAndRunsOnTheDeviceInTheEnd) {
  auto expected = database_.Reference(kQuery);
  EXPECT_EQ(database_.Query(kQuery), expected);
  EXPECT_TRUE(RunsOnDeviceInTheEnd(kQuery));
  EXPECT_EQ(database_.Query(kQuery), expected);
  EXPECT_GE(database_.Counter("background_jobs"), 1U);
  database_.Run("INSERT INTO t SELECT * FROM t WHERE k < 10");
  expected = database_.Reference(kQuery);
  EXPECT_EQ(database_.Query(kQuery), expected);
}

TEST_F(PhysicalPartTest, AutoModeLeavesSmallTablesToDuckDB) {
  database_.Run("SET margay_min_rows = 1000000");
  database_.Query(kQuery);
  database_.State().builder.WaitUntilIdle();
  EXPECT_EQ(database_.Counter("background_jobs"), 0U);
  auto plan = database_.Query(std::string("EXPLAIN ") + kQuery);
  EXPECT_TRUE(Contains(plan, "margay_min_rows")) << plan;
  EXPECT_TRUE(Contains(plan, "SEQ_SCAN") || Contains(plan, "TABLE_SCAN")) << plan;
}

TEST_F(PhysicalPartTest, AutoModeLeavesPartsWithoutAnAggregateToDuckDB) {
  auto plan = Explain("SELECT v FROM t WHERE k < 10");
  EXPECT_TRUE(Contains(plan, "DuckDB: the query gives rows as they are")) << plan;
  plan = Explain("SELECT sum(v), median(v) FROM t");
  EXPECT_TRUE(Contains(plan, "DuckDB: the aggregate function median is not supported yet")) << plan;
}

TEST_F(PhysicalPartTest, PreparedStatementsFollowTheMode) {
  auto expected = database_.Reference(kQuery);
  Force();
  auto statement = database_.Connection().Prepare(kQuery);
  auto execute = [&] {
    auto result = statement->Execute();
    EXPECT_FALSE(result->HasError()) << result->GetError();
    return result->Fetch() != nullptr;
  };
  EXPECT_TRUE(execute());
  EXPECT_TRUE(execute());
  EXPECT_EQ(OnDevice(), 2U);
  database_.Run("SET margay_mode = 'off'");
  EXPECT_TRUE(execute());
  EXPECT_EQ(OnDevice(), 2U);
  Force();
  database_.Run("DELETE FROM t WHERE k < 1000");
  EXPECT_TRUE(execute());
  EXPECT_EQ(OnDevice(), 3U);
}

TEST_F(PhysicalPartTest, ExplainShowsTheDecision) {
  Force();
  std::string explain = std::string("EXPLAIN ") + kQuery;
  auto plan = database_.Query(explain);
  EXPECT_TRUE(Contains(plan, "device")) << plan;
  EXPECT_FALSE(Contains(plan, "HASH_GROUP_BY") || Contains(plan, "PERFECT_HASH")) << plan;
  EXPECT_EQ(database_.Counter("columns_built"), 0U);
  database_.Query(kQuery);
  auto analyzed = database_.Query(std::string("EXPLAIN ANALYZE ") + kQuery);
  EXPECT_TRUE(Contains(analyzed, "Kernel time")) << analyzed;
  EXPECT_TRUE(Contains(analyzed, "Rows in")) << analyzed;
  EXPECT_TRUE(Contains(analyzed, "t into groups: ")) << analyzed;
  EXPECT_TRUE(Contains(analyzed, "Host time")) << analyzed;
  EXPECT_TRUE(Contains(analyzed, "enqueue")) << analyzed;
  EXPECT_EQ(OnDevice(), 2U);
}

TEST_F(PhysicalPartTest, ExplainShowsTheProgramWhereThatIsAsked) {
  Force();
  EXPECT_FALSE(Contains(Explain(kQuery), "program shape="));
  database_.Run("SET margay_explain_program = true");
  EXPECT_TRUE(Contains(Explain(kQuery), "from estimated statistics:"));
  EXPECT_EQ(database_.Counter("columns_built"), 0U);
  database_.Query(kQuery);
  const std::string plan = Explain(kQuery);
  EXPECT_TRUE(Contains(plan, "from exact statistics:")) << plan;
  EXPECT_TRUE(Contains(plan, "program shape=loop")) << plan;
  EXPECT_TRUE(Contains(plan, "accumulator fold=")) << plan;
}

TEST_F(PhysicalPartTest, ExplainShowsPartsInsideStatements) {
  Force();
  database_.Run("CREATE TABLE sums (total HUGEINT)");
  for (const char* statement :
       {"CREATE TABLE made AS SELECT sum(v) FROM t", "INSERT INTO sums SELECT sum(v) FROM t",
        "COPY (SELECT sum(v) FROM t) TO '/dev/null'"}) {
    const std::string plan = Explain(statement);
    EXPECT_TRUE(Contains(plan, R"("Margay": "device)")) << statement << plan;
  }
  EXPECT_EQ(OnDevice(), 0U);
}

TEST_F(PhysicalPartTest, ExplainSaysWhatIsAboveThePart) {
  auto plan = Explain("SELECT sum(v) FROM t");
  EXPECT_TRUE(Contains(plan, R"("Above it in DuckDB": "PROJECTION")")) << plan;
  EXPECT_FALSE(Contains(plan, "not supported")) << plan;
  plan = Explain("SELECT sum(v), median(v) FROM t");
  EXPECT_TRUE(Contains(plan, R"("Above it in DuckDB": "AGGREGATE, PROJECTION")")) << plan;
  EXPECT_TRUE(Contains(plan, R"("Reason": "the aggregate function median is not supported yet")"))
      << plan;
}

TEST_F(PhysicalPartTest, ForceModeNamesWhatItCanNotDo) {
  Force();
  auto answer = database_.Query("SELECT g, quantile_cont(v, 0.5) FROM t GROUP BY g");
  EXPECT_TRUE(Contains(answer, "margay_mode = force: ")) << answer;
  EXPECT_FALSE(Contains(database_.Query("EXPLAIN SELECT quantile_cont(v, 0.5) FROM t"), "error:"));
  EXPECT_EQ(database_.Query("SELECT 1 + 1"), "2");
}

TEST_F(PhysicalPartTest, ForceModeLeavesTemporaryTablesToDuckDB) {
  database_.Run("CREATE TEMP TABLE few AS SELECT i FROM range(5) r(i)");
  Force();
  EXPECT_EQ(database_.Query("SELECT i FROM few ORDER BY i LIMIT 2"), "0\n1");
  EXPECT_EQ(database_.Query("SELECT median(i) FROM few"), "2.0");
  const std::string plan = Explain("FROM few");
  EXPECT_TRUE(Contains(plan, R"("Runs in": "DuckDB")")) << plan;
  EXPECT_TRUE(Contains(plan, "the temporary table few is not supported yet")) << plan;
}

TEST_F(PhysicalPartTest, ExplainShowsTheErrorsOfForceMode) {
  const std::string median = "SELECT sum(v), median(v) FROM t";
  const std::string sample = "SELECT sum(v) FROM t TABLESAMPLE 50%";
  EXPECT_FALSE(Contains(Explain(median), "error"));
  EXPECT_TRUE(Contains(Explain(sample), R"("Runs in": "DuckDB")"));
  Force();
  auto plan = Explain(median);
  const std::string error =
      "the aggregate function median is not supported yet, so that DuckDB would run AGGREGATE, "
      "PROJECTION over more than margay_tail_rows = 10000 rows";
  EXPECT_TRUE(Contains(plan, "error, if the estimate of 300000 rows is right: " + error)) << plan;
  EXPECT_TRUE(Contains(database_.Query(median), "margay_mode = force: " + error));
  plan = Explain(sample);
  EXPECT_TRUE(Contains(plan, R"("Runs in": "no engine: margay_mode = force makes this an error")"))
      << plan;
  database_.Run("SET margay_tail_rows = 300000");
  EXPECT_FALSE(Contains(Explain(median), "error"));
}

TEST_F(PhysicalPartTest, TailsAreLimited) {
  Force();
  database_.Run("SET margay_tail_rows = 5");
  const std::string query =
      "SELECT *, row_number() OVER (ORDER BY g) FROM (" + std::string(kQuery) + ")";
  auto answer = database_.Query(query);
  EXPECT_TRUE(Contains(answer, "WINDOW")) << answer;
  EXPECT_TRUE(Contains(answer, "over more than margay_tail_rows = 5 rows")) << answer;
  database_.Run("SET margay_tail_rows = 7");
  EXPECT_EQ(database_.Query(query), database_.Reference(query));
}

TEST_F(PhysicalPartTest, AnArithmeticFaultIsAnsweredByDuckDB) {
  database_.Run("CREATE TABLE edge AS SELECT 9223372036854775807 - i v FROM range(200000) r(i)");
  Force();
  std::string query = "SELECT sum(v + 100000) FROM edge WHERE v < 9223372036854700000";
  EXPECT_EQ(database_.Query(query), database_.Reference(query));
  query = "SELECT max(v + 100000) FROM edge";
  auto answer = database_.Query(query);
  EXPECT_TRUE(Contains(answer, "Overflow")) << answer;
  EXPECT_EQ(answer, database_.Reference(query));
  EXPECT_GE(database_.Counter("runtime_fallbacks"), 1U);
}

TEST_F(PhysicalPartTest, ADeviceThatFailsIsAnErrorInForceModeAndDuckDBsTaskInAutoMode) {
  auto expected = database_.Reference(kQuery);
  ASSERT_TRUE(RunsOnDeviceInTheEnd(kQuery));
  constexpr int kOutOfResources = -5;
  auto fallbacks = database_.Counter("runtime_fallbacks");
  device::FaultInjection::FailCall(2, kOutOfResources);
  EXPECT_EQ(database_.Query(kQuery), expected);
  EXPECT_EQ(database_.Counter("runtime_fallbacks"), fallbacks + 1);
  device::FaultInjection::Reset();
  Force();
  device::FaultInjection::FailCall(2, kOutOfResources);
  auto answer = database_.Query(kQuery);
  EXPECT_TRUE(Contains(answer, "margay_mode = force: ")) << answer;
  device::FaultInjection::Reset();
  EXPECT_EQ(database_.Query(kQuery), expected);
}

TEST_F(PhysicalPartTest, ALimitOfDeviceMemoryIsNamedWhereItIsReached) {
  Force();
  database_.Run("SET margay_device_memory = '1KB'");
  const std::string problem = database_.Query(kQuery);
  EXPECT_TRUE(Contains(problem, "margay_device_memory")) << problem;
  EXPECT_FALSE(Contains(problem, "memory_limit")) << problem;
  // Room for one of the two columns: their extents take turns.
  database_.Run("SET margay_device_memory = '700KB'");
  EXPECT_EQ(database_.Query(kQuery), database_.Reference(kQuery));
  EXPECT_GT(database_.Counter("extents_restored"), 0U);
  database_.Run("RESET margay_device_memory");
  EXPECT_EQ(database_.Query(kQuery), database_.Reference(kQuery));
}

TEST_F(PhysicalPartTest, LookingAtColumnsThatAreThereInPartForgetsNothing) {
  Force();
  database_.Run("SET margay_device_memory = '700KB'");
  const std::string expected = database_.Query(kQuery);
  const uint64_t built = database_.Counter("columns_built");
  database_.Run("SET margay_mode = 'auto'");
  database_.Query("EXPLAIN " + std::string(kQuery));
  Force();
  EXPECT_EQ(database_.Query(kQuery), expected);
  EXPECT_EQ(database_.Counter("columns_built"), built);
}

TEST_F(PhysicalPartTest, WhatFindsNoRoomBesideOthersRunsAlone) {
  Force();
  database_.Run("SET margay_device_memory = '2MB'");
  const std::string expected = database_.Query(kQuery);
  const auto place = database_.State().devices.List().at(0);
  auto ticket = place->admission->TryEnterTogether();
  std::optional<memory::ExtentPin> taken = place->pool->CreateZeroed(1'990'000);
  std::atomic<bool> is_answered{false};
  std::thread other([&] {
    WaitUntilOneHasToBeAlone(*place->admission, is_answered);
    taken.reset();
    ticket.reset();
  });
  EXPECT_EQ(database_.Query(kQuery), expected);
  is_answered = true;
  other.join();
  EXPECT_EQ(database_.Counter("executions_alone"), 1U);
}

TEST_F(PhysicalPartTest, LackOfDuckDBsMemoryBesideOthersIsTriedAgainAlone) {
  Force();
  const std::string query = "SELECT count(*), sum(v), sum(g) FROM t";
  const std::string expected = database_.Query(query);
  const auto place = database_.State().devices.List().at(0);
  if (!place->device->IsZeroCopy()) {
    GTEST_SKIP() << "memory_limit does not count what lies on the device";
  }
  database_.Run("FROM margay_evict()");
  database_.Run("SET temp_directory = ''");
  database_.Run("SET memory_limit = '100MB'");
  auto& manager = duckdb::BufferManager::GetBufferManager(*database_.Database().instance);
  constexpr size_t kLeft = 400'000;
  auto ticket = place->admission->TryEnterTogether();
  auto taken =
      place->pool->Allocator()->Allocate(manager.GetMaxMemory() - manager.GetUsedMemory() - kLeft);
  ASSERT_NE(taken->TryPin(), nullptr);
  std::atomic<bool> is_answered{false};
  std::thread other([&] {
    WaitUntilOneHasToBeAlone(*place->admission, is_answered);
    taken->Unpin();
    taken.reset();
    ticket.reset();
  });
  EXPECT_EQ(database_.Query(query), expected);
  is_answered = true;
  other.join();
  EXPECT_EQ(database_.Counter("executions_alone"), 1U);
}

TEST_F(PhysicalPartTest, AutoModeDoesNotWaitForOneThatIsAlone) {
  ASSERT_TRUE(RunsOnDeviceInTheEnd(kQuery));
  const auto place = database_.State().devices.List().at(0);
  const auto alone =
      place->admission->Enter(schedule::Admission::Kind::Alone, [] { return false; });
  const std::string expected = database_.Reference(kQuery);
  const uint64_t before = InDuckDB();
  EXPECT_EQ(database_.Query(kQuery), expected);
  EXPECT_EQ(InDuckDB(), before + 1);
  const std::string plan = database_.Query("EXPLAIN ANALYZE " + std::string(kQuery));
  EXPECT_TRUE(Contains(plan, "alone")) << plan;
}

TEST_F(PhysicalPartTest, NothingIsEncodedInTheBackgroundBesideOneThatIsAlone) {
  ASSERT_TRUE(RunsOnDeviceInTheEnd("SELECT sum(k) FROM t"));
  const auto place = database_.State().devices.List().at(0);
  auto alone = place->admission->Enter(schedule::Admission::Kind::Alone, [] { return false; });
  const uint64_t columns = database_.Counter("columns_built");
  const uint64_t jobs = database_.Counter("background_jobs");
  database_.Query(kQuery);
  while (database_.Counter("background_jobs") == jobs) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(database_.Counter("columns_built"), columns);
  alone.reset();
  database_.State().builder.WaitUntilIdle();
  EXPECT_EQ(database_.Counter("columns_built"), columns + 2);
}

TEST_F(PhysicalPartTest, TheCacheListsWhatItHoldsOfAColumn) {
  Force();
  const std::string held = "SELECT sum(bytes) FROM margay_cache() WHERE \"column\" = 'v'";
  database_.Run("SET margay_device_memory = '1MB'");
  EXPECT_EQ(database_.Query("SELECT sum(v) FROM t"), database_.Reference("SELECT sum(v) FROM t"));
  const std::string whole = database_.Query(held);
  database_.Run("SET margay_device_memory = '400KB'");
  EXPECT_EQ(database_.Query("SELECT sum(v) FROM t"), database_.Reference("SELECT sum(v) FROM t"));
  const std::string part = database_.Query(held);
  EXPECT_GT(std::stoull(part), 0U);
  EXPECT_LT(std::stoull(part), std::stoull(whole));
}

TEST_F(PhysicalPartTest, ALostDeviceIsOpenedAgain) {
  auto expected = database_.Reference(kQuery);
  Force();
  EXPECT_EQ(database_.Query(kQuery), expected);
  device::FaultInjection::LoseDeviceAtCall(2);
  EXPECT_TRUE(Contains(database_.Query(kQuery), "error"));
  device::FaultInjection::Reset();
  EXPECT_EQ(database_.Query(kQuery), expected);
  EXPECT_EQ(database_.Counter("devices_lost"), 1U);
}

TEST_F(PhysicalPartTest, FallbackUnderProfiling) {
  database_.Run("CREATE TABLE edge AS SELECT 9223372036854775807 - i v FROM range(200000) r(i)");
  Force();
  auto answer = database_.Query("EXPLAIN ANALYZE SELECT sum(v + 100000) FROM edge WHERE v < 0");
  EXPECT_FALSE(Contains(answer, "error")) << answer;
  answer = database_.Query("EXPLAIN ANALYZE SELECT max(v + 100000) FROM edge");
  EXPECT_TRUE(Contains(answer, "Overflow")) << answer;
}

TEST_F(PhysicalPartTest, InterruptsEndABuild) {
  database_.Run("CREATE TABLE large AS SELECT i, hash(i) h, i * 3 j FROM range(20000000) r(i)");
  Force();
  auto& connection = database_.Connection();
  std::thread interrupter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    connection.Interrupt();
  });
  auto answer = database_.Query("SELECT sum(i), sum(j), max(h) FROM large");
  interrupter.join();
  EXPECT_TRUE(Contains(answer, "INTERRUPT")) << answer;
  EXPECT_EQ(database_.Counter("columns_built"), 0U) << "the build went on to its end";
}

TEST_F(PhysicalPartTest, ManyConnectionsAtOnce) {
  auto expected = database_.Reference(kQuery);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; i++) {
    threads.emplace_back([&, i] {
      auto connection = database_.Connect();
      TestDatabase::Run(*connection,
                        i % 2 == 0 ? "SET margay_mode = 'force'" : "SET margay_mode = 'auto'");
      for (int j = 0; j < 10; j++) {
        EXPECT_EQ(TestDatabase::Query(*connection, kQuery), expected);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
}

TEST_F(PhysicalPartTest, ResultsOfManyRowsKeepTheTablesOrder) {
  Force();
  database_.Run("SET margay_tail_rows = 1000000");
  std::string query = "SELECT k, v FROM t WHERE v < 500";
  EXPECT_EQ(database_.Query(query), database_.Reference(query));
  std::string limited = "SELECT k FROM t WHERE v = 3 LIMIT 10";
  EXPECT_EQ(database_.Query(limited), database_.Reference(limited));
}

TEST_F(PhysicalPartTest, ResultsFillTables) {
  Force();
  database_.Run("CREATE TABLE sums AS SELECT g, sum(v) s FROM t GROUP BY g");
  EXPECT_EQ(OnDevice(), 1U);
  EXPECT_EQ(database_.Reference("SELECT * FROM sums ORDER BY g"),
            database_.Reference("SELECT g, sum(v) FROM t GROUP BY g ORDER BY g"));
}

TEST(Settings, BadValuesAreRefusedWithTheGoodOnes) {
  TestDatabase database;
  EXPECT_TRUE(Contains(database.Query("SET margay_mode = 'on'"), "auto, force, off"));
  EXPECT_TRUE(Contains(database.Query("SET margay_shape = 'round'"), "auto, loop, lanes"));
  EXPECT_TRUE(Contains(database.Query("SET margay_device_memory = 'much'"), "4GB"));
  EXPECT_TRUE(Contains(database.Query("SET margay_device = 'no such device'"), "margay_device"));
  for (const char* value : {"'-1GB'", "'none'", "''", "'4'", "NULL"}) {
    EXPECT_TRUE(Contains(database.Query(std::string("SET margay_device_memory = ") + value), "4GB"))
        << value;
  }
  for (const char* setting : {"margay_min_rows", "margay_tail_rows", "margay_dictionary_strings"}) {
    for (const char* value : {"NULL", "'few'", "-1", "1.5", "''"}) {
      const std::string answer =
          database.Query("SET " + std::string(setting) + " = " + std::string(value));
      EXPECT_TRUE(Contains(answer, "must be a whole number, 0 or larger, not")) << answer;
    }
    database.Run("SET " + std::string(setting) + " = 12");
    EXPECT_EQ(database.Query("SELECT current_setting('" + std::string(setting) + "')"), "12");
    database.Run("SET " + std::string(setting) + " = 1e6");
    EXPECT_EQ(database.Query("SELECT current_setting('" + std::string(setting) + "')"), "1000000");
  }
  EXPECT_TRUE(Contains(database.Query("SET margay_explain_program = 'perhaps'"), "true, false"));
  for (const char* value : {"0", "1025", "NULL", "'some'"}) {
    EXPECT_TRUE(Contains(database.Query(std::string("SET margay_partitions = ") + value),
                         "must be a whole number, from 1 to 1024, not"))
        << value;
  }
  EXPECT_TRUE(Contains(database.Query("SET margay_cache_directory = NULL"), "name of a folder"));
  EXPECT_TRUE(Contains(database.Query("SET margay_cache_directory = '/dev/null/kernels'"),
                       "choose a folder that can be written to"));
  database.Run("SET margay_device_memory = 'AUTO'");
  database.Run("SET margay_device_memory = '2GB'");
  database.Run("SET margay_mode = 'FORCE'");
  EXPECT_EQ(database.Query("SELECT current_setting('margay_mode')"), "force");
  database.Run("RESET margay_mode");
  EXPECT_EQ(database.Query("SELECT current_setting('margay_mode')"), "auto");
}

TEST(Functions, ListWhatThereIs) {
  TestDatabase database;
  EXPECT_NE(database.Query("SELECT count(*) FROM margay_devices() WHERE usable"), "0");
  EXPECT_EQ(database.Query("SELECT count(*) FROM margay_cache()"), "0");
  EXPECT_EQ(database.Query("SELECT value FROM margay_counters() WHERE name = 'images_built'"), "0");
  database.Run(
      "CREATE TABLE t AS SELECT DATE '2020-01-01' + (i % 100)::INTEGER d, "
      "(i % 10)::DECIMAL(9, 2) n, CASE i % 3 WHEN 0 THEN NULL ELSE 'x' || i % 3 END s "
      "FROM range(1000) r(i)");
  database.Run("SET margay_mode = 'force'");
  EXPECT_EQ(database.Query("SELECT max(n) FROM t WHERE d < DATE '2020-03-01' AND s = 'x1'"),
            "9.00");
  EXPECT_EQ(database.Query("SELECT \"column\", nulls, min, max FROM margay_cache() ORDER BY 1"),
            "d|0|2020-01-01|2020-04-09\nn|0|0.00|9.00\ns|334|x1|x2");
  EXPECT_NE(database.Query("SELECT count(*) FROM margay_kernels()"), "0");
}

TEST(BackgroundBuilder, AClosedDatabaseIsNotKeptAlive) {
  TestFile file("closed");
  for (int i = 0; i < 8; i++) {
    duckdb::weak_ptr<duckdb::DatabaseInstance> instance;
    {
      TestDatabase database(file.Path());
      instance = database.Database().instance;
      database.Run("CREATE TABLE IF NOT EXISTS t AS SELECT i, hash(i) h FROM range(2000000) r(i)");
      database.Query("SELECT sum(i), max(h) FROM t");
      std::this_thread::sleep_for(std::chrono::milliseconds(i * 5));
    }
    EXPECT_TRUE(instance.expired()) << "a job must not keep the instance";
  }
}

TEST(BackgroundBuilder, AConnectionThatOutlivesItsDatabaseHandleMayWork) {
  auto database = std::make_unique<TestDatabase>();
  auto connection = database->Connect();
  database.reset();
  TestDatabase::Run(*connection, "CREATE TABLE t AS SELECT i FROM range(500000) r(i)");
  for (int i = 0; i < 3; i++) {
    EXPECT_EQ(TestDatabase::Query(*connection, "SELECT sum(i) FROM t"), "124999750000");
    Instance::Get(*connection->context)->builder.WaitUntilIdle();
  }
}

}  // namespace
}  // namespace margay::integration
