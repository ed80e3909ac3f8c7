// The queries of tests/sql/tiny/tpch.test: some of them with faults of the device, and all of them
// on eight connections at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "fault_sweep.hpp"

namespace margay::integration {
namespace {

class TpchTest : public ::testing::Test {
 protected:
  TpchTest() {
    std::ifstream file("tests/sql/tiny/tpch.test");
    std::stringstream content;
    content << file.rdbuf();
    const std::string text = content.str();
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find("\n\n", begin), text.size());
      AddBlock(text.substr(begin, end - begin));
      begin = end + 2;
    }
    database_.Run("SET GLOBAL margay_min_rows = 1");
    database_.Run("SET GLOBAL margay_mode = 'force'");
  }
  ~TpchTest() override { device::FaultInjection::Reset(); }

  //! A block of the file: a statement is run, a query is kept.
  void AddBlock(const std::string& block) {
    const size_t line = block.find('\n');
    const std::string kind = block.substr(0, line), sql = block.substr(line + 1);
    if (kind == "statement ok") {
      database_.Run(sql);
    } else if (kind.starts_with("query")) {
      queries_.push_back(sql);
    }
  }

  //! All queries, in another order on each of them.
  void ExpectSameOnEightConnections() {
    ASSERT_EQ(queries_.size(), 22U);
    std::vector<std::string> expected;
    for (const std::string& query : queries_) {
      expected.push_back(database_.Reference(query));
    }
    const uint64_t before = database_.Counter("device_executions");
    std::vector<std::string> problems(8);
    std::vector<std::thread> threads;
    for (unsigned number = 0; number < problems.size(); number++) {
      threads.emplace_back([&, number] {
        const auto connection = database_.Connect();
        std::vector<size_t> order(queries_.size());
        for (size_t i = 0; i < order.size(); i++) {
          order[i] = i;
        }
        std::shuffle(order.begin(), order.end(), std::mt19937(number));
        for (const size_t query : order) {
          const std::string answer = TestDatabase::Query(*connection, queries_[query]);
          if (answer != expected[query]) {
            problems[number] += "Q" + std::to_string(query + 1) + ": " + answer + "\n";
          }
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    for (const std::string& problem : problems) {
      EXPECT_EQ(problem, "");
    }
    EXPECT_GE(database_.Counter("device_executions"), before + problems.size() * queries_.size());
  }

  TestDatabase database_;
  std::vector<std::string> queries_;  //!< Q1 is number 0
};

TEST_F(TpchTest, FaultsOfTheDevice) {
  ASSERT_EQ(queries_.size(), 22U);
  for (const size_t query : {2, 13, 15, 18, 21}) {
    for (const Fault fault : {Fault::OutOfResources, Fault::OutOfMemory, Fault::Loss}) {
      SCOPED_TRACE("Q" + std::to_string(query));
      FaultSweep{queries_[query - 1], "force", fault, false, 11}.Run(database_);
    }
    FaultSweep{queries_[query - 1], "auto", Fault::OutOfResources, false, 23}.Run(database_);
  }
}

TEST_F(TpchTest, EightConnections) {
  ExpectSameOnEightConnections();
}

TEST_F(TpchTest, EightConnectionsWithLittleMemory) {
  // Room for the largest query alone, but for few together: they have to give way to each other.
  for (const std::string& query : queries_) {
    database_.Query(query);
  }
  const uint64_t bytes = std::stoull(
      database_.Query("SELECT sum(bytes)::BIGINT FROM margay_cache() WHERE kind = 'column'"));
  database_.Run("SET GLOBAL margay_device_memory = '" + std::to_string(bytes / 3) + "B'");
  ExpectSameOnEightConnections();
  EXPECT_GT(database_.Counter("extents_restored"), 0U);
}

}  // namespace
}  // namespace margay::integration
