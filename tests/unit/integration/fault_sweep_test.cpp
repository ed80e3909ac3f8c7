// Every device call of TPC-H Q1 and Q6, of a join with groups, also by a partitioned hash table, of
// the first rows of a join, of a union, of a join with rows of DuckDB, and of long texts in an
// order is made to fail in turn, and the device to be lost at it. In auto mode DuckDB must then
// give the right answer; in force mode the answer is right or the error names the cause; and after
// each fault the next query works.
#include "fault_sweep.hpp"

#include <gtest/gtest.h>

namespace margay::integration {
namespace {

constexpr const char* kQ1 =
    "SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice), "
    "sum(l_extendedprice * (1 - l_discount)), sum(l_extendedprice * (1 - l_discount) * (1 + "
    "l_tax)), "
    "avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*) FROM lineitem "
    "WHERE l_shipdate <= DATE '1998-09-02' GROUP BY ALL ORDER BY ALL";
constexpr const char* kQ6 =
    "SELECT sum(l_extendedprice * l_discount) FROM lineitem WHERE l_shipdate >= DATE '1994-01-01' "
    "AND l_shipdate < DATE '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24";
//! Two build sides, one with keys that repeat.
constexpr const char* kJoin =
    "SELECT s_nation, count(*), sum(l_quantity * v_weight) FROM lineitem "
    "JOIN supplier ON l_suppkey = s_suppkey JOIN visit ON s_suppkey = v_suppkey "
    "WHERE s_balance > 10 AND l_shipdate >= DATE '1998-01-01' GROUP BY ALL ORDER BY ALL";
//! Rows that come in several batches.
constexpr const char* kTop =
    "SELECT l_quantity, l_extendedprice, s_nation, l_suppkey FROM lineitem "
    "JOIN supplier ON l_suppkey = s_suppkey WHERE l_discount > 0.02 "
    "ORDER BY s_nation DESC, l_extendedprice, l_quantity, l_suppkey LIMIT 300 OFFSET 5";

//! Rows that are kept on the device.
constexpr const char* kUnion =
    "SELECT name, count(*), sum(v) FROM (SELECT s_nation AS name, s_balance AS v FROM supplier "
    "UNION ALL SELECT l_returnflag, l_quantity FROM lineitem WHERE l_discount > 0.05) "
    "GROUP BY ALL ORDER BY ALL";

//! Texts that are compared with the strings of a dictionary, and ordered by more than their words.
constexpr const char* kText =
    "SELECT e_body, e_number FROM essay WHERE e_title > e_kind AND e_number % 3 <> 1 "
    "ORDER BY e_body DESC, e_number LIMIT 40 OFFSET 3";

//! Two taps: rows that DuckDB gives, once as a build side.
constexpr const char* kTap =
    "SELECT s_nation, count(*), sum(l_quantity * n), min(label) FROM lineitem "
    "JOIN supplier ON l_suppkey = s_suppkey JOIN range(250) r(n) ON l_suppkey = n "
    "JOIN (VALUES (0, 'none'), (10, 'ten'), (20, NULL)) v(balance, label) ON s_balance = balance "
    "GROUP BY ALL ORDER BY ALL";

struct Sweep {
  const char* name;
  const char* query;
  const char* mode;
  Fault fault;
  bool is_cold = false;  //!< the image is built anew, so that its device calls fail too
  const char* join_method = "auto";
};

class FaultSweepTest : public ::testing::TestWithParam<Sweep> {
 protected:
  FaultSweepTest() {
    database_.Run(
        "CREATE TABLE lineitem AS SELECT ['A', 'N', 'R'][1 + i % 3] l_returnflag, "
        "['F', 'O'][1 + i % 2] l_linestatus, (1 + hash(i) % 50)::DECIMAL(15,2) l_quantity, "
        "(900 + hash(i * 3) % 100000)::DECIMAL(15,2) l_extendedprice, "
        "(hash(i * 5) % 11 / 100)::DECIMAL(15,2) l_discount, "
        "(hash(i * 7) % 9 / 100)::DECIMAL(15,2) l_tax, "
        "DATE '1992-01-01' + (hash(i * 11) % 2500)::INTEGER l_shipdate, "
        "(hash(i * 13) % 300)::INTEGER l_suppkey FROM range(70000) r(i)");
    database_.Run(
        "CREATE TABLE supplier AS SELECT i::INTEGER s_suppkey, 'nation ' || i % 5 s_nation, "
        "(i % 100)::DECIMAL(15,2) s_balance FROM range(200) r(i)");
    database_.Run(
        "CREATE TABLE visit AS SELECT (hash(i) % 250)::INTEGER v_suppkey, i % 7 v_weight "
        "FROM range(500) r(i)");
    database_.Run(
        "CREATE TABLE essay AS SELECT i AS e_number, 'title ' || i AS e_title, "
        "'title ' || i % 3 AS e_kind, repeat('the same words ', 12) || i % 200 AS e_body "
        "FROM range(3000) r(i)");
    database_.Run("SET margay_min_rows = 1");
    database_.Run("SET margay_dictionary_strings = 8");
  }
  ~FaultSweepTest() override { device::FaultInjection::Reset(); }

