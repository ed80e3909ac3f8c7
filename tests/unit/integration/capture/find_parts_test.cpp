// What FindParts finds in DuckDB's optimized plans, as text: the plan of every part, the
// operators that stay above it, and the reasons for what is refused.

#include "integration/capture/find_parts.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/optimizer/optimizer_extension.hpp"
#include "integration/type_conversion.hpp"

namespace margay::integration {
namespace {

using State = plan::DictionaryResults::State;

//! What the hook found last.
struct Recorder : duckdb::OptimizerExtensionInfo {
  CaptureFindings findings;
};

void Record(duckdb::OptimizerExtensionInput& input,
            duckdb::unique_ptr<duckdb::LogicalOperator>& plan) {
  static_cast<Recorder&>(*input.info).findings = FindParts(input.context, plan);
}

std::string Joined(const std::vector<std::string>& items) {
  std::string result;
  for (const std::string& item : items) {
    result += (result.empty() ? "" : ", ") + item;
  }
  return result;
}

std::string Describe(const CaptureFindings& findings) {
  std::string result;
  for (const FoundPart& found : findings.parts) {
    result += found.part.plan->ToString() + "\n";
    if (!found.part.tails.empty()) {
      result += "tails " + Joined(found.part.tails) + "\n";
    }
    for (const CapturedTap& tap : found.part.taps) {
      result += "tap " + tap.reason + "\n";
    }
  }
  for (const FoundNote& note : findings.notes) {
    result += "note " + note.reason + "\n";
  }
  return result;
}

class CaptureTest : public testing::Test {
 protected:
  CaptureTest() : database_(nullptr), connection_(database_) {
    Run(R"(CREATE TABLE lineitem(
        l_orderkey BIGINT NOT NULL, l_partkey BIGINT NOT NULL, l_suppkey BIGINT NOT NULL,
        l_linenumber BIGINT NOT NULL, l_quantity DECIMAL(15,2) NOT NULL,
        l_extendedprice DECIMAL(15,2) NOT NULL, l_discount DECIMAL(15,2) NOT NULL,
        l_tax DECIMAL(15,2) NOT NULL, l_returnflag VARCHAR NOT NULL,
        l_linestatus VARCHAR NOT NULL, l_shipdate DATE NOT NULL, l_commitdate DATE NOT NULL,
        l_receiptdate DATE NOT NULL, l_shipinstruct VARCHAR NOT NULL,
        l_shipmode VARCHAR NOT NULL, l_comment VARCHAR NOT NULL))");
    Run(R"(INSERT INTO lineitem SELECT i, i % 200, i % 10, i % 7, 1 + i % 50, 900 + i,
        (i % 11) / 100.0, (i % 9) / 100.0, ['A', 'N', 'R'][1 + i % 3], ['F', 'O'][1 + i % 2],
        DATE '1992-01-01' + (i % 2500)::INTEGER, DATE '1992-01-01' + (i % 2400)::INTEGER,
        DATE '1992-01-01' + (i % 2300)::INTEGER, 'IN PERSON', ['AIR', 'RAIL'][1 + i % 2],
        'comment ' || i FROM range(3000) t(i))");
    Run(R"(CREATE TABLE t(
        a INTEGER, b BIGINT, c SMALLINT, h HUGEINT, ui UINTEGER, ub UBIGINT, uh UHUGEINT,
        d DECIMAL(9,3), e DECIMAL(18,4), f FLOAT, g DOUBLE, s VARCHAR, s2 VARCHAR,
        bo BOOLEAN, dt DATE, ts TIMESTAMP, tz TIMESTAMPTZ, bl BLOB,
        st STRUCT(x INTEGER, y VARCHAR), nc VARCHAR COLLATE NOCASE, en ENUM('x', 'y')))");
    Run(R"(INSERT INTO t SELECT i % 100, i, i % 10, i, i, i, i, i / 1000.0, i / 1000.0, i, i,
        's' || i % 5, 'u' || i % 3, i % 2 = 0, DATE '2020-01-01' + (i % 100)::INTEGER,
        TIMESTAMP '2020-01-01' + INTERVAL (i) HOUR, NULL, NULL, {'x': i, 'y': 'a'}, 'a', 'x'
        FROM range(3000) t(i))");
    Run("INSERT INTO t(a) VALUES (NULL)");

    duckdb::OptimizerExtension extension;
    extension.optimize_function = Record;
    recorder_ = duckdb::make_shared_ptr<Recorder>();
    extension.optimizer_info = recorder_;
    duckdb::OptimizerExtension::Register(duckdb::DBConfig::GetConfig(*database_.instance),
                                         extension);
  }

  void Run(const std::string& sql) {
    const auto result = connection_.Query(sql);
    ASSERT_FALSE(result->HasError()) << sql << ": " << result->GetError();
  }

  const CaptureFindings& Capture(const std::string& sql) {
    recorder_->findings = {};
    Run(sql);
    return recorder_->findings;
  }

  //! `expected` may start with a line break, for the looks of a raw string.
  void Expect(const std::string& sql, std::string_view expected) {
    if (expected.starts_with('\n')) {
      expected.remove_prefix(1);
    }
    EXPECT_EQ(Describe(Capture(sql)), expected) << sql;
  }

  //! No part has an aggregate; the operator above the first part is refused for this reason.
  void ExpectTailReason(const std::string& sql, const std::string& reason) {
    const CaptureFindings& findings = Capture(sql);
    ASSERT_FALSE(findings.parts.empty()) << sql;
    ASSERT_FALSE(findings.parts[0].part.tail_reasons.empty()) << sql;
    EXPECT_FALSE(findings.parts[0].part.has_aggregate) << sql;
    EXPECT_EQ(findings.parts[0].part.tail_reasons[0], reason) << sql;
  }

  //! DuckDB runs an operator over table data for this reason; parts read its rows, if there are
  //! any.
  void ExpectNote(const std::string& sql, const std::string& reason) {
    const CaptureFindings& findings = Capture(sql);
    for (const FoundPart& found : findings.parts) {
      EXPECT_FALSE(found.part.taps.empty()) << sql;
    }
    ASSERT_FALSE(findings.notes.empty()) << sql;
    EXPECT_EQ(findings.notes[0].reason, reason) << sql;
  }

  //! What computes `expression`, over column s, from the string of a row; empty if nothing does.
  std::string ByRow(const std::string& expression) {
    const CaptureFindings& findings = Capture("SELECT " + expression + " AS x FROM t");
    const plan::Expression& output = *findings.parts.at(0).part.plan->Expressions().at(0);
    return output.Operands().size() == 2 ? output.Operand(1).ToString() : "";
  }

  duckdb::DuckDB database_;
  duckdb::Connection connection_;
  duckdb::shared_ptr<Recorder> recorder_;
};

TEST_F(CaptureTest, FunctionsThatFollowFromWhatIsWritten) {
  const auto depends = [&](const std::string& condition) {
    const CaptureFindings& findings = Capture("SELECT count(*) FROM t WHERE " + condition);
    EXPECT_EQ(findings.parts.size(), 1U) << condition;
    EXPECT_TRUE(plan::UsesDictionaryFunctions(*findings.parts.at(0).part.plan)) << condition;
    return plan::DependsOnSettings(*findings.parts.at(0).part.plan);
  };
  for (const char* condition :
       {"s = 's1'", "s LIKE '%s_%'", "s IN ('s1', 's3', 's4')", "upper(s) = 'S1'",
        "s LIKE 'a%' OR length(s) > 1", "CASE WHEN s = 's1' THEN 'b' ELSE s END = 'b'"}) {
    EXPECT_FALSE(depends(condition)) << condition;
  }
  for (const char* condition :
       {"TRY_CAST(s AS TIMESTAMP) > TIMESTAMP '2000-01-01'", "try_strptime(s, '%Y') IS NULL",
        "CASE WHEN s = 's1' THEN 1.5 ELSE 2.5 END = 1.5"}) {
    EXPECT_TRUE(depends(condition)) << condition;
  }
}

TEST_F(CaptureTest, TpchQueries) {
  Expect(R"(SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem
      WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01'
        AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24)",
         R"(
AGGREGATE groups=[] aggregates=[sum((l_extendedprice * l_discount))::DECIMAL(38,4)]
  FILTER ((l_quantity < 24.00) AND (l_discount >= 0.05) AND (l_discount <= 0.07) AND (l_shipdate >= DATE '1994-01-01') AND (l_shipdate < DATE '1995-01-01'))
    SCAN lineitem [l_shipdate DATE, l_discount DECIMAL(15,2), l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2)]
tails PROJECTION
)");
  Expect(R"(SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice),
        sum(l_extendedprice * (1 - l_discount)),
        sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), avg(l_quantity),
        avg(l_extendedprice), avg(l_discount), count(*)
      FROM lineitem WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL 90 DAY
      GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus)",
         R"(
