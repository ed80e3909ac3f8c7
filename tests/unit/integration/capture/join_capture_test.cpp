// Joins and sub-queries.
#include "capture_fixture.hpp"

namespace margay::integration {
namespace {

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
                  PROJECT [COMPRESS((k - 0) AS USMALLINT)]
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
        PROJECT [COMPRESS((n - 0) AS UTINYINT), v]
          SCAN big [n INTEGER, v BIGINT]
    PROJECT [#1]
      AGGREGATE groups=[#0] aggregates=[sum(v)::HUGEINT]
        PROJECT [COMPRESS((n - 0) AS UTINYINT), v]
          SCAN big [n INTEGER, v BIGINT]
)");
  // Where DuckDB reads it, it is a part by itself.
  Expect(R"(WITH c AS MATERIALIZED (SELECT n, sum(v) AS s FROM big GROUP BY n)
      SELECT median(a.s) FROM c a JOIN c b ON a.s = b.s)",
         R"(
AGGREGATE groups=[#0] aggregates=[sum(v)::HUGEINT]
  PROJECT [COMPRESS((n - 0) AS UTINYINT), v]
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
        PROJECT [COMPRESS((m - 0) AS UTINYINT), k]
          SCAN small [m INTEGER, k INTEGER]
tails PROJECTION
)");
}

}  // namespace
}  // namespace margay::integration
