// Expressions of numbers, dates and strings.
#include "capture_fixture.hpp"

namespace margay::integration {
namespace {

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

TEST_F(CaptureTest, CompressedKeysArePlainArithmetic) {
  Expect("SELECT a, s, count(*) FROM t GROUP BY a, s ORDER BY a", R"(
PROJECT [(CAST(#0 AS INTEGER) + 0), #2, #1]
  ORDER [#0 ASC NULLS LAST]
    PROJECT [COMPRESS((#0 - 0) AS UTINYINT), #2, #1]
      PROJECT [(CAST(#0 AS INTEGER) + 0), #2, #1]
        PROJECT [#0, #2, s]
          AGGREGATE groups=[#0, s] aggregates=[count(*)::BIGINT]
            PROJECT [COMPRESS((a - 0) AS UTINYINT), s]
              SCAN t [a INTEGER, s VARCHAR]
)");
  Expect("SELECT a FROM t ORDER BY b", R"(
PROJECT [(CAST(#0 AS INTEGER) + 0)]
  ORDER [#1 ASC NULLS LAST]
    PROJECT [COMPRESS((a - 0) AS UTINYINT), COMPRESS((b - 0) AS USMALLINT)]
      SCAN t [a INTEGER, b BIGINT]
)");
}

TEST_F(CaptureTest, ConstantStringsAreOutputs) {
  Expect("SELECT 'x', a FROM t", R"(
PROJECT ['x', a]
  SCAN t [a INTEGER]
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

TEST_F(CaptureTest, DivisionAndDifferences) {
  Expect("SELECT g / b, dt - DATE '2020-01-01' FROM t", R"(
PROJECT [(g / CAST(b AS DOUBLE)), (dt - DATE '2020-01-01')]
  SCAN t [g DOUBLE, b BIGINT, dt DATE]
)");
}

}  // namespace
}  // namespace margay::integration