PROJECT [#10, #11, #2, #3, #4, #5, #6, #7, #8, #9]
  ORDER [#0 ASC NULLS LAST, #1 ASC NULLS LAST]
    PROJECT [__internal_compress_string_utinyint(#8), __internal_compress_string_utinyint(#9), #0, #1, #2, #3, #4, #5, #6, #7, #8, #9]
      PROJECT [#2, #3, #4, #5, #6, #7, #8, #9, l_returnflag, l_linestatus]
        AGGREGATE groups=[l_returnflag, l_linestatus] aggregates=[sum(l_quantity)::DECIMAL(38,2), sum(l_extendedprice)::DECIMAL(38,2), sum(#2)::DECIMAL(38,4), sum((#2 * (1.00 + l_tax)))::DECIMAL(38,6), avg(l_quantity)::DOUBLE, avg(l_extendedprice)::DOUBLE, avg(l_discount)::DOUBLE, count(*)::BIGINT]
          PROJECT [l_quantity, l_extendedprice, #4, l_tax, l_discount, l_returnflag, l_linestatus]
            PROJECT [l_returnflag, l_linestatus, l_quantity, l_extendedprice, (l_extendedprice * (1.00 - l_discount)), l_tax, l_discount]
              FILTER (l_shipdate <= DATE '1998-09-02')
                SCAN lineitem [l_shipdate DATE, l_returnflag VARCHAR, l_linestatus VARCHAR, l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2), l_discount DECIMAL(15,2), l_tax DECIMAL(15,2)]
)");
}

TEST_F(CaptureTest, ScansAndFilters) {
  Expect("SELECT a, s FROM t", R"(
SCAN t [a INTEGER, s VARCHAR]
)");
  Expect("SELECT s, a FROM t WHERE a > 5", R"(
PROJECT [s, a]
  FILTER (a > 5)
    SCAN t [a INTEGER, s VARCHAR]
)");
  Expect("SELECT count(*) FROM t", R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  SCAN t []
tails PROJECTION
)");
  Expect("SELECT count(*) FROM t WHERE a BETWEEN 3 AND 5 AND b <> 7 AND bo", R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  FILTER ((a >= 3) AND (a <= 5) AND (b <> 7) AND bo)
    SCAN t [a INTEGER, b BIGINT, bo BOOLEAN]
tails PROJECTION
)");
  Expect("SELECT count(*) FROM t WHERE a IN (1, 5, 9)", R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  FILTER ((a = 1) OR (a = 5) OR (a = 9))
    SCAN t [a INTEGER]
tails PROJECTION
)");
  Expect("SELECT count(*) FROM t WHERE a NOT IN (1, 5, 9)", R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  FILTER (NOT (a IN (1, 5, 9)))
    SCAN t [a INTEGER]
tails PROJECTION
)");
  Expect("SELECT count(*) FROM t WHERE a = 1 OR b = 2 OR s = 's1'", R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  FILTER ((a = 1) OR (b = 2) OR (s = 's1'))
    SCAN t [a INTEGER, b BIGINT, s VARCHAR]
tails PROJECTION
)");
  Expect("SELECT count(*) FROM t WHERE NOT (a > 3 AND bo)", R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  FILTER (NOT (bo AND (a > 3)))
    SCAN t [a INTEGER, bo BOOLEAN]
tails PROJECTION
)");
  Expect("SELECT count(*) FROM t WHERE a IS DISTINCT FROM 3 AND b IS NOT NULL", R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  FILTER ((a IS DISTINCT FROM 3) AND (b IS NOT NULL))
    SCAN t [a INTEGER, b BIGINT]
tails PROJECTION
)");
  Expect(
      R"(SELECT count(*) FROM t WHERE ts > TIMESTAMP '2020-02-01 12:00:00' AND dt <= DATE '2020-03-01')",
      R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  FILTER ((dt <= DATE '2020-03-01') AND (ts > TIMESTAMP '2020-02-01 12:00:00'))
    SCAN t [ts TIMESTAMP, dt DATE]
tails PROJECTION
)");
  Expect("SELECT count(*) FROM t WHERE g > 3.5 AND f <> 2 AND a > b", R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  FILTER ((f <> 2.0) AND (g > 3.5) AND (CAST(a AS BIGINT) > b))
    SCAN t [g DOUBLE, f FLOAT, a INTEGER, b BIGINT]
tails PROJECTION
)");
  Expect("SELECT sum(x) FROM (SELECT a + b AS x FROM t) WHERE x > 10", R"(
AGGREGATE groups=[] aggregates=[sum(x)::HUGEINT]
  PROJECT [(CAST(a AS BIGINT) + b)]
    FILTER ((CAST(a AS BIGINT) + b) > 10)
      SCAN t [a INTEGER, b BIGINT]
tails PROJECTION
)");
}

//! DuckDB makes MARK joins of them.
TEST_F(CaptureTest, LongListsOfConstants) {
  Expect("SELECT count(*) FROM t WHERE a IN (1, 3, 5, 7, 99)", R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  FILTER #0
    PROJECT [(a IN (1, 3, 5, 7, 99))]
      SCAN t [a INTEGER]
tails PROJECTION
)");
  Expect("SELECT sum(b) FROM t WHERE a NOT IN (1, 3, 5, 7, 9) OR s IN ('s1', 's2', 's3', 'x', 'y')",
         R"(
AGGREGATE groups=[] aggregates=[sum(b)::HUGEINT]
  FILTER (#2 OR (NOT #1))
    PROJECT [b, #2, (s IN ('s1', 's2', 's3', 'x', 'y'))]
      PROJECT [s, b, (a IN (1, 3, 5, 7, 9))]
        SCAN t [a INTEGER, s VARCHAR, b BIGINT]
tails PROJECTION
)");
  Expect("SELECT d IN (1, 3.5, 5, 7.1234, 9), b FROM t WHERE c > 3", R"(
PROJECT [(CAST(d AS DECIMAL(14,4)) IN (1.0000, 3.5000, 5.0000, 7.1234, 9.0000)), b]
  FILTER (c > 3)
    SCAN t [c SMALLINT, d DECIMAL(9,3), b BIGINT]
)");
}

TEST_F(CaptureTest, FiltersThatAreAlwaysTrueNeedNoColumn) {
  Expect("SELECT count(*) FROM lineitem WHERE l_orderkey >= 0", R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  SCAN lineitem []
tails PROJECTION
)");
}

TEST_F(CaptureTest, StringsBecomeDictionaryFunctions) {
  Expect("SELECT count(*) FROM t WHERE s LIKE '%1%' OR s = 's3'", R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  FILTER (contains(s, '1') OR (s = 's3'))
    SCAN t [s VARCHAR]
tails PROJECTION
)");
  Expect("SELECT count(*) FROM t WHERE s IN ('s1', 's2') AND s2 NOT LIKE 'u1%' AND length(s) > 1",
         R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  FILTER ((length(s) > 1) AND (NOT prefix(s2, 'u1')) AND ((s = 's1') OR (s = 's2')))
    SCAN t [s VARCHAR, s2 VARCHAR]
tails PROJECTION
)");
  Expect("SELECT count(*) FROM t WHERE s IS NULL", R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  FILTER (s IS NULL)
    SCAN t [s VARCHAR]
tails PROJECTION
)");
  Expect("SELECT count(s), min(s), max(s) FROM t WHERE s >= 's2' OR s IS NULL", R"(
AGGREGATE groups=[] aggregates=[count(s)::BIGINT, min(s)::VARCHAR, max(s)::VARCHAR]
  FILTER ((s >= 's2') OR (s IS NULL))
    SCAN t [s VARCHAR]
tails PROJECTION
)");
  Expect("SELECT substring(s, 1, 2) AS p, sum(length(s)) FROM t GROUP BY p", R"(
AGGREGATE groups=["substring"(s, 1, 2)] aggregates=[sum(length(s))::HUGEINT]
  SCAN t [s VARCHAR]
tails PROJECTION
)");
  Expect("SELECT sum(CASE WHEN s LIKE 's1%' THEN a ELSE 0 END) FROM t", R"(
AGGREGATE groups=[] aggregates=[sum(CASE WHEN prefix(s, 's1') THEN a ELSE 0 END)::HUGEINT]
  SCAN t [s VARCHAR, a INTEGER]
tails PROJECTION
)");
  Expect("SELECT count(*) FROM t WHERE s < s2 AND left(s, 2) = upper(s2)", R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  FILTER ((s < s2) AND ("left"(s, 2) = upper(s2)))
    SCAN t [s VARCHAR, s2 VARCHAR]
tails PROJECTION
)");
  Expect("SELECT count(*) FROM t WHERE s COLLATE NOCASE = 'S1'", R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  FILTER (lower(s) = 's1')
    SCAN t [s VARCHAR]
tails PROJECTION
)");
}

TEST_F(CaptureTest, SlicesOfStringsAreKnownByTheirPlaces) {
  EXPECT_EQ(ByRow("substring(s, 2, 3)"), "SLICE(s, 1, 4)");
  EXPECT_EQ(ByRow("substring(s, 0, 3)"), "SLICE(s, 0, 2)");
  EXPECT_EQ(ByRow("substring(s, 3)"), "SLICE(s, 2, 4294967297)");
  EXPECT_EQ(ByRow("substring(s, 2, 0)"), "SLICE(s, 0, 0)");
  EXPECT_EQ(ByRow("substring(s, -2)"), "SLICE(s, -2, 9223372036854775807)");
  EXPECT_EQ(ByRow("substring(s, -2, -3)"), "SLICE(s, -5, -2)");
  EXPECT_EQ(ByRow("left(s, -2)"), "SLICE(s, 0, -2)");
  EXPECT_EQ(ByRow("right(s, 2)"), "SLICE(s, -2, 9223372036854775807)");
  EXPECT_EQ(ByRow("right(s, -2)"), "SLICE(s, 2, 9223372036854775807)");
  EXPECT_EQ(ByRow("right(s, 0)"), "SLICE(s, 0, 0)");
  EXPECT_EQ(ByRow("rtrim(left(s, 2), 'x')"), "RTRIM(SLICE(s, 0, 2), 'x')");
  EXPECT_EQ(ByRow("trim(s, 'x') = 'y'"), "(LTRIM(RTRIM(s, 'x'), 'x') = 'y')");
  // DuckDB has two answers for these, by what it knows about the column.
  EXPECT_EQ(ByRow("substring(s, -3, 2)"), "");
  EXPECT_EQ(ByRow("substring(s, 3, -2)"), "");
  EXPECT_EQ(ByRow("reverse(s)"), "");
}

TEST_F(CaptureTest, FunctionsOfComputedStringsBecomeOne) {
  Expect("SELECT sum(x::DECIMAL(10,2)) FROM (SELECT replace(s, 's', '') AS x FROM t)", R"(
AGGREGATE groups=[] aggregates=[sum(CAST("replace"(s, 's', '') AS DECIMAL(10,2)))::DECIMAL(38,2)]
  PROJECT [s]
    SCAN t [s VARCHAR]
tails PROJECTION
)");
}

TEST_F(CaptureTest, Arithmetic) {
  Expect("SELECT a + 1, b * 2, a - c, -a, a // 3, b % 7, ub + 1 FROM t", R"(
PROJECT [(a + 1), (b * 2), (a - CAST(c AS INTEGER)), (-a), (a // 3), (b % 7), (ub + 1)]
  SCAN t [a INTEGER, b BIGINT, c SMALLINT, ub UBIGINT]
)");
  Expect("SELECT d + e, d * e, d + 1 FROM t", R"(
PROJECT [(CAST(d AS DECIMAL(18,4)) + e), (CAST(d AS DECIMAL(18,3)) * e), (CAST(d AS DECIMAL(14,3)) + 1.000)]
  SCAN t [d DECIMAL(9,3), e DECIMAL(18,4)]
)");
  Expect("SELECT a / 2, f * 2, g // a FROM t", R"(
PROJECT [(#0 / 2.0), (f * 2.0), (g / #0)]
  PROJECT [CAST(a AS DOUBLE), f, g]
    SCAN t [a INTEGER, f FLOAT, g DOUBLE]
)");
  Expect("SELECT dt + 3, dt - 3, 3 + dt FROM t", R"(
PROJECT [(dt + 3), (dt - 3), (3 + dt)]
  SCAN t [dt DATE]
)");
  Expect("SELECT COALESCE(a, 0), CASE WHEN a > 5 THEN b WHEN bo THEN 1 ELSE NULL END FROM t", R"(
PROJECT [COALESCE(a, 0), CASE WHEN (a > 5) THEN b WHEN bo THEN 1 ELSE NULL::BIGINT END]
  SCAN t [a INTEGER, b BIGINT, bo BOOLEAN]
)");
}

TEST_F(CaptureTest, Casts) {
  Expect(R"(SELECT a::BIGINT, b::INTEGER, g::INTEGER, TRY_CAST(b AS TINYINT), d::DECIMAL(12,1),
        d::DOUBLE, bo::INTEGER, dt::TIMESTAMP, ts::DATE FROM t)",
         R"(
PROJECT [CAST(a AS BIGINT), CAST(b AS INTEGER), CAST(g AS INTEGER), TRY_CAST(b AS TINYINT), CAST(d AS DECIMAL(12,1)), CAST(d AS DOUBLE), CAST(bo AS INTEGER), CAST(dt AS TIMESTAMP), CAST(ts AS DATE)]
  SCAN t [a INTEGER, b BIGINT, g DOUBLE, d DECIMAL(9,3), bo BOOLEAN, dt DATE, ts TIMESTAMP]
)");
  Expect("SELECT count(*) FROM t WHERE a > 2.5", R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  FILTER (CAST(a AS DECIMAL(11,1)) > 2.5)
    SCAN t [a INTEGER]
tails PROJECTION
)");
}

TEST_F(CaptureTest, Aggregates) {
  Expect(
      R"(SELECT min(ts), max(dt), avg(a), avg(d), avg(g), avg(h), sum(h), sum(f), sum(bo), sum(c),
        sum(ub), sum(e), count(a), min(bo) FROM t)",
      R"(
AGGREGATE groups=[] aggregates=[min(ts)::TIMESTAMP, max(dt)::DATE, avg(a)::DOUBLE, avg(d)::DOUBLE, avg(g)::DOUBLE, avg(h)::DOUBLE, sum(h)::HUGEINT, sum(CAST(f AS DOUBLE))::DOUBLE, sum(bo)::HUGEINT, sum(c)::HUGEINT, sum(CAST(ub AS HUGEINT))::HUGEINT, sum(e)::DECIMAL(38,4), count(a)::BIGINT, min(bo)::BOOLEAN]
  SCAN t [ts TIMESTAMP, dt DATE, a INTEGER, d DECIMAL(9,3), g DOUBLE, h HUGEINT, f FLOAT, bo BOOLEAN, c SMALLINT, ub UBIGINT, e DECIMAL(18,4)]
tails PROJECTION
)");
  Expect("SELECT sum(a + 1) FROM t", R"(
AGGREGATE groups=[] aggregates=[sum(a)::HUGEINT, count(a)::BIGINT]
  SCAN t [a INTEGER]
tails PROJECTION, PROJECTION
)");
  Expect("SELECT bo, count(*) FROM t GROUP BY bo HAVING count(*) > 1", R"(
FILTER (#1 > 1)
  AGGREGATE groups=[bo] aggregates=[count(*)::BIGINT]
    SCAN t [bo BOOLEAN]
tails PROJECTION
)");
}

TEST_F(CaptureTest, FilteredAggregates) {
  Expect(
      R"(SELECT sum(a) FILTER (WHERE b > 3), count(*) FILTER (WHERE bo), count(s) FILTER (WHERE bo),
        max(d) FILTER (WHERE bo) FROM t)",
      R"(
AGGREGATE groups=[] aggregates=[sum(CASE WHEN ((b > 3) AND (a IS NOT NULL)) THEN a ELSE NULL::INTEGER END)::HUGEINT, count(CASE WHEN bo THEN 1 ELSE NULL::INTEGER END)::BIGINT, count(CASE WHEN (bo AND (s IS NOT NULL)) THEN 1 ELSE NULL::INTEGER END)::BIGINT, max(CASE WHEN (bo AND (d IS NOT NULL)) THEN d ELSE NULL::DECIMAL(9,3) END)::DECIMAL(9,3)]
  SCAN t [b BIGINT, a INTEGER, bo BOOLEAN, s VARCHAR, d DECIMAL(9,3)]
tails PROJECTION
)");
  Expect("SELECT min(s) FILTER (WHERE b > 3) FROM t", R"(
AGGREGATE groups=[] aggregates=[min(CASE WHEN ((b > 3) AND (s IS NOT NULL)) THEN s ELSE NULL::VARCHAR END)::VARCHAR]
  SCAN t [b BIGINT, s VARCHAR]
tails PROJECTION
)");
  Expect("SELECT bo, avg(a + c) FILTER (WHERE a + c > 5) FROM t GROUP BY bo", R"(
AGGREGATE groups=[bo] aggregates=[avg(CASE WHEN ((#1 > 5) AND (#1 IS NOT NULL)) THEN #1 ELSE NULL::INTEGER END)::DOUBLE]
  PROJECT [bo, (a + CAST(c AS INTEGER))]
    SCAN t [bo BOOLEAN, a INTEGER, c SMALLINT]
tails PROJECTION
)");
}

TEST_F(CaptureTest, AggregatesOfBooleans) {
  Expect("SELECT bool_and(bo), bool_or(a > 5), count_if(bo), countif(a = 3) FROM t", R"(
AGGREGATE groups=[] aggregates=[min(bo)::BOOLEAN, max((a > 5))::BOOLEAN, sum(bo)::HUGEINT, sum((a = 3))::HUGEINT]
  SCAN t [bo BOOLEAN, a INTEGER]
tails PROJECTION
)");
}

TEST_F(CaptureTest, DistinctRowsAreGroups) {
  Expect("SELECT DISTINCT b, a FROM t WHERE a > 3", R"(
AGGREGATE groups=[#0, #1] aggregates=[]
  PROJECT [CAST((b - 0) AS USMALLINT), CAST((a - 3) AS UTINYINT)]
    FILTER (a > 3)
      SCAN t [a INTEGER, b BIGINT]
tails PROJECTION
)");
}

TEST_F(CaptureTest, DistinctAggregatesAreTwo) {
  Expect("SELECT count(DISTINCT a), sum(DISTINCT a), max(a) FROM t", R"(
AGGREGATE groups=[] aggregates=[count(#0)::BIGINT, sum(#0)::HUGEINT, max(#0)::INTEGER]
  AGGREGATE groups=[a] aggregates=[]
    SCAN t [a INTEGER]
tails PROJECTION
)");
  Expect("SELECT bo, count(DISTINCT s) FROM t GROUP BY bo", R"(
AGGREGATE groups=[#0] aggregates=[count(#1)::BIGINT]
  AGGREGATE groups=[bo, s] aggregates=[]
    SCAN t [bo BOOLEAN, s VARCHAR]
tails PROJECTION
)");
  // What is not DISTINCT needs no second step, nor what does not depend on it.
  Expect("SELECT min(DISTINCT a), bool_or(DISTINCT bo) FROM t", R"(
AGGREGATE groups=[] aggregates=[min(a)::INTEGER, max(bo)::BOOLEAN]
  SCAN t [a INTEGER, bo BOOLEAN]
tails PROJECTION
)");
  // Each argument has groups of its own, and so have aggregates of all rows.
  Expect("SELECT b, count(DISTINCT a), count(*) FROM t GROUP BY b", R"(
PROJECT [#0, #3, #1]
  JOIN INNER [#0 IS NOT DISTINCT FROM #0]
    AGGREGATE groups=[#0] aggregates=[count(*)::BIGINT]
      PROJECT [CAST((b - 0) AS USMALLINT)]
        SCAN t [b BIGINT]
    AGGREGATE groups=[#0] aggregates=[count(#1)::BIGINT]
      AGGREGATE groups=[#0, a] aggregates=[]
        PROJECT [CAST((b - 0) AS USMALLINT), a]
          SCAN t [b BIGINT, a INTEGER]
tails PROJECTION, PROJECTION
)");
  Expect("SELECT a, c, count(DISTINCT b) FROM t GROUP BY GROUPING SETS ((a), (c))", R"(
UNION
  PROJECT [#0, NULL::SMALLINT, #1]
    AGGREGATE groups=[#0] aggregates=[count(#1)::BIGINT]
      AGGREGATE groups=[a, b] aggregates=[]
        SCAN t [a INTEGER, b BIGINT]
  PROJECT [NULL::INTEGER, #0, #1]
    AGGREGATE groups=[#0] aggregates=[count(#1)::BIGINT]
      AGGREGATE groups=[c, b] aggregates=[]
        SCAN t [c SMALLINT, b BIGINT]
tails PROJECTION
)");
  EXPECT_TRUE(Capture("SELECT count(DISTINCT a) FROM t").parts[0].part.tail_reasons.empty())
      << "the projection is left to DuckDB by choice";
}

TEST_F(CaptureTest, CompressedKeysArePlainArithmetic) {
  Expect("SELECT a, s, count(*) FROM t GROUP BY a, s ORDER BY a", R"(
PROJECT [(CAST(#0 AS INTEGER) + 0), #2, #1]
  ORDER [#0 ASC NULLS LAST]
    PROJECT [CAST((#0 - 0) AS UTINYINT), #2, #1]
      PROJECT [(CAST(#0 AS INTEGER) + 0), #2, #1]
        PROJECT [#0, #2, s]
          AGGREGATE groups=[#0, s] aggregates=[count(*)::BIGINT]
            PROJECT [CAST((a - 0) AS UTINYINT), s]
              SCAN t [a INTEGER, s VARCHAR]
)");
  Expect("SELECT a FROM t ORDER BY b", R"(
PROJECT [(CAST(#0 AS INTEGER) + 0)]
  ORDER [#1 ASC NULLS LAST]
    PROJECT [CAST((a - 0) AS UTINYINT), CAST((b - 0) AS USMALLINT)]
      SCAN t [a INTEGER, b BIGINT]
)");
}

TEST_F(CaptureTest, OperatorsAboveAPartAreTails) {
  Expect("SELECT bo, sum(b) AS x FROM t GROUP BY bo ORDER BY x LIMIT 3", R"(
ORDER [#1 ASC NULLS LAST] LIMIT 3
  AGGREGATE groups=[bo] aggregates=[sum(b)::HUGEINT]
    SCAN t [bo BOOLEAN, b BIGINT]
)");
  Expect("SELECT max(s), sum(b) AS x FROM t GROUP BY bo ORDER BY x LIMIT 3", R"(
PROJECT [#1, #2]
  ORDER [#2 ASC NULLS LAST] LIMIT 3
    AGGREGATE groups=[bo] aggregates=[max(s)::VARCHAR, sum(b)::HUGEINT]
      SCAN t [bo BOOLEAN, s VARCHAR, b BIGINT]
)");
  Expect(
      R"(SELECT * FROM (SELECT bo, sum(b) FROM t GROUP BY bo) x
      POSITIONAL JOIN (SELECT max(l_tax) FROM lineitem) y)",
      R"(
AGGREGATE groups=[bo] aggregates=[sum(b)::HUGEINT]
  SCAN t [bo BOOLEAN, b BIGINT]
tails PROJECTION, POSITIONAL_JOIN, PROJECTION
AGGREGATE groups=[] aggregates=[max(l_tax)::DECIMAL(15,2)]
  SCAN lineitem [l_tax DECIMAL(15,2)]
tails PROJECTION, POSITIONAL_JOIN, PROJECTION
)");
}

TEST_F(CaptureTest, ConstantStringsAreOutputs) {
  Expect("SELECT 'x', a FROM t", R"(
PROJECT ['x', a]
  SCAN t [a INTEGER]
)");
}

TEST_F(CaptureTest, SetOperations) {
  Expect("SELECT g FROM t UNION ALL SELECT l_orderkey FROM lineitem", R"(
UNION
  SCAN t [g DOUBLE]
  PROJECT [CAST(l_orderkey AS DOUBLE)]
    SCAN lineitem [l_orderkey BIGINT]
)");
  Expect("SELECT a FROM t INTERSECT SELECT c FROM t", R"(
AGGREGATE groups=[#0] aggregates=[]
  PROJECT [CAST((a - 0) AS UTINYINT)]
    JOIN SEMI [a IS NOT DISTINCT FROM c]
      SCAN t [a INTEGER]
      PROJECT [CAST(c AS INTEGER)]
        SCAN t [c SMALLINT]
tails PROJECTION
)");
  Expect("SELECT a FROM t EXCEPT ALL SELECT a FROM t WHERE c > 3", R"(
PROJECT [#0]
  JOIN INNER [#1 = #1]
    FILTER (#1 > 0)
      PROJECT [#0, (#1 - COALESCE(#3, 0))]
        JOIN LEFT [#0 IS NOT DISTINCT FROM #0]
          AGGREGATE groups=[a] aggregates=[count(*)::BIGINT]
            SCAN t [a INTEGER]
          AGGREGATE groups=[a] aggregates=[count(*)::BIGINT]
            FILTER (c > 3)
              SCAN t [c SMALLINT, a INTEGER]
    JOIN INNER [0 = 0] AND (#0 < #1)
      PROJECT [#0]
        PROJECT [row_number(#0)]
          SCAN t [a INTEGER]
      AGGREGATE groups=[#0] aggregates=[]
        FILTER (#0 > 0)
          PROJECT [(#1 - COALESCE(#3, 0))]
            JOIN LEFT [#0 IS NOT DISTINCT FROM #0]
              AGGREGATE groups=[a] aggregates=[count(*)::BIGINT]
                SCAN t [a INTEGER]
              AGGREGATE groups=[a] aggregates=[count(*)::BIGINT]
                FILTER (c > 3)
                  SCAN t [c SMALLINT, a INTEGER]
)");
  Expect("SELECT a FROM t UNION ALL SELECT i FROM range(10) r(i)", R"(
UNION
  PROJECT [CAST(a AS BIGINT)]
    SCAN t [a INTEGER]
  SCAN rows of DuckDB [#1 BIGINT]
tap the table function range is not supported yet
)");
}

TEST_F(CaptureTest, DistinctOn) {
  Expect("SELECT DISTINCT ON (g) g, a FROM t", R"(
PROJECT [#0, #1]
  JOIN SEMI [#2 = #1]
    PROJECT [g, #1, #2]
      PROJECT [g, CAST((a - 0) AS UTINYINT), #2]
        PROJECT [#0, #1, row_number(#0)]
          SCAN t [g DOUBLE, a INTEGER]
    AGGREGATE groups=[g] aggregates=[min(#1)::BIGINT]
      PROJECT [g, #1]
        PROJECT [g, #1]
          PROJECT [#0, row_number(#0)]
            SCAN t [g DOUBLE]
tails PROJECTION
)");
  Expect("SELECT DISTINCT ON (g) g, a FROM t ORDER BY g, a DESC", R"(
PROJECT [g, (CAST(#1 AS INTEGER) + 0)]
  ORDER [g ASC NULLS LAST, #1 DESC NULLS LAST]
    PROJECT [g, CAST((#1 - 0) AS UTINYINT)]
      PROJECT [g, (CAST(#1 AS INTEGER) + 0)]
        PROJECT [#0, #1]
          JOIN SEMI [#2 = #2]
            PROJECT [g, #1, #2]
              PROJECT [g, CAST((a - 0) AS UTINYINT), #2]
                PROJECT [#0, #1, row_number(#0)]
                  SCAN t [g DOUBLE, a INTEGER]
            AGGREGATE groups=[g, #1] aggregates=[min(#2)::BIGINT]
              JOIN SEMI [g IS NOT DISTINCT FROM #0, #1 IS NOT DISTINCT FROM #1]
                PROJECT [g, #1, #2]
                  PROJECT [g, CAST((a - 0) AS UTINYINT), #2]
                    PROJECT [#0, #1, row_number(#0)]
                      SCAN t [g DOUBLE, a INTEGER]
                AGGREGATE groups=[g] aggregates=[max(#1)::UTINYINT]
                  PROJECT [g, #1]
                    PROJECT [g, CAST((a - 0) AS UTINYINT)]
                      PROJECT [#0, #1]
                        SCAN t [g DOUBLE, a INTEGER]
)");
}

TEST_F(CaptureTest, GroupingSets) {
  Expect("SELECT a, c, count(*), grouping(a, c) FROM t GROUP BY ROLLUP (a, c)", R"(
UNION
  UNION
    PROJECT [NULL::INTEGER, NULL::SMALLINT, COALESCE(#0, 0), 3]
      AGGREGATE groups=[] aggregates=[sum(#2)::BIGINT]
        AGGREGATE groups=[a, c] aggregates=[count(*)::BIGINT]
          SCAN t [a INTEGER, c SMALLINT]
    PROJECT [#0, NULL::SMALLINT, COALESCE(#1, 0), 1]
      AGGREGATE groups=[#0] aggregates=[sum(#2)::BIGINT]
        AGGREGATE groups=[a, c] aggregates=[count(*)::BIGINT]
          SCAN t [a INTEGER, c SMALLINT]
  PROJECT [#0, #1, #2, 0]
    AGGREGATE groups=[a, c] aggregates=[count(*)::BIGINT]
      SCAN t [a INTEGER, c SMALLINT]
tails PROJECTION
)");
}

TEST_F(CaptureTest, OrdersAndLimits) {
  Expect("SELECT g FROM t LIMIT 3", R"(
ORDER [] LIMIT 3
  SCAN t [g DOUBLE]
)");
  Expect("SELECT g + 1 FROM t OFFSET 4", R"(
ORDER [] OFFSET 4
  PROJECT [(g + 1.0)]
    SCAN t [g DOUBLE]
)");
  Expect("SELECT g FROM t ORDER BY g DESC NULLS FIRST", R"(
ORDER [g DESC NULLS FIRST]
  SCAN t [g DOUBLE]
)");
  Expect("SELECT g, b FROM t WHERE a > 3 ORDER BY b NULLS FIRST, g DESC LIMIT 60 OFFSET 7", R"(
PROJECT [g, b]
  ORDER [b ASC NULLS FIRST, g DESC NULLS LAST] LIMIT 60 OFFSET 7
    FILTER (a > 3)
      SCAN t [a INTEGER, g DOUBLE, b BIGINT]
)");
  // Here DuckDB fetches the other columns by row ids, and sorts the rows once more.
  Expect("SELECT g, b, s FROM t ORDER BY a DESC LIMIT 3", R"(
PROJECT [g, (CAST(#1 AS BIGINT) + 0), s]
  PROJECT [g, CAST((b - 0) AS USMALLINT), s]
    ORDER [a DESC NULLS LAST] LIMIT 3
      SCAN t [g DOUBLE, b BIGINT, s VARCHAR, a INTEGER]
)");
  Expect("SELECT g, b, s FROM t LIMIT 3 OFFSET 5", R"(
PROJECT [g, (CAST(#1 AS BIGINT) + 0), s]
  PROJECT [g, CAST((b - 0) AS USMALLINT), s]
    ORDER [] LIMIT 3 OFFSET 5
      SCAN t [g DOUBLE, b BIGINT, s VARCHAR]
)");
  EXPECT_EQ(Capture("SELECT a FROM t ORDER BY b LIMIT 3").parts[0].part.text,
            "SCAN t, ORDER, LIMIT 3, PROJECT, PROJECT");
}

TEST_F(CaptureTest, Statements) {
  Expect("CREATE TABLE n AS SELECT bo, sum(b) AS x FROM t GROUP BY bo", R"(
AGGREGATE groups=[bo] aggregates=[sum(b)::HUGEINT]
  SCAN t [bo BOOLEAN, b BIGINT]
tails PROJECTION
)");
  Expect("INSERT INTO n SELECT bo, sum(b) FROM t GROUP BY bo", R"(
AGGREGATE groups=[bo] aggregates=[sum(b)::HUGEINT]
  SCAN t [bo BOOLEAN, b BIGINT]
tails PROJECTION
)");
  Expect("EXPLAIN SELECT sum(a) FROM t", R"(
AGGREGATE groups=[] aggregates=[sum(a)::HUGEINT]
  SCAN t [a INTEGER]
tails PROJECTION
)");
  Expect("COPY (SELECT sum(a) FROM t) TO '/dev/null' (FORMAT csv)", R"(
AGGREGATE groups=[] aggregates=[sum(a)::HUGEINT]
  SCAN t [a INTEGER]
tails PROJECTION
)");
  Expect("UPDATE t SET a = a WHERE b < 0", "");
  Expect("DELETE FROM t WHERE b < (SELECT min(b) FROM t)", "");
  Expect("CREATE INDEX i ON t(a)", "");
  Expect("SELECT count(*) FROM range(10)", "");
}

TEST_F(CaptureTest, PreparedStatements) {
  Expect("PREPARE p AS SELECT sum(a) FROM t WHERE b > $1", R"(
AGGREGATE groups=[] aggregates=[sum("#1")::HUGEINT]
  SCAN rows of DuckDB [#1 INTEGER]
tails PROJECTION
tap the parameter $1 has no value yet
note the parameter $1 has no value yet
)");
  Expect("EXECUTE p(5)", R"(
AGGREGATE groups=[] aggregates=[sum(a)::HUGEINT]
  FILTER (b > 5)
    SCAN t [b BIGINT, a INTEGER]
tails PROJECTION
)");
  Expect("PREPARE q AS SELECT sum(a) FROM t WHERE b > 7", R"(
AGGREGATE groups=[] aggregates=[sum(a)::HUGEINT]
  FILTER (b > 7)
    SCAN t [b BIGINT, a INTEGER]
tails PROJECTION
)");
  Expect("EXECUTE q", "");
}

TEST_F(CaptureTest, PreparedListsOfConstants) {
  Run("PREPARE p AS SELECT count(*) FROM t WHERE a IN ($1, 3, 5, 7, $2)");
  Expect("EXECUTE p(1, 99)", R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  FILTER #0
    PROJECT [(a IN (1, 3, 5, 7, 99))]
      SCAN t [a INTEGER]
tails PROJECTION
)");
}

//! Without any error they would be: DuckDB raises it only where rows come to it.
TEST_F(CaptureTest, ErrorsOfTheUserAreLeftToDuckDB) {
  Run("CREATE TABLE none(a INTEGER, s VARCHAR)");
  Expect("SELECT count(*) FROM none WHERE a = CAST('x' AS INTEGER)", "");
  Expect("SELECT count(*) FROM none WHERE a IN (1, 2, 3, 4, 5, 'x')", "");
  Expect("SELECT sum(a + CAST('x' AS INTEGER)) FROM none WHERE s = 'y'", "");
  Expect("SELECT * FROM t JOIN none ON t.a = none.a + CAST('x' AS INTEGER)", "");
}

TEST_F(CaptureTest, RefusedAbovePart) {
  ExpectTailReason("SELECT stddev(a) FROM t", "the aggregate function stddev is not supported yet");
  ExpectTailReason("SELECT median(a) FROM t", "the aggregate function median is not supported yet");
  ExpectTailReason("SELECT count(DISTINCT s) FILTER (WHERE b > 3) FROM t",
                   "DISTINCT with FILTER in an aggregate of s is not supported yet");
  ExpectTailReason("SELECT sum(g ORDER BY a) FROM t",
                   "ORDER BY in the aggregate sum is not supported yet");
  ExpectTailReason("SELECT avg(ts) FROM t", "the aggregate avg of TIMESTAMP is not supported yet");
  ExpectTailReason("SELECT a::VARCHAR FROM t",
                   "a cast from INTEGER to VARCHAR is not supported yet");
  ExpectTailReason("SELECT CASE WHEN a > 5 THEN s ELSE s2 END FROM t",
                   "a VARCHAR of several columns, CASE  WHEN ((a > 5)) THEN (s) ELSE s2 END, is "
                   "not supported yet");
  ExpectTailReason("SELECT count(*) FROM t WHERE s || s2 = 'x'",
                   "the function || is not supported yet");
  ExpectTailReason("SELECT monthname(dt) FROM t", "the function monthname is not supported yet");
  ExpectTailReason("SELECT random(), a FROM t", "the function random is not supported yet");
  ExpectTailReason("SELECT -ub FROM t", "- of UBIGINT is not supported yet");
  ExpectTailReason("SELECT d % 2 FROM t", "% of DECIMAL(13,3), DECIMAL(13,3) is not supported yet");
  ExpectTailReason("SELECT g % 2 FROM t", "% of DOUBLE, DOUBLE is not supported yet");
  ExpectTailReason("SELECT g, row_number() OVER (ORDER BY b) FROM t",
                   "WINDOW is not supported yet");
}

TEST_F(CaptureTest, RefusedScans) {
  Run("CREATE TEMP TABLE tt AS SELECT 1 AS a");
  ExpectNote("SELECT tz FROM t",
             "the type TIMESTAMP WITH TIME ZONE of the column tz is not supported yet");
  ExpectNote("SELECT bl FROM t", "the type BLOB of the column bl is not supported yet");
  ExpectNote("SELECT uh FROM t", "the type UHUGEINT of the column uh is not supported yet");
  ExpectNote("SELECT en, count(*) FROM t GROUP BY en",
             "the type ENUM('x', 'y') of the column en is not supported yet");
  ExpectNote("SELECT count(*) FROM t WHERE nc = 'A'",
             "the collation NOCASE of the column nc is not supported yet");
  ExpectNote("SELECT st.x FROM t", "a field of the nested column st is not supported yet");
  ExpectNote("SELECT sum(st.x) FROM t WHERE st.x > 3",
             "a filter on a field of the nested column st is not supported yet");
  ExpectNote("SELECT rowid, a FROM t", "the virtual column rowid of t is not supported yet");
  ExpectNote("SELECT a FROM tt", "the temporary table tt is not supported yet");
  ExpectNote("SELECT count(*) FROM t TABLESAMPLE 10%",
             "a sample of the table t is not supported yet");
  ExpectNote(
      R"(WITH RECURSIVE r(n) AS (SELECT min(a) FROM t UNION ALL SELECT n + 1 FROM r WHERE n < 3)
      SELECT * FROM r)",
      "REC_CTE is not supported yet");
}

//! DuckDB then reads the row id.
TEST_F(CaptureTest, RefusedAboveAScanOfNoColumn) {
  ExpectNote("SELECT count(*) FROM t POSITIONAL JOIN lineitem",
             "POSITIONAL_JOIN is not supported yet");
  ExpectNote("SELECT random() FROM t", "the function random is not supported yet");
  ExpectNote("SELECT NULL, count(*) FROM t GROUP BY 1",
             "the type \"NULL\" of NULL is not supported yet");
  ExpectNote("SELECT sum(rowid) FROM t", "the virtual column rowid of t is not supported yet");
  ExpectNote("CREATE TABLE ids AS SELECT rowid AS r FROM t",
             "the virtual column rowid of t is not supported yet");
}

TEST_F(CaptureTest, ReasonsOfTails) {
  const CaptureFindings& findings =
      Capture("SELECT bo, max(s), rank() OVER (ORDER BY bo) FROM t GROUP BY bo");
  ASSERT_EQ(findings.parts.size(), 1);
  const CapturedPart& part = findings.parts[0].part;
  EXPECT_EQ(Joined(part.tails), "WINDOW, PROJECTION");
  EXPECT_EQ(Joined(part.tail_reasons), "WINDOW is not supported yet");
}

TEST_F(CaptureTest, ReasonsOfTailsNameTheLowestCauseOnce) {
  const auto expect = [&](const std::string& sql, const std::string& tails,
                          const std::string& reasons) {
    const CaptureFindings& findings = Capture(sql);
    ASSERT_FALSE(findings.parts.empty()) << sql;
    EXPECT_EQ(Joined(findings.parts.back().part.tails), tails) << sql;
    EXPECT_EQ(Joined(findings.parts.back().part.tail_reasons), reasons) << sql;
  };
  expect("SELECT a + l_tax FROM t POSITIONAL JOIN lineitem WHERE c > 3 OR c IS NULL",
         "POSITIONAL_JOIN, FILTER, PROJECTION", "POSITIONAL_JOIN is not supported yet");
  expect(R"(SELECT a + b FROM t JOIN lineitem ON b = l_orderkey
      JOIN (SELECT rowid AS r FROM lineitem) x ON a = r)",
         "COMPARISON_JOIN, PROJECTION",
         "the virtual column rowid of lineitem is not supported yet");
}

TEST_F(CaptureTest, Taps) {
  Expect("SELECT c, sum(i) FROM t JOIN range(1000) r(i) ON a = i GROUP BY c", R"(
AGGREGATE groups=[#0] aggregates=[sum("#1")::HUGEINT]
  PROJECT [CAST((c - 0) AS UTINYINT), "#1"]
    JOIN INNER [CAST(a AS BIGINT) = "#1"]
      SCAN t [a INTEGER, c SMALLINT]
      SCAN rows of DuckDB [#1 BIGINT]
tails PROJECTION, PROJECTION
tap the table function range is not supported yet
)");
  // The window's part ends at the tap; DuckDB runs the filter and the projection above the window.
  Expect(R"(SELECT max(n), count(*) FROM lineitem JOIN
      (SELECT b, n * 2 AS n FROM (SELECT b, row_number() OVER (ORDER BY c) AS n FROM t) WHERE n > 3)
      ON l_orderkey = b)",
         R"(
SCAN t [b BIGINT, c SMALLINT]
tails WINDOW, FILTER, PROJECTION, PROJECTION
AGGREGATE groups=[] aggregates=[max("#2")::BIGINT, count(*)::BIGINT]
  JOIN INNER [l_orderkey = "#1"]
    SCAN lineitem [l_orderkey BIGINT]
    SCAN rows of DuckDB [#1 BIGINT, #2 BIGINT]
tails PROJECTION
tap WINDOW is not supported yet
)");
  // Nothing for a device to do.
  Expect("SELECT i + 1 FROM range(1000) r(i), (SELECT 1 FROM t WHERE false) WHERE i > 3", "");
}

TEST_F(CaptureTest, TapsOfTemporaryTables) {
  Run("CREATE TEMP TABLE tt AS SELECT 1 AS a, 's' AS s, INTERVAL 1 DAY AS iv");
  Expect("SELECT s, count(*) FROM tt GROUP BY s", R"(
AGGREGATE groups=[#0] aggregates=[count(*)::BIGINT]
  PROJECT [__internal_compress_string_utinyint("#1")]
    SCAN rows of DuckDB [#1 VARCHAR]
tails PROJECTION, PROJECTION
tap the temporary table tt is not supported yet
)");
  Expect("SELECT max(iv) FROM tt", R"(
note the temporary table tt is not supported yet
)");
}

//! A tap may not hold what belongs to something captured: the CTE is not, as a tap reads it.
TEST_F(CaptureTest, NoTapsOfWhatBelongsToOthers) {
  Expect(R"(WITH x AS MATERIALIZED (SELECT a, sum(b) AS b FROM t GROUP BY a)
      SELECT count(*) FROM lineitem JOIN (SELECT median(b) AS m FROM x) ON l_orderkey = m)",
         R"(
AGGREGATE groups=[#0] aggregates=[sum(b)::HUGEINT]
  PROJECT [CAST((a - 0) AS UTINYINT), b]
    SCAN t [a INTEGER, b BIGINT]
tails PROJECTION, PROJECTION, PROJECTION, CTE
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  JOIN INNER [CAST(l_orderkey AS DOUBLE) = "#1"]
    SCAN lineitem [l_orderkey BIGINT]
    SCAN rows of DuckDB [#1 DOUBLE]
tails PROJECTION, CTE
tap the aggregate function median is not supported yet
)");
  Expect(R"(SELECT count(*) FROM lineitem l
      WHERE l_tax < (SELECT median(b) FROM t WHERE a = l.l_orderkey))",
         R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  SCAN rows of DuckDB []
tails PROJECTION
tap the aggregate function median is not supported yet
note the aggregate function median is not supported yet
)");
}

TEST_F(CaptureTest, PartSaysWhereItsTableIs) {
  Run("ATTACH ':memory:' AS other");
  Run("CREATE SCHEMA other.folder");
  Run(R"(CREATE TABLE other.folder.numbers(
      k INTEGER, twice INTEGER GENERATED ALWAYS AS (2 * k), v BIGINT, w DATE))");
  Run("INSERT INTO other.folder.numbers VALUES (1, 2, DATE '2020-01-01')");
  const CaptureFindings& findings =
      Capture("SELECT w, sum(v) FROM other.folder.numbers GROUP BY w");
  ASSERT_EQ(findings.parts.size(), 1);
  const CapturedPart& part = findings.parts[0].part;
  ASSERT_EQ(part.tables.size(), 1);
  EXPECT_EQ(part.tables[0].catalog, "other");
  EXPECT_EQ(part.tables[0].schema, "folder");
  EXPECT_EQ(part.tables[0].name, "numbers");
  ASSERT_EQ(plan::BottomScan(*part.plan).Columns().size(), 2);
  EXPECT_EQ(plan::BottomScan(*part.plan).Columns()[0].id, 2);
  EXPECT_EQ(plan::BottomScan(*part.plan).Columns()[1].id, 1);
  EXPECT_EQ(part.text, "SCAN numbers, AGGREGATE");
  EXPECT_TRUE(part.has_aggregate);
  ASSERT_EQ(part.types.size(), 2);
  EXPECT_EQ(part.types[0], duckdb::LogicalType::DATE);
  EXPECT_EQ(part.types[1], duckdb::LogicalType::HUGEINT);
}

TEST_F(CaptureTest, DivisionAndDifferences) {
  Expect("SELECT g / b, dt - DATE '2020-01-01' FROM t", R"(
PROJECT [(g / CAST(b AS DOUBLE)), (dt - DATE '2020-01-01')]
  SCAN t [g DOUBLE, b BIGINT, dt DATE]
)");
}

TEST_F(CaptureTest, NothingIsFoundWithoutTables) {
  Expect("SELECT 1", "");
  Expect("SELECT sum(i) FROM (VALUES (1), (2)) x(i)", "");
}

//! Joins of big with small. DuckDB builds its hash tables from the smaller table, and turns joins
//! around where the query has them the other way.
class JoinCaptureTest : public CaptureTest {
 protected:
  JoinCaptureTest() {
    Run("CREATE TABLE big(k INTEGER, n INTEGER, s VARCHAR, v BIGINT)");
    Run("INSERT INTO big SELECT i % 1000, i % 7, 's' || i % 5, i FROM range(50000) t(i)");
    Run("INSERT INTO big VALUES (NULL, NULL, NULL, NULL)");
    Run("CREATE TABLE small(k INTEGER, m INTEGER, name VARCHAR)");
    Run("INSERT INTO small SELECT i * 5, i % 5, 's' || i % 9 FROM range(200) t(i)");
    Run("INSERT INTO small VALUES (999, NULL, NULL), (NULL, NULL, NULL)");
  }
};

TEST_F(JoinCaptureTest, InnerJoins) {
  Expect("SELECT sum(v) FROM big JOIN small ON big.k = small.k", R"(
AGGREGATE groups=[] aggregates=[sum(v)::HUGEINT]
  JOIN INNER [k = k]
    SCAN big [k INTEGER, v BIGINT]
    SCAN small [k INTEGER]
tails PROJECTION
)");
  Expect(R"(SELECT small.name, sum(big.v) FROM small JOIN big ON big.k = small.k
      WHERE big.n > 3 AND small.m < 4 GROUP BY small.name)",
         R"(
AGGREGATE groups=[#1] aggregates=[sum(v)::HUGEINT]
  PROJECT [v, __internal_compress_string_uinteger(name)]
    JOIN INNER [k = k]
      FILTER (n > 3)
        SCAN big [k INTEGER, n INTEGER, v BIGINT]
      FILTER (m < 4)
        SCAN small [k INTEGER, m INTEGER, name VARCHAR]
tails PROJECTION, PROJECTION
)");
  Expect("SELECT small.name, big.v, big.s FROM big JOIN small ON big.k = small.k", R"(
PROJECT [name, v, s]
  JOIN INNER [k = k]
    SCAN big [k INTEGER, v BIGINT, s VARCHAR]
    SCAN small [k INTEGER, name VARCHAR]
)");
  Expect(R"(SELECT sum(b.v) FROM big b JOIN small x ON b.k = x.k JOIN small y ON b.n = y.m
      WHERE x.name = 's1' AND y.name = 's2' AND b.n < 4)",
         R"(
AGGREGATE groups=[] aggregates=[sum(v)::HUGEINT]
  JOIN INNER [n = m]
    JOIN INNER [k = k]
      FILTER (n < 4)
        SCAN big [k INTEGER, n INTEGER, v BIGINT]
      FILTER (name = 's1')
        SCAN small [k INTEGER, name VARCHAR]
    FILTER ((m < 4) AND (name = 's2'))
      SCAN small [m INTEGER, name VARCHAR]
tails PROJECTION
)");
}

TEST_F(JoinCaptureTest, OuterJoinsKeepTheProbeSide) {
  Expect("SELECT big.v, small.m FROM big LEFT JOIN small ON big.k = small.k", R"(
PROJECT [v, m]
  JOIN LEFT [k = k]
    SCAN big [k INTEGER, v BIGINT]
    SCAN small [k INTEGER, m INTEGER]
)");
  // DuckDB's RIGHT join, whose columns are those of big and then those of small.
  Expect("SELECT small.m, big.v FROM small LEFT JOIN big ON big.k = small.k", R"(
PROJECT [m, v]
  JOIN LEFT [k = k]
    SCAN small [k INTEGER, m INTEGER]
    SCAN big [k INTEGER, v BIGINT]
)");
  Expect("SELECT * FROM big RIGHT JOIN small ON big.k = small.k AND big.n <= small.m", R"(
PROJECT [#3, n, s, v, k, m, name]
  JOIN LEFT [k = k] AND (n <= m)
    SCAN small [k INTEGER, m INTEGER, name VARCHAR]
    SCAN big [k INTEGER, n INTEGER, s VARCHAR, v BIGINT]
)");
}

TEST_F(JoinCaptureTest, SemiAndAntiJoins) {
  Expect("SELECT sum(v) FROM big WHERE k IN (SELECT k FROM small)", R"(
AGGREGATE groups=[] aggregates=[sum(v)::HUGEINT]
  JOIN SEMI [k = k]
    SCAN big [k INTEGER, v BIGINT]
    SCAN small [k INTEGER]
tails PROJECTION
)");
  Expect("SELECT sum(v) FROM big SEMI JOIN small ON big.k = small.k AND big.n <> small.m", R"(
AGGREGATE groups=[] aggregates=[sum(v)::HUGEINT]
  JOIN SEMI [k = k] AND (n <> m)
    SCAN big [k INTEGER, n INTEGER, v BIGINT]
    SCAN small [k INTEGER, m INTEGER]
tails PROJECTION
)");
  Expect("SELECT sum(v) FROM big ANTI JOIN small ON big.k = small.k", R"(
AGGREGATE groups=[] aggregates=[sum(v)::HUGEINT]
  JOIN ANTI [k = k]
    SCAN big [k INTEGER, v BIGINT]
    SCAN small [k INTEGER]
tails PROJECTION
)");
  // RIGHT_SEMI and RIGHT_ANTI.
  Expect("SELECT m, name FROM small SEMI JOIN big ON big.k = small.k AND big.n < small.m", R"(
PROJECT [m, name]
  JOIN SEMI [k = k] AND (n < m)
    SCAN small [k INTEGER, m INTEGER, name VARCHAR]
    SCAN big [k INTEGER, n INTEGER]
)");
  Expect(R"(SELECT m, name FROM small
      ANTI JOIN big ON big.k = small.k AND big.n IS DISTINCT FROM small.m)",
         R"(
PROJECT [m, name]
  JOIN ANTI [k = k] AND (n IS DISTINCT FROM m)
    SCAN small [k INTEGER, m INTEGER, name VARCHAR]
    SCAN big [k INTEGER, n INTEGER]
)");
}

TEST_F(JoinCaptureTest, Conditions) {
  Expect("SELECT sum(v) FROM big JOIN small ON big.k IS NOT DISTINCT FROM small.k", R"(
AGGREGATE groups=[] aggregates=[sum(v)::HUGEINT]
  JOIN INNER [k IS NOT DISTINCT FROM k]
    SCAN big [k INTEGER, v BIGINT]
    SCAN small [k INTEGER]
tails PROJECTION
)");
  Expect("SELECT sum(v) FROM big JOIN small ON big.v = small.k", R"(
AGGREGATE groups=[] aggregates=[sum(v)::HUGEINT]
  JOIN INNER [v = CAST(k AS BIGINT)]
    SCAN big [v BIGINT]
    SCAN small [k INTEGER]
tails PROJECTION
)");
  Expect(R"(SELECT sum(v) FROM big JOIN small
      ON big.k = small.k AND big.n > small.m AND big.s = small.name)",
         R"(
AGGREGATE groups=[] aggregates=[sum(v)::HUGEINT]
  JOIN INNER [k = k, s = name] AND (n > m)
    SCAN big [k INTEGER, n INTEGER, s VARCHAR, v BIGINT]
    SCAN small [k INTEGER, m INTEGER, name VARCHAR]
tails PROJECTION
)");
  Expect(R"(SELECT sum(v) FROM big JOIN small
      ON length(big.s) = small.m AND length(big.s) < length(small.name))",
         R"(
AGGREGATE groups=[] aggregates=[sum(v)::HUGEINT]
  JOIN INNER [length(s) = CAST(m AS BIGINT)] AND (length(s) < length(name))
    SCAN big [s VARCHAR, v BIGINT]
    SCAN small [m INTEGER, name VARCHAR]
tails PROJECTION
)");
}

// Conditions of the side that a join keeps make one predicate of all of them.
TEST_F(JoinCaptureTest, EqualitiesWithinAPredicate) {
  Expect("SELECT big.v, small.m FROM big LEFT JOIN small ON big.k = small.k AND big.n > 3", R"(
PROJECT [v, m]
  JOIN LEFT [k = k] AND (n > 3)
    SCAN big [k INTEGER, n INTEGER, v BIGINT]
    SCAN small [k INTEGER, m INTEGER]
)");
  Expect("SELECT big.v, small.m FROM big RIGHT JOIN small ON big.k = small.k AND small.m > 3", R"(
PROJECT [v, m]
  JOIN LEFT [k = k] AND (m > 3)
    SCAN small [k INTEGER, m INTEGER]
    SCAN big [k INTEGER, v BIGINT]
)");
  Expect(R"(SELECT sum(v) FROM big SEMI JOIN small ON big.s = small.name
      AND big.k IS NOT DISTINCT FROM small.k AND (big.n > 3 OR small.m = 1))",
         R"(
AGGREGATE groups=[] aggregates=[sum(v)::HUGEINT]
  JOIN SEMI [k IS NOT DISTINCT FROM k, s = name] AND ((n > 3) OR (m = 1))
    SCAN big [s VARCHAR, k INTEGER, n INTEGER, v BIGINT]
    SCAN small [name VARCHAR, k INTEGER, m INTEGER]
tails PROJECTION
)");
  Expect("SELECT sum(v) FROM big ANTI JOIN small ON big.k = small.k AND big.n = 2", R"(
AGGREGATE groups=[] aggregates=[sum(v)::HUGEINT]
  JOIN ANTI [k = k] AND (n = 2)
    SCAN big [k INTEGER, n INTEGER, v BIGINT]
    SCAN small [k INTEGER]
tails PROJECTION
)");
}

TEST_F(JoinCaptureTest, ATableMayBeJoinedToItself) {
  const std::string sql =
      R"(SELECT sum(a.v) FROM big a JOIN big b ON a.k = b.k AND a.n < b.n
      WHERE a.s = 's1' AND b.s <> 's2')";
  Expect(sql, R"(
AGGREGATE groups=[] aggregates=[sum(v)::HUGEINT]
  JOIN INNER [k = k] AND (n < #5)
    FILTER (s = 's1')
      SCAN big [k INTEGER, n INTEGER, s VARCHAR, v BIGINT]
    FILTER (s != 's2')
      SCAN big [k INTEGER, n INTEGER, s VARCHAR]
tails PROJECTION
)");
  const CaptureFindings& findings = Capture(sql);
  ASSERT_EQ(findings.parts.size(), 1);
  const CapturedPart& part = findings.parts[0].part;
  ASSERT_EQ(part.tables.size(), 2);
  EXPECT_EQ(part.tables[0].oid, part.tables[1].oid);
  EXPECT_EQ(part.text, "SCAN big, FILTER, JOIN INNER (SCAN big, FILTER), AGGREGATE");
}

TEST_F(JoinCaptureTest, TablesAreInTheOrderOfTheScans) {
  Run("ATTACH ':memory:' AS other");
  Run("CREATE TABLE other.third AS SELECT k, name FROM small");
  const CaptureFindings& findings = Capture(
      R"(SELECT count(*) FROM other.third o LEFT JOIN big ON big.k = o.k
      WHERE o.name IN (SELECT name FROM small WHERE m = 1))");
  ASSERT_EQ(findings.parts.size(), 1);
  const CapturedPart& part = findings.parts[0].part;
  const std::vector<const plan::Node*> scans = plan::Scans(*part.plan);
  ASSERT_EQ(part.tables.size(), 3);
  ASSERT_EQ(scans.size(), 3);
  for (size_t i = 0; i < 3; i++) {
    EXPECT_EQ(part.tables[i].name, scans[i]->Table());
    EXPECT_EQ(part.tables[i].catalog == "other", part.tables[i].name == "third");
  }
}

TEST_F(JoinCaptureTest, FunctionsOfStringsAboveJoins) {
  Expect("SELECT x.name || '!', count(*) FROM big JOIN small x ON big.k = x.k GROUP BY 1", R"(
AGGREGATE groups=[(name || '!')] aggregates=[count(*)::BIGINT]
  PROJECT [name]
    JOIN INNER [k = k]
      SCAN big [k INTEGER]
      SCAN small [k INTEGER, name VARCHAR]
tails PROJECTION, PROJECTION
)");
  Expect(R"(SELECT sum(length(c)), sum(length(s)) FROM big
      JOIN (SELECT k, coalesce(name, 'none') AS c FROM small) x ON big.k = x.k)",
         R"(
AGGREGATE groups=[] aggregates=[sum(length(COALESCE(name, 'none')))::HUGEINT, sum(length(s))::HUGEINT]
  JOIN INNER [k = k]
    SCAN big [k INTEGER, s VARCHAR]
    PROJECT [k, name]
      SCAN small [k INTEGER, name VARCHAR]
tails PROJECTION
)");
}

TEST_F(JoinCaptureTest, OuterJoinsMakeNullsThatAnExpressionWouldNot) {
  const std::string from =
      R"( FROM big LEFT JOIN (SELECT k, coalesce(name, 'none') AS c, upper(name) AS u FROM small) x
      ON big.k = x.k)";
  Expect("SELECT sum(length(u))" + from, R"(
AGGREGATE groups=[] aggregates=[sum(length(upper(name)))::HUGEINT]
  JOIN LEFT [k = k]
    SCAN big [k INTEGER]
    PROJECT [k, name]
      SCAN small [k INTEGER, name VARCHAR]
tails PROJECTION
)");
  Expect("SELECT count(c)" + from, R"(
AGGREGATE groups=[] aggregates=[count(c)::BIGINT]
  JOIN LEFT [k = k]
    SCAN big [k INTEGER]
    PROJECT [k, COALESCE(name, 'none')]
      SCAN small [k INTEGER, name VARCHAR]
tails PROJECTION
)");
  ExpectTailReason("SELECT sum(length(c))" + from, "the function length is not supported yet");
}

//! DuckDB compresses what a large hash table holds.
TEST_F(JoinCaptureTest, CompressedStringsAreTheStringsThemselves) {
  Run(R"(CREATE TABLE one AS SELECT 'key ' || i AS t, i % 3 AS a, 'text ' || i % 10 AS p
      FROM range(1500000) r(i))");
  Run("CREATE TABLE two AS SELECT t, a AS b, p AS q FROM one");
  Expect(R"(SELECT one.p, two.q, sum(length(q)) FROM one JOIN two ON one.t = two.t
      GROUP BY ALL)",
         R"(
AGGREGATE groups=[#0, q] aggregates=[sum(length(q))::HUGEINT]
  PROJECT [__internal_compress_string_ubigint(p), q]
    JOIN INNER [t = t]
      PROJECT [p, t]
        SCAN one [t VARCHAR, p VARCHAR]
      PROJECT [t, q]
        SCAN two [t VARCHAR, q VARCHAR]
tails PROJECTION, PROJECTION
)");
}

TEST_F(JoinCaptureTest, JoinsWithoutAnEquality) {
  Expect("SELECT sum(v) FROM big JOIN small ON big.k < small.k", R"(
AGGREGATE groups=[] aggregates=[sum(v)::HUGEINT]
  JOIN INNER [] AND (k < #2)
    SCAN big [k INTEGER, v BIGINT]
    SCAN small [k INTEGER]
tails PROJECTION
)");
  Expect("SELECT sum(v), sum(m) FROM big LEFT JOIN small ON big.n > 3 AND (big.k = 1 OR m = 2)", R"(
AGGREGATE groups=[] aggregates=[sum(v)::HUGEINT, sum(m)::HUGEINT]
  JOIN LEFT [] AND ((n > 3) AND ((k = 1) OR (m = 2)))
    SCAN big [n INTEGER, k INTEGER, v BIGINT]
    SCAN small [m INTEGER]
tails PROJECTION
)");
  Expect("SELECT sum(v), sum(m) FROM big, small", R"(
AGGREGATE groups=[] aggregates=[sum(v)::HUGEINT, sum(m)::HUGEINT]
  JOIN INNER []
    SCAN big [v BIGINT]
    SCAN small [m INTEGER]
tails PROJECTION
)");
}

TEST_F(JoinCaptureTest, CorrelatedSubQueries) {
  // The rows of the sub-query are joined themselves.
  Expect(R"(SELECT sum(v) FROM big
      WHERE EXISTS (SELECT 1 FROM small WHERE small.k = big.k AND small.m < 3))",
         R"(
AGGREGATE groups=[] aggregates=[sum(v)::HUGEINT]
  JOIN SEMI [k = k]
    SCAN big [k INTEGER, v BIGINT]
    FILTER (m < 3)
      SCAN small [k INTEGER, m INTEGER]
tails PROJECTION
)");
  // One value per value of the outer rows.
  Expect("SELECT sum((SELECT count(*) FROM small WHERE small.k = big.k)) FROM big", R"(
AGGREGATE groups=[] aggregates=[sum(#0)::HUGEINT]
  PROJECT [#3]
    FILTER CASE WHEN (#2 > 1) THEN fault() ELSE true END
      JOIN LEFT [k IS NOT DISTINCT FROM #0]
        SCAN big [k INTEGER]
        AGGREGATE groups=[#1] aggregates=[count(*)::BIGINT, min(#0)::BIGINT]
          PROJECT [CASE WHEN (#2 IS NULL) THEN 0 ELSE #2 END, #0]
            JOIN LEFT [#0 = #0]
              AGGREGATE groups=[k] aggregates=[]
                SCAN big [k INTEGER]
              PROJECT [(CAST(#0 AS INTEGER) + 0), #1]
                AGGREGATE groups=[#0] aggregates=[count(*)::BIGINT]
                  PROJECT [CAST((k - 0) AS USMALLINT)]
                    FILTER (k IS NOT NULL)
                      SCAN small [k INTEGER]
tails PROJECTION
)");
  Expect("SELECT sum(v) FROM big WHERE k NOT IN (SELECT k FROM small)", R"(
AGGREGATE groups=[] aggregates=[sum(v)::HUGEINT]
  FILTER (NOT #1)
    PROJECT [#1, CASE WHEN (#3 IS NOT NULL) THEN true WHEN (#5 IS NULL) THEN false WHEN ((k IS NULL) OR (#6 < #5)) THEN NULL::BOOLEAN ELSE false END]
      JOIN LEFT [0 = #0]
        JOIN LEFT [k = #0]
          SCAN big [k INTEGER, v BIGINT]
          AGGREGATE groups=[k] aggregates=[count(*)::BIGINT]
            SCAN small [k INTEGER]
        AGGREGATE groups=[0] aggregates=[count(*)::BIGINT, count(k)::BIGINT]
          SCAN small [k INTEGER]
tails PROJECTION
)");
  // The parts of a sub-query don't run apart.
  ExpectNote(R"(SELECT sum(v) FROM big
      WHERE EXISTS (SELECT 1 FROM small WHERE small.k = big.k AND gcd(small.m, 6) = 3))",
             "the function gcd is not supported yet");
}

TEST_F(JoinCaptureTest, CommonTables) {
  Expect(R"(WITH c AS MATERIALIZED (SELECT n, sum(v) AS s FROM big GROUP BY n)
      SELECT count(*) FROM c a JOIN c b ON a.s = b.s)",
         R"(
AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
  JOIN INNER [#0 = #0]
    PROJECT [#1]
      AGGREGATE groups=[#0] aggregates=[sum(v)::HUGEINT]
        PROJECT [CAST((n - 0) AS UTINYINT), v]
          SCAN big [n INTEGER, v BIGINT]
    PROJECT [#1]
      AGGREGATE groups=[#0] aggregates=[sum(v)::HUGEINT]
        PROJECT [CAST((n - 0) AS UTINYINT), v]
          SCAN big [n INTEGER, v BIGINT]
)");
  // Where DuckDB reads it, it is a part by itself.
  Expect(R"(WITH c AS MATERIALIZED (SELECT n, sum(v) AS s FROM big GROUP BY n)
      SELECT median(a.s) FROM c a JOIN c b ON a.s = b.s)",
         R"(
AGGREGATE groups=[#0] aggregates=[sum(v)::HUGEINT]
  PROJECT [CAST((n - 0) AS UTINYINT), v]
    SCAN big [n INTEGER, v BIGINT]
tails PROJECTION, PROJECTION, CTE
)");
}

TEST_F(JoinCaptureTest, RefusedJoins) {
  ExpectTailReason("SELECT sum(v) FROM big WHERE (k, n) NOT IN (SELECT k, m FROM small)",
                   "IN with several values is not supported yet");
  ExpectTailReason("SELECT sum(v) FROM big ASOF JOIN small ON big.k >= small.k",
                   "ASOF_JOIN is not supported yet");

  // An input may be an aggregate.
  Expect(
      "SELECT sum(v + x) FROM big JOIN (SELECT m, sum(k) AS x FROM small GROUP BY m) g ON big.n = "
      "g.m",
      R"(
AGGREGATE groups=[] aggregates=[sum((CAST(v AS HUGEINT) + #3))::HUGEINT]
  JOIN INNER [n = #0]
    FILTER (n <= 4)
      SCAN big [n INTEGER, v BIGINT]
    PROJECT [(CAST(#0 AS INTEGER) + 0), #1]
      AGGREGATE groups=[#0] aggregates=[sum(k)::HUGEINT]
        PROJECT [CAST((m - 0) AS UTINYINT), k]
          SCAN small [m INTEGER, k INTEGER]
tails PROJECTION
)");
}

//! Evaluates the dictionary function that is the first output of a query.
class DictionaryTest : public CaptureTest {
 protected:
  plan::DictionaryResults Evaluate(const std::string& sql,
                                   const std::vector<std::string_view>& values) {
    const CaptureFindings& findings = Capture("EXPLAIN " + sql);
    const plan::NodePointer plan = findings.parts.at(0).part.plan;
    const plan::Expression& expression = *plan->Expressions().at(0);
    EXPECT_EQ(expression.GetOperation(), plan::Operation::Dictionary) << plan->ToString();
    return expression.Function().Evaluate(values);
  }
};

TEST_F(DictionaryTest, BooleansAndNull) {
  const auto results = Evaluate("SELECT s LIKE 'a%' FROM t", {"apple", "bread"});
  EXPECT_EQ(results.states, std::vector<State>({State::Valid, State::Valid, State::Null}));
  ASSERT_EQ(results.integers.size(), 3);
  EXPECT_EQ(results.integers[0], 1);
  EXPECT_EQ(results.integers[1], 0);
}

TEST_F(DictionaryTest, NullMayGiveAValue) {
  const auto results = Evaluate("SELECT COALESCE(s, 'none') || '!' FROM t", {"a", "b"});
  EXPECT_EQ(results.states, std::vector<State>(3, State::Valid));
  EXPECT_EQ(results.texts, std::vector<std::string>({"a!", "b!", "none!"}));
}

TEST_F(DictionaryTest, OnlyValuesAtFaultAreErrors) {
  const auto results = Evaluate(
      "SELECT x FROM (SELECT TRY_CAST(s AS INTEGER) + length(s)::INTEGER AS x FROM t)", {"12"});
  EXPECT_EQ(results.states, std::vector<State>({State::Valid, State::Null}));
  EXPECT_EQ(results.integers[0], 14);

  const auto casts = Evaluate("SELECT s::INTEGER FROM t", {"1", "two", "3"});
  EXPECT_EQ(casts.states,
            std::vector<State>({State::Valid, State::Error, State::Valid, State::Null}));
  EXPECT_EQ(casts.integers[2], 3);
}

TEST_F(DictionaryTest, ManyVectorsOfEveryKind) {
  std::vector<std::string> texts;
  for (int i = 10'000; i < 20'000; i++) {
    texts.push_back("a text that is not short " + std::to_string(i));
  }
  const std::vector<std::string_view> values(texts.begin(), texts.end());
  const auto reals = Evaluate("SELECT right(s, 5)::DOUBLE / 2 FROM t", values);
  const auto decimals = Evaluate("SELECT right(s, 5)::DECIMAL(30,2) FROM t", values);
  const auto copies = Evaluate("SELECT upper(s) FROM t", values);
  for (int i = 0; i < 10'000; i++) {
    ASSERT_EQ(reals.reals[i], (10'000 + i) / 2.0);
    ASSERT_EQ(decimals.integers[i], Int128{10'000 + i} * 100);
    ASSERT_EQ(copies.texts[i], "A TEXT THAT IS NOT SHORT " + std::to_string(10'000 + i));
  }
  EXPECT_EQ(reals.states.back(), State::Null);
  EXPECT_EQ(copies.states.size(), values.size() + 1);
}

//! How the first output of a query is computed for a column without a dictionary.
class ByRowTest : public CaptureTest {
 protected:
  std::string ByRow(const std::string& expression) {
    const CaptureFindings& findings = Capture("EXPLAIN SELECT " + expression + " FROM t");
    const plan::NodePointer plan = findings.parts.at(0).part.plan;
    const plan::Expression& output = *plan->Expressions().at(0);
    EXPECT_EQ(output.GetOperation(), plan::Operation::Dictionary) << plan->ToString();
    return output.Operands().size() == 2 ? output.Operand(1).ToString() : "none";
  }
};

TEST_F(ByRowTest, Predicates) {
  EXPECT_EQ(ByRow("s LIKE 'a%b_'"), "(s LIKE 'a%b_')");
  EXPECT_EQ(ByRow("s NOT LIKE '%a%b%'"), "(NOT (s LIKE '%a%b%'))");
  EXPECT_EQ(ByRow("s LIKE 'a%'"), "PREFIX(s, 'a')");
  EXPECT_EQ(ByRow("s LIKE '%a'"), "SUFFIX(s, 'a')");
  EXPECT_EQ(ByRow("s LIKE '%a%'"), "CONTAINS(s, 'a')");
  EXPECT_EQ(ByRow("starts_with(s, 'a')"), "PREFIX(s, 'a')");
  EXPECT_EQ(ByRow("s = 'a'"), "(s = 'a')");
  EXPECT_EQ(ByRow("s >= 'a' AND s < 'b'"), "((s >= 'a') AND (s < 'b'))");
  EXPECT_EQ(ByRow("s IN ('a', 'b', 'c')"), "((s = 'a') OR (s = 'b') OR (s = 'c'))");
  EXPECT_EQ(ByRow("s IS DISTINCT FROM 'a'"), "(s IS DISTINCT FROM 'a')");
}

TEST_F(ByRowTest, Lengths) {
  EXPECT_EQ(ByRow("length(s) + 1"), "(LENGTH(s) + 1)");
  EXPECT_EQ(ByRow("strlen(s)"), "STRLEN(s)");
  EXPECT_EQ(ByRow("CASE WHEN s LIKE '%a%' THEN strlen(s) ELSE 0 END"),
            "CASE WHEN CONTAINS(s, 'a') THEN STRLEN(s) ELSE 0 END");
}

TEST_F(ByRowTest, WhatThePlanHasNoOperationsFor) {
  for (const char* expression :
       {"upper(s)", "s ILIKE 'a%'", "s LIKE 'a!%' ESCAPE '!'", "s || 'x' = 'ax'", "s::INTEGER",
        "contains(upper(s), 'A')", "COALESCE(s, 'none')", "s ~ 'a.*'"}) {
    EXPECT_EQ(ByRow(expression), "none") << expression;
  }
}

TEST_F(ByRowTest, ThroughProjections) {
  const CaptureFindings& findings =
      Capture("EXPLAIN SELECT x LIKE '%a%b%' FROM (SELECT b, s AS x FROM t WHERE a > 5)");
  const plan::Expression& output = *findings.parts.at(0).part.plan->Expressions().at(0);
  ASSERT_EQ(output.Operands().size(), 2U);
  EXPECT_EQ(output.Operand(1).ToString(), "(s LIKE '%a%b%')");
}

TEST(TypeConversion, RoundTrips) {
  using duckdb::LogicalType;
  const std::vector<LogicalType> types = {
      LogicalType::BOOLEAN,       LogicalType::TINYINT,         LogicalType::SMALLINT,
      LogicalType::INTEGER,       LogicalType::BIGINT,          LogicalType::HUGEINT,
      LogicalType::UTINYINT,      LogicalType::USMALLINT,       LogicalType::UINTEGER,
      LogicalType::UBIGINT,       LogicalType::UHUGEINT,        LogicalType::DECIMAL(4, 1),
      LogicalType::DECIMAL(9, 0), LogicalType::DECIMAL(18, 18), LogicalType::DECIMAL(38, 2),
      LogicalType::DATE,          LogicalType::TIMESTAMP,       LogicalType::FLOAT,
      LogicalType::DOUBLE,        LogicalType::VARCHAR};
  for (const LogicalType& type : types) {
    ASSERT_TRUE(ToPlanType(type).has_value()) << type.ToString();
    EXPECT_EQ(ToLogicalType(*ToPlanType(type)), type);
  }
  const std::vector<LogicalType> others = {LogicalType::TIME,
                                           LogicalType::INTERVAL,
                                           LogicalType::BLOB,
                                           LogicalType::UUID,
                                           LogicalType::TIMESTAMP_TZ,
                                           LogicalType::TIMESTAMP_S,
                                           LogicalType::TIMESTAMP_MS,
                                           LogicalType::TIMESTAMP_NS,
                                           LogicalType::BIT,
                                           LogicalType::SQLNULL,
                                           LogicalType::LIST(LogicalType::INTEGER),
                                           LogicalType::VARCHAR_COLLATION("NOCASE"),
                                           LogicalType::JSON()};
  for (const LogicalType& type : others) {
    EXPECT_FALSE(ToPlanType(type).has_value()) << type.ToString();
  }
}

TEST(TypeConversion, Constants) {
  EXPECT_TRUE(ToConstant(duckdb::Value(duckdb::LogicalType::INTEGER)).is_null);
  EXPECT_EQ(ToConstant(duckdb::Value::BOOLEAN(true)).integer, 1);
  EXPECT_EQ(ToConstant(duckdb::Value::TINYINT(-5)).integer, -5);
  EXPECT_EQ(ToConstant(duckdb::Value::UBIGINT(~uint64_t{0})).integer, Int128{~uint64_t{0}});
  EXPECT_EQ(ToConstant(duckdb::Value::DECIMAL(int64_t{-1234}, 15, 2)).integer, -1234);
  EXPECT_EQ(ToConstant(duckdb::Value::DATE(duckdb::date_t(19'000))).integer, 19'000);
  EXPECT_EQ(ToConstant(duckdb::Value::FLOAT(0.5F)).real, 0.5);
  EXPECT_EQ(ToConstant(duckdb::Value("text")).text, "text");
  for (const Int128 value : {kInt128Min, Int128{-1}, Int128{0}, kInt128Max}) {
    EXPECT_EQ(ToInt128(ToHugeint(value)), value);
    EXPECT_EQ(ToConstant(duckdb::Value::HUGEINT(ToHugeint(value))).integer, value);
  }
}

}  // namespace
}  // namespace margay::integration
