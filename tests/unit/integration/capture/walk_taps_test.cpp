// Where rows of DuckDB become the input of a part.
#include "capture_fixture.hpp"

namespace margay::integration {
namespace {

TEST_F(CaptureTest, Taps) {
  Expect("SELECT c, sum(i) FROM t JOIN range(1000) r(i) ON a = i GROUP BY c", R"(
AGGREGATE groups=[#0] aggregates=[sum("#1")::HUGEINT]
  PROJECT [COMPRESS((c - 0) AS UTINYINT), "#1"]
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
  PROJECT [COMPRESS((a - 0) AS UTINYINT), b]
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

}  // namespace
}  // namespace margay::integration
