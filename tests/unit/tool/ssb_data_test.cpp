#include "ssb_data.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "session.hpp"
#include "ssb_rows.hpp"

namespace margay::tool {
namespace {

//! A folder of a test, removed with all that is in it.
class SsbDataTest : public testing::Test {
 protected:
  SsbDataTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("margay_ssb_" + std::to_string(getpid()))) {}
  ~SsbDataTest() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_;
};

TEST_F(SsbDataTest, MakesEachTableOnce) {
  SsbData data(folder_ / "ssb.db", 0.01);
  std::ostringstream progress;
  data.Require({"date"}, progress);
  data.Require(data.Tables(), progress);
  std::ostringstream nothing;
  data.Require(data.Tables(), nothing);
  EXPECT_EQ(nothing.str(), "");
  EXPECT_NE(progress.str().find("lineorder: 60,"), std::string::npos) << progress.str();

  SessionOptions options;
  options.database = data.Database().string();
  options.read_only = true;
  Session session(options);
  EXPECT_EQ(session.ExistingTables(),
            (std::set<std::string>{"customer", "date", "lineorder", "part", "supplier"}));
  auto value = [&](const std::string& sql) { return session.Query(sql).Text(0, 0); };
  EXPECT_EQ(value("SELECT count(*) FROM customer"), "300");
  EXPECT_EQ(value("SELECT count(*) FROM supplier"), "20");
  EXPECT_EQ(value("SELECT count(*) FROM part"), "2000");
  EXPECT_EQ(value("SELECT count(*) FROM date"), "2557");
  EXPECT_EQ(value("SELECT count(DISTINCT lo_orderkey) FROM lineorder"), "15000");
  EXPECT_EQ(value("SELECT (SELECT count(*) FROM lineorder) - count(*) FROM lineorder "
                  "JOIN customer ON lo_custkey = c_custkey JOIN supplier ON lo_suppkey = s_suppkey "
                  "JOIN part ON lo_partkey = p_partkey JOIN date o ON lo_orderdate = o.d_datekey "
                  "JOIN date c ON lo_commitdate = c.d_datekey"),
            "0");
  EXPECT_EQ(value("SELECT count(*) FROM lineorder "
                  "WHERE lo_revenue <> lo_extendedprice * (100 - lo_discount) // 100"),
            "0");
}

TEST_F(SsbDataTest, ThreadsAndPartsGiveTheSameRowsInTheSameOrder) {
  std::string rows[2];
  for (uint32_t threads : {1U, 4U}) {
    SessionOptions options;
    options.threads = threads;
    Session session(options);
    RegisterSsbRows(session.Database());
    if (threads == 1) {
      session.Query("CREATE TABLE t AS FROM ssb_rows('lineorder', 0.2, 1, 300000)");
    } else {
      session.Query("CREATE TABLE t AS FROM ssb_rows('lineorder', 0.2, 1, 1000)");
      session.Query("INSERT INTO t FROM ssb_rows('lineorder', 0.2, 1001, 300000)");
    }
    rows[threads == 1 ? 0 : 1] =
        session.Query("SELECT count(*) || ' ' || bit_xor(hash(rowid, t)) FROM t").Text(0, 0);
  }
  EXPECT_EQ(rows[0], rows[1]);
}

TEST_F(SsbDataTest, UnknownTablesAreAnError) {
  Session session({});
  RegisterSsbRows(session.Database());
  EXPECT_THROW(session.Query("FROM ssb_rows('nation', 1, 1, 1)"), SqlError);
}

}  // namespace
}  // namespace margay::tool