  TestDatabase database_;
};

TEST_P(FaultSweepTest, EveryCall) {
  const Sweep& sweep = GetParam();
  database_.Run("SET margay_join_method = '" + std::string(sweep.join_method) + "'");
  FaultSweep{sweep.query, sweep.mode, sweep.fault, sweep.is_cold}.Run(database_);
}

INSTANTIATE_TEST_SUITE_P(
    Queries, FaultSweepTest,
    testing::Values(Sweep{"Q1ForceFails", kQ1, "force", Fault::OutOfResources},
                    Sweep{"Q1ForceMemory", kQ1, "force", Fault::OutOfMemory},
                    Sweep{"Q1ForceLost", kQ1, "force", Fault::Loss},
                    Sweep{"Q1ColdForceFails", kQ1, "force", Fault::OutOfResources, true},
                    Sweep{"Q1ColdForceLost", kQ1, "force", Fault::Loss, true},
                    Sweep{"Q1AutoFails", kQ1, "auto", Fault::OutOfResources},
                    Sweep{"Q1AutoLost", kQ1, "auto", Fault::Loss},
                    Sweep{"Q6ForceFails", kQ6, "force", Fault::OutOfResources},
                    Sweep{"Q6ForceLost", kQ6, "force", Fault::Loss},
                    Sweep{"Q6ColdForceFails", kQ6, "force", Fault::OutOfResources, true},
                    Sweep{"Q6ColdForceLost", kQ6, "force", Fault::Loss, true},
                    Sweep{"Q6AutoFails", kQ6, "auto", Fault::OutOfResources},
                    Sweep{"Q6AutoLost", kQ6, "auto", Fault::Loss},
                    Sweep{"JoinForceFails", kJoin, "force", Fault::OutOfResources},
                    Sweep{"JoinForceMemory", kJoin, "force", Fault::OutOfMemory},
                    Sweep{"JoinForceLost", kJoin, "force", Fault::Loss},
                    Sweep{"JoinColdForceFails", kJoin, "force", Fault::OutOfResources, true},
                    Sweep{"JoinColdForceLost", kJoin, "force", Fault::Loss, true},
                    Sweep{"UnionForceFails", kUnion, "force", Fault::OutOfResources},
                    Sweep{"UnionForceMemory", kUnion, "force", Fault::OutOfMemory},
                    Sweep{"UnionAutoLost", kUnion, "auto", Fault::Loss},
                    Sweep{"PartitionedForceFails", kJoin, "force", Fault::OutOfResources, false,
                          "partitioned_hash"},
                    Sweep{"PartitionedForceMemory", kJoin, "force", Fault::OutOfMemory, false,
                          "partitioned_hash"},
                    Sweep{"PartitionedColdForceLost", kJoin, "force", Fault::Loss, true,
                          "partitioned_hash"},
                    Sweep{"PartitionedAutoFails", kJoin, "auto", Fault::OutOfResources, false,
                          "partitioned_hash"},
                    Sweep{"TextForceFails", kText, "force", Fault::OutOfResources},
                    Sweep{"TextForceMemory", kText, "force", Fault::OutOfMemory},
                    Sweep{"TextColdForceLost", kText, "force", Fault::Loss, true},
                    Sweep{"TextAutoLost", kText, "auto", Fault::Loss},
                    Sweep{"TopForceFails", kTop, "force", Fault::OutOfResources},
                    Sweep{"TopForceMemory", kTop, "force", Fault::OutOfMemory},
                    Sweep{"TopForceLost", kTop, "force", Fault::Loss},
                    Sweep{"TopAutoFails", kTop, "auto", Fault::OutOfResources},
                    Sweep{"TopAutoLost", kTop, "auto", Fault::Loss},
                    Sweep{"TapForceFails", kTap, "force", Fault::OutOfResources},
                    Sweep{"TapForceMemory", kTap, "force", Fault::OutOfMemory},
                    Sweep{"TapForceLost", kTap, "force", Fault::Loss},
                    Sweep{"TapAutoFails", kTap, "auto", Fault::OutOfResources},
                    Sweep{"TapAutoMemory", kTap, "auto", Fault::OutOfMemory},
                    Sweep{"TapAutoLost", kTap, "auto", Fault::Loss},
                    Sweep{"JoinAutoFails", kJoin, "auto", Fault::OutOfResources},
                    Sweep{"JoinAutoLost", kJoin, "auto", Fault::Loss}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

}  // namespace
}  // namespace margay::integration
