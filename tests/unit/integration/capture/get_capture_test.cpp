// Scans, their filters, and which tables and columns are refused.
#include "capture_fixture.hpp"

namespace margay::integration {
namespace {

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

TEST_F(CaptureTest, NothingIsFoundWithoutTables) {
  Expect("SELECT 1", "");
  Expect("SELECT sum(i) FROM (VALUES (1), (2)) x(i)", "");
}

}  // namespace
}  // namespace margay::integration
