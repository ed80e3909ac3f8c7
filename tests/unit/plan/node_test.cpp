#include "plan/node.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "plan_builders.hpp"

namespace margay::plan {
namespace {

const ExpressionPointer kFlag = Expression::Column(0, kVarchar, "l_returnflag");
const ExpressionPointer kQuantity = Expression::Column(1, kMoney, "l_quantity");
const ExpressionPointer kShipDate = Expression::Column(2, kDate, "l_shipdate");

NodePointer Lineitem() {
  return Node::Scan(
      "lineitem",
      {{8, "l_returnflag", kVarchar}, {4, "l_quantity", kMoney}, {10, "l_shipdate", kDate}});
}

ExpressionPointer ShippedBefore() {
  return Expression::Make(Operation::LessOrEqual, kBoolean,
                          {kShipDate, Expression::Integer(10'471, kDate)});
}

TEST(Node, ScanGivesItsColumns) {
  const NodePointer scan = Lineitem();
  EXPECT_EQ(scan->Kind(), NodeKind::Scan);
  EXPECT_EQ(scan->Table(), "lineitem");
  EXPECT_EQ(scan->Input(), nullptr);
  EXPECT_EQ(scan->OutputTypes(), (std::vector<Type>{kVarchar, kMoney, kDate}));
  EXPECT_TRUE(Node::Scan("nothing_read", {})->OutputTypes().empty());
}

TEST(Node, ScanRefusesEqualNamesAndImpossibleTypes) {
  EXPECT_THROW(Node::Scan("t", {{0, "a", kDate}, {1, "a", kMoney}}), std::logic_error);
  EXPECT_NO_THROW(Node::Scan("t", {{0, "", kDate}, {1, "", kMoney}}));
  EXPECT_THROW(Node::Scan("t", {{0, "a", Type::Decimal(50, 2)}}), std::logic_error);
}

TEST(Node, FilterKeepsColumnsAndNeedsABooleanOverItsInput) {
  const NodePointer filter = Node::Filter(Lineitem(), ShippedBefore());
  EXPECT_EQ(filter->Kind(), NodeKind::Filter);
  EXPECT_EQ(filter->OutputTypes(), Lineitem()->OutputTypes());
  EXPECT_EQ(filter->Predicate()->ToString(), "(l_shipdate <= DATE '1998-09-02')");

  EXPECT_THROW(Node::Filter(Lineitem(), kQuantity), std::logic_error);
  EXPECT_THROW(Node::Filter(Lineitem(), Expression::Column(3, kBoolean, "none")), std::logic_error);
  EXPECT_THROW(Node::Filter(Lineitem(), Expression::Column(1, kBoolean, "l_quantity")),
               std::logic_error);
  EXPECT_THROW(Node::Filter(Lineitem(), nullptr), std::logic_error);
  EXPECT_THROW(Node::Filter(nullptr, ShippedBefore()), std::logic_error);
}

TEST(Node, ProjectGivesItsExpressions) {
  const NodePointer project = Node::Project(Lineitem(), {kShipDate, ShippedBefore()});
  EXPECT_EQ(project->Kind(), NodeKind::Project);
  EXPECT_EQ(project->OutputTypes(), (std::vector<Type>{kDate, kBoolean}));
  EXPECT_EQ(project->Expressions().size(), 2U);

  EXPECT_THROW(Node::Project(Lineitem(), {Expression::Column(0, kDate, "l_returnflag")}),
               std::logic_error);
  EXPECT_THROW(Node::Project(Lineitem(), {nullptr}), std::logic_error);
  EXPECT_THROW(Node::Project(nullptr, {}), std::logic_error);
  EXPECT_THROW(Node::Project(project, {kQuantity}), std::logic_error)
      << "columns are those of the projection, not of the scan below";
}

TEST(Node, GroupByGivesKeysThenAggregates) {
  const Aggregate sum{AggregateFunction::Sum, kQuantity, Type::Decimal(38, 2)};
  const Aggregate rows{AggregateFunction::CountStar, nullptr, kBigint};
  const NodePointer node = Node::GroupBy(Lineitem(), {kFlag}, {sum, rows});
  EXPECT_EQ(node->Kind(), NodeKind::Aggregate);
  EXPECT_EQ(node->OutputTypes(), (std::vector<Type>{kVarchar, Type::Decimal(38, 2), kBigint}));
  EXPECT_EQ(node->Aggregates().size(), 2U);
  EXPECT_EQ(node->Expressions().size(), 1U);

  EXPECT_NO_THROW(Node::GroupBy(Lineitem(), {kFlag}, {}));
  EXPECT_NO_THROW(Node::GroupBy(Lineitem(), {}, {rows}));
  EXPECT_THROW(Node::GroupBy(Lineitem(), {}, {}), std::logic_error);
  EXPECT_THROW(Node::GroupBy(Lineitem(), {nullptr}, {}), std::logic_error);
  EXPECT_THROW(Node::GroupBy(Lineitem(), {}, {{AggregateFunction::Sum, kQuantity, kMoney}}),
               std::logic_error);
  EXPECT_THROW(Node::GroupBy(nullptr, {}, {rows}), std::logic_error);
}

TEST(Aggregate, ToStringShowsFunctionAndType) {
  const auto text = [](AggregateFunction function, Type type) {
    return Aggregate{function, kQuantity, type}.ToString();
  };
  EXPECT_EQ(text(AggregateFunction::Sum, Type::Decimal(38, 2)), "sum(l_quantity)::DECIMAL(38,2)");
  EXPECT_EQ(text(AggregateFunction::Count, kBigint), "count(l_quantity)::BIGINT");
  EXPECT_EQ(text(AggregateFunction::Average, kDouble), "avg(l_quantity)::DOUBLE");
  EXPECT_EQ(text(AggregateFunction::Min, kMoney), "min(l_quantity)::DECIMAL(15,2)");
  EXPECT_EQ(text(AggregateFunction::Max, kMoney), "max(l_quantity)::DECIMAL(15,2)");
  EXPECT_EQ((Aggregate{AggregateFunction::CountStar, nullptr, kBigint}.ToString()),
            "count(*)::BIGINT");
}

TEST(Node, ToStringShowsTheTopFirst) {
  const NodePointer plan = Node::GroupBy(Node::Filter(Lineitem(), ShippedBefore()), {kFlag},
                                         {{AggregateFunction::Sum, kQuantity, Type::Decimal(38, 2)},
                                          {AggregateFunction::CountStar, nullptr, kBigint}});
  EXPECT_EQ(plan->ToString(),
            "AGGREGATE groups=[l_returnflag] "
            "aggregates=[sum(l_quantity)::DECIMAL(38,2), count(*)::BIGINT]\n"
            "  FILTER (l_shipdate <= DATE '1998-09-02')\n"
            "    SCAN lineitem [l_returnflag VARCHAR, l_quantity DECIMAL(15,2), l_shipdate DATE]");
  EXPECT_EQ(Node::Project(Lineitem(), {kShipDate, kFlag})->ToString(),
            "PROJECT [l_shipdate, l_returnflag]\n"
            "  SCAN lineitem [l_returnflag VARCHAR, l_quantity DECIMAL(15,2), l_shipdate DATE]");
  EXPECT_EQ(
      Node::GroupBy(Node::Scan("t", {}), {}, {{AggregateFunction::CountStar, nullptr, kBigint}})
          ->ToString(),
      "AGGREGATE groups=[] aggregates=[count(*)::BIGINT]\n"
      "  SCAN t []");
}

NodePointer Orders() {
  return Node::Scan("orders", {{0, "o_orderkey", kBigint}, {4, "o_orderdate", kDate}});
}

NodePointer Items() {
  return Node::Scan("items", {{0, "l_orderkey", kBigint}, {10, "l_shipdate", kDate}});
}

const ExpressionPointer kItemKey = Expression::Column(0, kBigint, "l_orderkey");
const ExpressionPointer kOrderKey = Expression::Column(0, kBigint, "o_orderkey");

//! Over the columns of Items() and Orders().
ExpressionPointer ShippedAfterOrder() {
  return Expression::Make(
      Operation::Greater, kBoolean,
      {Expression::Column(1, kDate, "l_shipdate"), Expression::Column(3, kDate, "o_orderdate")});
}

TEST(Node, JoinGivesTheColumnsOfItsKind) {
  const auto types = [](JoinKind kind) {
    return Node::Join(kind, Items(), Orders(), {{kItemKey, kOrderKey, false}}, nullptr)
        ->OutputTypes();
  };
  EXPECT_EQ(types(JoinKind::Inner), (std::vector<Type>{kBigint, kDate, kBigint, kDate}));
  EXPECT_EQ(types(JoinKind::Left), (std::vector<Type>{kBigint, kDate, kBigint, kDate}));
  EXPECT_EQ(types(JoinKind::Semi), (std::vector<Type>{kBigint, kDate}));
  EXPECT_EQ(types(JoinKind::Anti), (std::vector<Type>{kBigint, kDate}));
}

TEST(Node, JoinChecksKeysAndResidual) {
  const ExpressionPointer date = Expression::Column(1, kDate, "o_orderdate");
  const auto join = [](std::vector<JoinKey> keys, ExpressionPointer residual) {
    return Node::Join(JoinKind::Semi, Items(), Orders(), std::move(keys), std::move(residual));
  };
  EXPECT_NO_THROW(join({{kItemKey, kOrderKey, true}}, ShippedAfterOrder()))
      << "the residual sees both sides, whatever the output is";
  EXPECT_THROW(join({{kItemKey, date, false}}, nullptr), std::logic_error);
  EXPECT_THROW(join({{kItemKey, nullptr, false}}, nullptr), std::logic_error);
  EXPECT_THROW(join({{kItemKey, Expression::Column(2, kBigint, "o_orderkey"), false}}, nullptr),
               std::logic_error)
      << "keys of the build side count its own columns";
  EXPECT_THROW(join({}, kItemKey), std::logic_error);
  EXPECT_THROW(Node::Join(JoinKind::Inner, Items(), nullptr, {}, nullptr), std::logic_error);
  EXPECT_THROW(Node::Join(JoinKind::Inner, nullptr, Orders(), {}, nullptr), std::logic_error);
}

TEST(Node, ToStringShowsJoins) {
  const NodePointer plan =
      Node::GroupBy(Node::Join(JoinKind::Left, Items(), Orders(), {{kItemKey, kOrderKey, false}},
                               ShippedAfterOrder()),
                    {}, {{AggregateFunction::CountStar, nullptr, kBigint}});
  EXPECT_EQ(plan->ToString(),
            "AGGREGATE groups=[] aggregates=[count(*)::BIGINT]\n"
            "  JOIN LEFT [l_orderkey = o_orderkey] AND (l_shipdate > o_orderdate)\n"
            "    SCAN items [l_orderkey BIGINT, l_shipdate DATE]\n"
            "    SCAN orders [o_orderkey BIGINT, o_orderdate DATE]");
  EXPECT_EQ(Node::Join(JoinKind::Anti, Items(), Orders(), {{kItemKey, kOrderKey, true}}, nullptr)
                ->ToString(),
            "JOIN ANTI [l_orderkey IS NOT DISTINCT FROM o_orderkey]\n"
            "  SCAN items [l_orderkey BIGINT, l_shipdate DATE]\n"
            "  SCAN orders [o_orderkey BIGINT, o_orderdate DATE]");
}

TEST(Node, ScansComeProbeSideFirst) {
  const NodePointer items = Items();
  const NodePointer orders = Orders();
  const NodePointer others = Orders();
  const std::vector<JoinKey> keys = {{kItemKey, kOrderKey, false}};
  const NodePointer probe = Node::Join(JoinKind::Inner, items, orders, keys, nullptr);
  const NodePointer plan = Node::Join(JoinKind::Inner, probe, others, keys, nullptr);
  EXPECT_EQ(Scans(*plan), (std::vector<const Node*>{items.get(), orders.get(), others.get()}));
  EXPECT_EQ(&BottomScan(*plan), items.get());
  const NodePointer bushy =
      Node::Join(JoinKind::Inner, others, Node::Join(JoinKind::Inner, items, orders, keys, nullptr),
                 {{kOrderKey, kItemKey, false}}, nullptr);
  EXPECT_EQ(Scans(*bushy), (std::vector<const Node*>{others.get(), items.get(), orders.get()}));
}

TEST(Node, DictionaryFunctionsOfJoinsAreFound) {
  const NodePointer texts = Node::Scan("texts", {{0, "s", kVarchar}, {1, "k", kBigint}});
  const ExpressionPointer number = Named("length", kBigint, Expression::Column(0, kVarchar, "s"));
  const auto uses = [&](std::vector<JoinKey> keys, ExpressionPointer residual) {
    return UsesDictionaryFunctions(
        *Node::Join(JoinKind::Inner, texts, Orders(), std::move(keys), std::move(residual)));
  };
  const ExpressionPointer key = Expression::Column(1, kBigint, "k");
  EXPECT_FALSE(uses({{key, kOrderKey, false}}, nullptr));
  EXPECT_TRUE(uses({{number, kOrderKey, false}}, nullptr));
  EXPECT_TRUE(
      uses({{key, kOrderKey, false}}, Expression::Make(Operation::Less, kBoolean, {key, number})));
  const NodePointer below =
      Node::Join(JoinKind::Inner, Orders(), Node::Project(texts, {number}),
                 {{kOrderKey, Expression::Column(0, kBigint, {}), false}}, nullptr);
  EXPECT_TRUE(UsesDictionaryFunctions(*below));
  EXPECT_TRUE(DependsOnSettings(*below)) << "nothing is known of the function";
  EXPECT_FALSE(DependsOnSettings(*texts));
}

TEST(Node, OrdersShowTheirKeysAndWindow) {
  const NodePointer order =
      Node::Order(Orders(), {{kOrderKey, true, false}, {kOrderKey, false, true}}, {10, 3});
  EXPECT_EQ(order->Kind(), NodeKind::Order);
  EXPECT_EQ(order->OutputTypes(), Orders()->OutputTypes());
  EXPECT_EQ(order->ToString(),
            "ORDER [o_orderkey DESC NULLS LAST, o_orderkey ASC NULLS FIRST] LIMIT 10 OFFSET 3\n"
            "  SCAN orders [o_orderkey BIGINT, o_orderdate DATE]");
  EXPECT_EQ(order->Window().End(), 13U);
  EXPECT_EQ((RowWindow{{}, 3}.End()), UINT64_MAX);
  EXPECT_EQ((RowWindow{0, 3}.End()), 0U);
  EXPECT_EQ((RowWindow{UINT64_MAX, 3}.End()), UINT64_MAX);
}

TEST(Node, UnionsHaveInputsOfTheSameTypes) {
  const NodePointer first = Node::Union(Orders(), Orders());
  const NodePointer all = Node::Union(first, Orders());
  EXPECT_EQ(all->Kind(), NodeKind::Union);
  EXPECT_EQ(all->OutputTypes(), Orders()->OutputTypes());
  EXPECT_EQ(first->ToString(),
            "UNION\n"
            "  SCAN orders [o_orderkey BIGINT, o_orderdate DATE]\n"
            "  SCAN orders [o_orderkey BIGINT, o_orderdate DATE]");
  EXPECT_EQ(Scans(*all).size(), 3U);
  ASSERT_EQ(UnionInputs(all).size(), 3U);
  EXPECT_EQ(UnionInputs(all)[2], all->Build());
  EXPECT_THROW(Node::Union(Orders(), Node::Project(Orders(), {kOrderKey})), std::logic_error);
  EXPECT_THROW(Node::Union(Node::Project(Orders(), {}), Node::Project(Orders(), {})),
               std::logic_error);
  EXPECT_THROW(Node::Union(Orders(), Node::Order(Orders(), {}, {10, 0})), std::logic_error);
}

TEST(Node, KeptRowsAreAUnionOfOneInput) {
  const NodePointer kept = Node::Keep(Orders());
  EXPECT_EQ(kept->Kind(), NodeKind::Union);
  EXPECT_EQ(kept->OutputTypes(), Orders()->OutputTypes());
  EXPECT_EQ(kept->ToString(), "KEEP\n  SCAN orders [o_orderkey BIGINT, o_orderdate DATE]");
  EXPECT_EQ(Scans(*kept).size(), 1U);
  EXPECT_EQ(UnionInputs(Node::Union(kept, Orders())).size(), 2U);
  EXPECT_THROW(Node::Keep(Node::Project(Orders(), {})), std::logic_error);
  EXPECT_THROW(Node::Keep(Node::Order(Orders(), {}, {10, 0})), std::logic_error);
}

TEST(Node, OnlyProjectsAreAboveAnOrder) {
  const NodePointer order = Node::Order(Orders(), {{kOrderKey, true, false}}, {10, 0});
  const NodePointer project = Node::Project(order, {kOrderKey});
  EXPECT_THROW(Node::Order(order, {}, {}), std::logic_error);
  EXPECT_THROW(Node::Order(project, {}, {}), std::logic_error);
  EXPECT_THROW(Node::GroupBy(project, {kOrderKey}, {}), std::logic_error);
  EXPECT_THROW(Node::Join(JoinKind::Semi, Items(), order, {{kItemKey, kOrderKey, false}}, nullptr),
               std::logic_error);
  EXPECT_THROW(Node::Order(Orders(), {{nullptr, false, false}}, {}), std::logic_error);
}

TEST(Node, RowsOfScansKeepTheirOrderInFiltersProjectsAndUnions) {
  const NodePointer rows =
      Node::Project(Node::Filter(Lineitem(), ShippedBefore()), {kFlag, kQuantity});
  EXPECT_TRUE(KeepsOrderOfScans(*rows));
  EXPECT_TRUE(KeepsOrderOfScans(*Node::Union(rows, rows)));
  EXPECT_TRUE(KeepsOrderOfScans(*Node::Order(rows, {}, {10, 0})));
  EXPECT_FALSE(KeepsOrderOfScans(*Node::Order(rows, {{kFlag, true, false}}, {10, 0})));
  EXPECT_FALSE(KeepsOrderOfScans(*Node::Union(rows, Node::GroupBy(rows, {kFlag, kQuantity}, {}))));
  EXPECT_FALSE(KeepsOrderOfScans(
      *Node::Join(JoinKind::Semi, Items(), Orders(), {{kItemKey, kOrderKey, false}}, nullptr)));
}

TEST(Node, BottomScanIsBelowEverything) {
  const NodePointer scan = Lineitem();
  const NodePointer plan = Node::Project(Node::Filter(scan, ShippedBefore()), {kFlag});
  EXPECT_EQ(&BottomScan(*plan), scan.get());
  EXPECT_EQ(&BottomScan(*scan), scan.get());
}

}  // namespace
}  // namespace margay::plan
