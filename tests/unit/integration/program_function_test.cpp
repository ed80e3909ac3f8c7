// margay_program(): the physical program of a query, before and after anything is encoded.
#include "integration/program_function.hpp"

#include "optimize/physical/outline.hpp"
#include "test_database.hpp"

namespace margay::integration {
namespace {

using optimize::Outline;

class ProgramFunctionTest : public ::testing::Test {
 protected:
  ProgramFunctionTest() {
    database_.Run(
        "CREATE TABLE t AS SELECT i, i % 10 AS g, 'k' || (i % 5) AS s, i / 7.0 AS f "
        "FROM range(200000) r(i)");
    database_.Run("CREATE TABLE u AS SELECT i AS k, i * 2 AS v FROM range(1000) r(i)");
  }

  //! Columns of the function's rows for `query`.
  std::string Find(const std::string& columns, const std::string& query) {
    std::string quoted;
    for (const char character : query) {
      quoted += character == '\'' ? "''" : std::string(1, character);
    }
    return database_.Query("SELECT " + columns + " FROM margay_program('" + quoted + "')");
  }

  static constexpr const char* kGroups = "SELECT g, sum(v) FROM t JOIN u ON i = k GROUP BY g";

  TestDatabase database_;
};

TEST_F(ProgramFunctionTest, TellsThePipelinesBeforeAnythingIsEncoded) {
  EXPECT_EQ(Find("operators LIKE 'SCAN t,%JOIN INNER%', statistics, reason", kGroups),
            "true|estimated|NULL");
  const Outline program = Outline::Read(Find("program", kGroups));
  const auto pipelines = program.PartsNamed("pipeline");
  ASSERT_EQ(pipelines.size(), 2U);
  EXPECT_EQ(pipelines[0]->PartsNamed("insert").size(), 1U);
  EXPECT_EQ(pipelines[1]->PartsNamed("probe").size(), 1U);
  EXPECT_EQ(pipelines[1]->PartsNamed("fold").size(), 1U);
  EXPECT_EQ(database_.Counter("columns_built"), 0U);
  EXPECT_EQ(database_.Query("SELECT count(*) FROM margay_cache()"), "0");
}

TEST_F(ProgramFunctionTest, IsThatOfTheImagesOnceTheyAreThere) {
  database_.Run("SET margay_mode = 'force'");
  database_.Run(kGroups);
  EXPECT_EQ(Find("statistics, reason", kGroups), "exact|NULL");
  const Outline program = Outline::Read(Find("program", kGroups));
  EXPECT_EQ(program.PartsNamed("sink").size(), 2U);
  EXPECT_EQ(Outline::Read(program.ToString()), program);
}

TEST_F(ProgramFunctionTest, FollowsTheSettings) {
  database_.Run("SET margay_shape = 'lanes'; SET margay_join_method = 'hash'");
  const Outline program = Outline::Read(Find("program", kGroups));
  EXPECT_EQ(*program.Find("shape"), "lanes");
  const Outline& build = *program.PartsNamed("pipeline")[0];
  EXPECT_EQ(*build.PartsNamed("insert")[0]->Find("method"), "hash");
}

TEST_F(ProgramFunctionTest, TakesAllTypesAndFilters) {
  for (const char* query :
       {"SELECT count(*) FROM t WHERE s = 'k1' AND f < 3.5", "SELECT s, max(f) FROM t GROUP BY s",
        "SELECT i FROM t WHERE s LIKE '%1' ORDER BY f DESC LIMIT 5",
        "SELECT sum(i) FROM (FROM t UNION ALL FROM t) WHERE g > 2",
        "SELECT count(DISTINCT s) FROM t LEFT JOIN u ON g = k"}) {
    const std::string text = Find("program", query);
    EXPECT_EQ(Outline::Read(text).ToString(), text) << query;
  }
}

TEST_F(ProgramFunctionTest, TellsWhyThereIsNone) {
  EXPECT_EQ(Find("*", "SELECT 1"), "");
  EXPECT_NE(Find("*", "DROP TABLE t").find("expected one SELECT statement, not 'DROP TABLE t'"),
            std::string::npos);
  EXPECT_NE(Find("*", "SELECT 1; SELECT 2").find("expected one SELECT"), std::string::npos);
  EXPECT_NE(Find("*", "SELECT x FROM t").find("\"x\" not found"), std::string::npos);
  EXPECT_NE(Find("*", "SELEC").find("syntax error"), std::string::npos);
  EXPECT_NE(database_.Query("FROM margay_program(NULL)").find("the query is NULL"),
            std::string::npos);
  EXPECT_EQ(database_.Query("SELECT count(*) FROM t"), "200000") << "nothing was dropped";
}

}  // namespace
}  // namespace margay::integration
