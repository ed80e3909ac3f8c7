// Kernels are found by decisions: other constants, and columns that are encoded anew, need no other
// ones.
#include <array>
#include <ostream>
#include <string>
#include <vector>

#include "test_database.hpp"

namespace margay::integration {
namespace {

struct Query {
  std::string name;
  //! With a '#' for each constant.
  std::string text;

  std::string With(uint64_t constant) const {
    std::string filled = text;
    for (size_t place = filled.find('#'); place != std::string::npos; place = filled.find('#'))
      filled.replace(place, 1, std::to_string(constant));
    return filled;
  }

  friend void PrintTo(const Query& query, std::ostream* output) { *output << query.name; }
};

const std::array<Query, 5> kQueries = {{
    {"Sum", "SELECT sum(v), count(*), min(k) FROM t WHERE k < #"},
    {"Groups",
     "SELECT g, sum(v * 3), avg(v) FROM t WHERE k BETWEEN 1000 AND # GROUP BY g ORDER BY g"},
    {"ManyGroups",
     "SELECT count(*), sum(n) FROM (SELECT k % 7 m, w, count(*) n FROM t WHERE k <> # GROUP BY m, "
     "w)"},
    {"Join",
     "SELECT g, count(*), sum(p) FROM t JOIN u ON w = u.w2 WHERE k < # AND p <> # GROUP BY g "
     "ORDER BY g"},
    {"FirstRows", "SELECT k, s FROM t WHERE s <> 'text #' AND v < # ORDER BY v DESC, k LIMIT 5"},
}};

class LateBindingTest : public ::testing::TestWithParam<std::tuple<std::string, Query>> {
 protected:
  LateBindingTest() {
    database_.Run(
        "CREATE TABLE t AS SELECT i k, i % 7 g, i % 50021 v, (i * 7919) % 50000 w, "
        "'text ' || (i % 50) s FROM range(100000) r(i)");
    database_.Run("CREATE TABLE u AS SELECT i * 3 w2, i % 40000 p FROM range(20000) r(i)");
    database_.Run("SET margay_mode = 'force'");
    database_.Run("SET margay_shape = '" + std::get<0>(GetParam()) + "'");
  }

  //! The kernels that were written, and those that were compiled or loaded.
  std::pair<uint64_t, uint64_t> Kernels() {
    return {database_.Counter("kernels_written"), database_.Counter("kernels_compiled")};
  }

  void Compare(const std::string& query) {
    EXPECT_EQ(database_.Query(query), database_.Reference(query)) << query;
  }

  TestDatabase database_;
};

TEST_P(LateBindingTest, OtherConstantsNeedNoOtherKernels) {
  constexpr uint64_t kConstants = 1000;
  constexpr uint64_t kFirst = 40000;  // all of them take 16 bits
  const Query& query = std::get<1>(GetParam());
  Compare(query.With(kFirst));
  const auto kernels = Kernels();
  EXPECT_GT(kernels.first, 0U);
  const uint64_t lowered = database_.Counter("parts_lowered");
  const uint64_t executions = database_.Counter("device_executions");
  for (uint64_t i = 1; i <= kConstants; i++) {
    const std::string text = query.With(kFirst + i);
    if (i % 50 == 0) {
      Compare(text);
    } else {
      database_.Run(text);
    }
  }
  EXPECT_EQ(database_.Counter("device_executions"), executions + kConstants);
  EXPECT_EQ(database_.Counter("parts_lowered"), lowered + kConstants);
  EXPECT_EQ(Kernels(), kernels);
}

TEST_P(LateBindingTest, ColumnsThatAreEncodedAnewNeedNoOtherKernels) {
  const Query& query = std::get<1>(GetParam());
  const std::string text = query.With(40000);
  Compare(text);
  const auto kernels = Kernels();
  for (int round = 0; round < 3; round++) {
    const uint64_t built = database_.Counter("columns_built");
    // Other rows, other bounds, other sizes of tables, other strings; the same widths and facts.
    // What is inserted is read from no table, as a device would run that too.
    const std::string added = std::to_string(300 * (round + 1));
    database_.Run("INSERT INTO t SELECT i + 100000 + " + std::to_string(1000 * round) +
                  ", i % 7, i * 70, i * 3, 'other ' || (i % 20) FROM range(" + added + ") r(i)");
    database_.Run("INSERT INTO u SELECT i + 60000 + " + std::to_string(1000 * round) +
                  ", i * 7 FROM range(" + added + ") r(i)");
    Compare(text);
    EXPECT_GT(database_.Counter("columns_built"), built);
  }
  EXPECT_EQ(Kernels(), kernels);
}

INSTANTIATE_TEST_SUITE_P(Shapes, LateBindingTest,
                         ::testing::Combine(::testing::Values("loop", "lanes"),
                                            ::testing::ValuesIn(kQueries)),
                         [](const auto& test) {
                           return std::get<0>(test.param) + std::get<1>(test.param).name;
                         });

}  // namespace
}  // namespace margay::integration
