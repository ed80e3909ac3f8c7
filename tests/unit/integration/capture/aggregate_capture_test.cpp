// Aggregates, DISTINCT and grouping sets.
#include "capture_fixture.hpp"

namespace margay::integration {
namespace {

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
  PROJECT [COMPRESS((b - 0) AS USMALLINT), COMPRESS((a - 3) AS UTINYINT)]
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
      PROJECT [COMPRESS((b - 0) AS USMALLINT)]
        SCAN t [b BIGINT]
    AGGREGATE groups=[#0] aggregates=[count(#1)::BIGINT]
      AGGREGATE groups=[#0, a] aggregates=[]
        PROJECT [COMPRESS((b - 0) AS USMALLINT), a]
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

TEST_F(CaptureTest, DistinctOn) {
  Expect("SELECT DISTINCT ON (g) g, a FROM t", R"(
PROJECT [#0, #1]
  JOIN SEMI [#2 = #1]
    PROJECT [g, #1, #2]
      PROJECT [g, COMPRESS((a - 0) AS UTINYINT), #2]
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
    PROJECT [g, COMPRESS((#1 - 0) AS UTINYINT)]
      PROJECT [g, (CAST(#1 AS INTEGER) + 0)]
        PROJECT [#0, #1]
          JOIN SEMI [#2 = #2]
            PROJECT [g, #1, #2]
              PROJECT [g, COMPRESS((a - 0) AS UTINYINT), #2]
                PROJECT [#0, #1, row_number(#0)]
                  SCAN t [g DOUBLE, a INTEGER]
            AGGREGATE groups=[g, #1] aggregates=[min(#2)::BIGINT]
              JOIN SEMI [g IS NOT DISTINCT FROM #0, #1 IS NOT DISTINCT FROM #1]
                PROJECT [g, #1, #2]
                  PROJECT [g, COMPRESS((a - 0) AS UTINYINT), #2]
                    PROJECT [#0, #1, row_number(#0)]
                      SCAN t [g DOUBLE, a INTEGER]
                AGGREGATE groups=[g] aggregates=[max(#1)::UTINYINT]
                  PROJECT [g, #1]
                    PROJECT [g, COMPRESS((a - 0) AS UTINYINT)]
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

}  // namespace
}  // namespace margay::integration
