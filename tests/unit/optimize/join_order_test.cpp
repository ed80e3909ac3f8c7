// Which side of a join is built, where filters of build sides are worked off, and the estimates
// that decide about it.
#include "optimize/physical/join_order.hpp"

#include <gtest/gtest.h>

#include "integer_plans.hpp"
#include "optimize/estimate/selectivity.hpp"

namespace margay::optimize {
namespace {

using plan::Expression;
using plan::ExpressionPointer;
using plan::JoinKind;
using plan::Node;
using plan::NodePointer;
using plan::Operation;

//! Tables `head` (1,000 rows), `line` (100,000) and `owner` (50), each of a unique `id` from 0 on
//! and a column `k` of 100 values that are not unique.
constexpr uint64_t kHeadRows = 1000, kLineRows = 100'000, kOwnerRows = 50;

std::shared_ptr<const storage::ColumnForm> Form(uint64_t rows, int64_t max, bool is_unique) {
  storage::ColumnForm::Parts parts;
  parts.type = kInteger;
  parts.width = 4;
  parts.rows = parts.statistics.rows = rows;
  parts.segments.resize(1);
  parts.statistics.max = max;
  parts.statistics.distinct_count = is_unique ? rows : 0;
  parts.statistics.sorted = is_unique;
  return std::make_shared<storage::ColumnForm>(parts);
}

NodePointer Scan(const std::string& table) {
  return Node::Scan(table, {{0, "id", kInteger}, {1, "k", kInteger}});
}
NodePointer Join(JoinKind kind, NodePointer probe, size_t probe_column, NodePointer build,
                 size_t build_column) {
  return Node::Join(kind, std::move(probe), std::move(build),
                    {{Column(probe_column), Column(build_column)}}, nullptr);
}

struct Ordered {
  std::vector<InputColumn> columns;
  Stage program;
};

//! The program of a plan that scans tables of these numbers of rows.
Ordered Order(const NodePointer& plan, const std::vector<uint64_t>& rows,
              uint64_t memory = UINT64_MAX, Shape shape = Shape::Loop) {
  Ordered ordered;
  for (size_t table = 0; table < rows.size(); table++) {
    for (const bool is_id : {true, false}) {
      const int64_t max = is_id ? static_cast<int64_t>(rows[table]) - 1 : 99;
      ordered.columns.push_back(
          {ordered.columns.size(), table, is_id ? "id" : "k", Form(rows[table], max, is_id)});
    }
  }
  DictionaryCache dictionaries(ordered.columns);
  ordered.program =
      OrderJoins(Stage::From(*plan), ordered.columns, rows, dictionaries, shape, memory);
  return ordered;
}

TEST(JoinOrder, AUniqueSideIsBuilt) {
  const auto plan = Join(JoinKind::Inner, Scan("head"), 0, Scan("line"), 1);
  const Stage program = Order(plan, {kHeadRows, kLineRows}).program;
  EXPECT_EQ(program.result.table, 1u);
  ASSERT_EQ(program.builds.size(), 1u);
  EXPECT_EQ(program.builds[0].pipeline.table, 0u);
  EXPECT_EQ(program.builds[0].keys[0]->ToString(), "id");
  EXPECT_EQ(program.result.joins[0].keys[0].probe->ToString(), "k");
}

TEST(JoinOrder, OtherSidesStay) {
  // Keys that are not unique, or are on both sides, and kinds that are not symmetric.
  EXPECT_EQ(Order(Join(JoinKind::Inner, Scan("head"), 1, Scan("line"), 1), {kHeadRows, kLineRows})
                .program.result.table,
            0u);
  EXPECT_EQ(Order(Join(JoinKind::Inner, Scan("head"), 0, Scan("line"), 0), {kHeadRows, kLineRows})
                .program.result.table,
            0u);
  for (const JoinKind kind : {JoinKind::Left, JoinKind::Semi, JoinKind::Anti}) {
    EXPECT_EQ(Order(Join(kind, Scan("head"), 0, Scan("line"), 1), {kHeadRows, kLineRows})
                  .program.result.table,
              0u);
  }
}

TEST(JoinOrder, FewRowsAreLookedUpInALargerTableWithUniqueKeys) {
  const auto table = [](int64_t bound) {
    return Order(Join(JoinKind::Inner, Scan("line"), 0,
                      Node::Filter(Scan("head"), Compare(Operation::Less, 0, bound)), 1),
                 {kLineRows, kLineRows - 1})
        .program.result.table;
  };
  EXPECT_EQ(table(5000), 1u);
  EXPECT_EQ(table(99'000), 0u);
}

TEST(JoinOrder, CompressedIntegersAreComparedThemselves) {
  const auto distance = [](size_t column, int64_t from, plan::TypeKind kind) {
    return Expression::Make(
        Operation::Compress, kind,
        {Expression::Make(Operation::Subtract, kInteger,
                          {Column(column), Expression::Integer(from, kInteger)})});
  };
  const auto key = [&](int64_t probe_from, int64_t build_from, plan::TypeKind kind) {
    const auto join =
        Node::Join(JoinKind::Inner, Scan("line"), Scan("head"),
                   {{distance(1, probe_from, kind), distance(0, build_from, kind)}}, nullptr);
    const Stage program = Order(join, {kLineRows, kHeadRows}).program;
    EXPECT_EQ(program.builds[0].keys[0], program.result.joins[0].keys[0].build);
    return program.result.joins[0].keys[0].probe->ToString() + " = " +
           program.builds[0].keys[0]->ToString();
  };
  EXPECT_EQ(key(0, 0, plan::TypeKind::UInt16), "k = id");
  EXPECT_NE(key(0, -1, plan::TypeKind::UInt16), "k = id") << "another distance";
  EXPECT_NE(key(1, 1, plan::TypeKind::UInt16), "k = id") << "0 - 1 is an error";
  EXPECT_NE(key(0, 0, plan::TypeKind::UInt8), "k = id") << "999 is an error";
}

TEST(JoinOrder, JoinsOfBothSidesFollowTheSwap) {
  // owner.id = head.k below head.id = line.k: all end up behind the scan of line.
  const auto inner = Join(JoinKind::Inner, Scan("head"), 0, Scan("line"), 1);
  const auto plan = Node::Filter(Join(JoinKind::Inner, Scan("owner"), 0, inner, 1),
                                 Compare(Operation::Less, 1, 7));
  const Stage program = Order(plan, {kOwnerRows, kHeadRows, kLineRows}).program;
  EXPECT_EQ(program.result.table, 2u);
  ASSERT_EQ(program.result.joins.size(), 2u);
  EXPECT_EQ(program.builds[program.result.joins[0].build].pipeline.table, 1u);
  EXPECT_EQ(program.builds[program.result.joins[1].build].pipeline.table, 0u);
  EXPECT_EQ(program.result.joins[1].conjuncts.size(), 1u);
}

TEST(JoinOrder, FiltersAreLiftedWhereFewRowsArrive) {
  const auto plan = [](int64_t bound) {
    return Join(JoinKind::Inner, Node::Filter(Scan("line"), Compare(Operation::Less, 0, bound)), 1,
                Node::Filter(Scan("head"), Compare(Operation::Less, 1, 50)), 0);
  };
  const Stage lifted = Order(plan(500), {kLineRows, kHeadRows}).program;
  EXPECT_TRUE(lifted.builds[0].pipeline.conjuncts.empty());
  EXPECT_EQ(lifted.result.joins[0].conjuncts.size(), 1u);
  EXPECT_EQ(lifted.builds[0].expected_share, 1);
  const Stage built = Order(plan(50'000), {kLineRows, kHeadRows}).program;
  EXPECT_EQ(built.builds[0].pipeline.conjuncts.size(), 1u);
  EXPECT_TRUE(built.result.joins[0].conjuncts.empty());
  EXPECT_NEAR(built.builds[0].expected_share, 0.5, 0.01);
}

//! 100 rows with a unique `id`, and 5,000 of which 50 have each value of `k`.
constexpr uint64_t kFewRows = 100, kManyRows = 5000;

NodePointer Below(const std::string& table, size_t column, int64_t bound) {
  return Node::Filter(Scan(table), Compare(Operation::Less, column, bound));
}

TEST(JoinOrder, FewRowsAreLookedUpInALargeTable) {
  const auto plan = [](int64_t bound) {
    return Join(JoinKind::Inner, Below("many", 0, 2500), 1, Below("few", 0, bound), 0);
  };
  const Stage followed = Order(plan(2), {kManyRows, kFewRows}).program;
  EXPECT_EQ(followed.result.table, 1u);
  EXPECT_EQ(followed.result.conjuncts.size(), 1u);
  EXPECT_EQ(followed.builds[0].pipeline.table, 0u);
  EXPECT_TRUE(followed.builds[0].pipeline.conjuncts.empty()) << "the table can be kept";
  EXPECT_EQ(followed.result.joins[0].conjuncts.size(), 1u);
  // Two rows find 50 each, half of which pass; of 100 rows.
  EXPECT_NEAR(followed.expected_share, 0.5, 0.05);
  EXPECT_NEAR(followed.expected_scan_share, 0.02, 0.001);
  EXPECT_EQ(Order(plan(20), {kManyRows, kFewRows}).program.result.table, 0u);
}

TEST(JoinOrder, FewRowsThatAreScannedStayWhereTheyAre) {
  const auto plan = Join(JoinKind::Inner, Below("few", 0, 2), 0, Scan("many"), 1);
  EXPECT_EQ(Order(plan, {kFewRows, kManyRows}).program.result.table, 0u);
}

TEST(JoinOrder, TablesThatTakeMuchMemoryAreScanned) {
  const auto plan = Join(JoinKind::Inner, Scan("many"), 1, Below("few", 0, 2), 0);
  const uint64_t bytes = kManyRows * (4 + 4 + 8);
  EXPECT_EQ(Order(plan, {kManyRows, kFewRows}, 8 * bytes).program.result.table, 1u);
  EXPECT_EQ(Order(plan, {kManyRows, kFewRows}, 8 * bytes - 1).program.result.table, 0u);
}

TEST(JoinOrder, LanesLookNoRowsUp) {
  const auto plan = Join(JoinKind::Inner, Scan("many"), 1, Below("few", 0, 2), 0);
  EXPECT_EQ(Order(plan, {kManyRows, kFewRows}, UINT64_MAX, Shape::Lanes).program.result.table, 0u);
}

TEST(JoinOrder, RowsAreNotLookedUpInLongChains) {
  const auto plan = Join(JoinKind::Inner, Scan("many"), 1, Below("few", 0, 2), 0);
  EXPECT_EQ(Order(plan, {kManyRows * 2, kFewRows}).program.result.table, 0u);
}

TEST(JoinOrder, RowsOfChainsAreLookedUpInStoredTables) {
  // few.id = many.k, then many.id = other.id: 100 rows of other are wanted, not 8,000.
  const auto chain = Join(JoinKind::Inner, Scan("many"), 1, Below("few", 0, 2), 0);
  const auto plan = Join(JoinKind::Inner, Below("other", 1, 50), 0, chain, 0);
  const Stage program = Order(plan, {8000, kManyRows, kFewRows}).program;
  EXPECT_EQ(program.result.table, 2u);
  ASSERT_EQ(program.result.joins.size(), 2u);
  EXPECT_EQ(program.builds[program.result.joins[0].build].pipeline.table, 1u);
  EXPECT_EQ(program.builds[program.result.joins[1].build].pipeline.table, 0u);
}

TEST(JoinOrder, FiltersOfSidesThatAreOnlySearchedAreLiftedIntoTheSearch) {
  for (const JoinKind kind : {JoinKind::Left, JoinKind::Semi, JoinKind::Anti}) {
    const auto plan = [&](int64_t bound) {
      return Join(kind, Below("few", 0, bound), 0, Below("many", 0, 2500), 1);
    };
    const Stage lifted = Order(plan(50), {kFewRows, kManyRows}).program;
    EXPECT_TRUE(lifted.builds[0].pipeline.conjuncts.empty());
    ASSERT_TRUE(lifted.result.joins[0].residual);
    EXPECT_TRUE(lifted.result.joins[0].conjuncts.empty());
    EXPECT_EQ(lifted.builds[0].needs_rows, true);
    const Stage built = Order(plan(50), {kFewRows * 40, kManyRows}).program;
    EXPECT_TRUE(built.builds[0].pipeline.conjuncts.empty());
    EXPECT_EQ(
        Order(plan(1000), {kFewRows * 40, kManyRows}).program.builds[0].pipeline.conjuncts.size(),
        1u);
  }
}

TEST(JoinOrder, AKeyOfAnInnerTableIsReplacedByItsEqual) {
  // line.k = owner.id where owner.id = head.k: the table of heads has the key itself.
  const auto build = Join(JoinKind::Inner, Scan("head"), 1, Scan("owner"), 0);
  const auto plan = Join(JoinKind::Inner, Scan("line"), 1, build, 2);
  const Stage program = Order(plan, {kLineRows, kHeadRows, kOwnerRows}).program;
  EXPECT_EQ(program.builds[1].keys[0]->ToString(), "k");
}

TEST(JoinOrder, WhatMayFailIsNotLifted) {
  const auto sum = Expression::Make(Operation::Add, kInteger,
                                    {Column(1), Expression::Integer(INT32_MAX, kInteger)});
  const auto predicate = Expression::Make(Operation::Less, plan::TypeKind::Boolean,
                                          {sum, Expression::Integer(5, kInteger)});
  const auto plan =
      Join(JoinKind::Inner, Node::Filter(Scan("line"), Compare(Operation::Less, 0, 5)), 1,
           Node::Filter(Scan("head"), predicate), 0);
  const Stage program = Order(plan, {kLineRows, kHeadRows}).program;
  EXPECT_EQ(program.builds[0].pipeline.conjuncts.size(), 1u);
}

TEST(Selectivity, OfComparisons) {
  const std::vector<InputColumn> columns{{0, 0, "id", Form(1000, 999, true)}};
  DictionaryCache dictionaries(columns);
  const Selectivity selectivity(columns, dictionaries);
  EXPECT_NEAR(selectivity.Of(*Compare(Operation::Less, 0, 250)), 0.25, 0.01);
  EXPECT_NEAR(selectivity.Of(*Compare(Operation::GreaterOrEqual, 0, 250)), 0.75, 0.01);
  EXPECT_EQ(selectivity.Of(*Compare(Operation::LessOrEqual, 0, 999)), 1);
  EXPECT_EQ(selectivity.Of(*Compare(Operation::Greater, 0, 999)), 0);
  EXPECT_EQ(selectivity.Of(*Compare(Operation::Less, 0, 0)), 0);
  EXPECT_NEAR(selectivity.Of(*Compare(Operation::Equal, 0, 5)), 0.001, 1e-6);
  // The narrowest bounds of a column count.
  EXPECT_NEAR(selectivity.Of({Compare(Operation::Less, 0, 500), Compare(Operation::Less, 0, 600)}),
              0.5, 0.01);
  EXPECT_NEAR(selectivity.Of({Compare(Operation::Less, 0, 500), Compare(Operation::Greater, 0, 400),
                              Compare(Operation::Equal, 0, 5)}),
              0.0001, 1e-5);
  EXPECT_EQ(selectivity.Of({Compare(Operation::Less, 0, 400), Compare(Operation::Greater, 0, 500)}),
            0);
}

TEST(Selectivity, BoundsOfComputedValuesTellNothing) {
  storage::ColumnForm::Parts parts;
  parts.type = kInteger;
  parts.rows = parts.statistics.rows = 1000;
  parts.statistics.max = 1'000'000;
  const std::vector<InputColumn> columns{
      {0, 0, "sum", std::make_shared<storage::ColumnForm>(parts)}};
  DictionaryCache dictionaries(columns);
  const Selectivity selectivity(columns, dictionaries);
  EXPECT_LT(selectivity.Of(*Compare(Operation::Greater, 0, 300)), 0.5);
}

}  // namespace
}  // namespace margay::optimize
