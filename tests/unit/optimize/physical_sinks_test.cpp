// Where a plan is cut into pipelines, and what their sinks get: rows, ordered rows, and rows that
// stay on the device, as programs over made-up tables print it.
#include <gtest/gtest.h>

#include <algorithm>

#include "made_up_tables.hpp"
#include "optimize/rewrite/partitions.hpp"
#include "text_columns.hpp"

namespace margay::optimize {
namespace {

using plan::Expression;
using plan::ExpressionPointer;
using plan::JoinKind;
using plan::Node;
using plan::NodePointer;
using plan::Operation;
using plan::OrderKey;
using plan::TypeKind;

//! A table of one column of BIGINTs.
MadeUpTable Table(const std::string& name, Int128 values, bool can_be_null = false) {
  return {name,
          1000,
          {{.name = name + "_x", .values = values, .type = kBigint, .can_be_null = can_be_null}}};
}

//! A table of one column of INTEGERs.
MadeUpTable Integers(const std::string& name, Int128 values, bool can_be_null = false) {
  return {name, 1000, {{.name = name + "_x", .values = values, .can_be_null = can_be_null}}};
}

ExpressionPointer Big(size_t column) {
  return Expression::Column(column, kBigint, "x");
}

OrderKey By(ExpressionPointer expression) {
  return {std::move(expression), false, false};
}

//! What is given of the rows of `t` in an order by all of its columns.
Outline GiveOf(const MadeUpTable& t, plan::RowWindow window = {}) {
  std::vector<OrderKey> keys;
  for (size_t column = 0; column < t.columns.size(); column++)
    keys.push_back(By(Expression::Column(column, t.columns[column].type, "x")));
  return PartOf(LastPipeline(ProgramOf({t}, Node::Order(ScanOf(t), keys, window))), "give");
}

TEST(PhysicalSinks, RowsHaveAnOrderWhereItIsAskedFor) {
  const MadeUpTable t = Table("t", 100);
  EXPECT_EQ(FlowOf(ProgramOf({t}, ScanOf(t))), Flow{"t@0 -> rows"});
  EXPECT_EQ(FlowOf(ProgramOf({t}, Node::Order(ScanOf(t), {By(Big(0))}, {}))),
            Flow{"t@0 -> ordered rows"});
}

TEST(PhysicalSinks, KeysOfAnOrderTakeTheBitsOfTheirRange) {
  const auto bits = [](Int128 values, bool can_be_null) {
    return ValuesOf(GiveOf(Table("t", values, can_be_null)), "order_field", "bits");
  };
  EXPECT_EQ(bits(128, false), std::vector<std::string>{"7"});
  EXPECT_EQ(bits(129, false), std::vector<std::string>{"8"});
  EXPECT_EQ(bits(128, true), (std::vector<std::string>{"1", "7"})) << "one tells NULL";
}

TEST(PhysicalSinks, KeysOfAnOrderShareAWordOf63Bits) {
  const auto words = [](Int128 values, bool can_be_null) {
    MadeUpTable t = Table("t", Int128{1} << 32, can_be_null);
    t.columns.push_back({"y", values, kBigint});
    return ValueOf(GiveOf(t), "order_words");
  };
  constexpr Int128 kMost = Int128{1} << 31;
  EXPECT_EQ(words(kMost, false), "1");
  EXPECT_EQ(words(kMost + 1, false), "2") << "a bit is left over: no row is above all bounds";
  EXPECT_EQ(words(kMost, true), "2");
}

TEST(PhysicalSinks, TextIsInTheWordsOfAnOrderUpTo128Bytes) {
  const auto give = [](uint32_t longest) {
    return GiveOf({"t", 1000, {{.name = "s", .type = TypeKind::Varchar, .longest_text = longest}}});
  };
  EXPECT_EQ(ValueOf(give(128), "order_words"), "17") << "with the number of bytes";
  EXPECT_EQ(give(128).PartsNamed("output").size(), 1 + 17u);
  EXPECT_EQ(ValueOf(give(129), "order_words"), "5") << "32 bytes";
  EXPECT_EQ(give(129).PartsNamed("output").size(), 1 + 1 + 5u) << "the host compares the rest";
}

TEST(PhysicalSinks, ALimitBoundsTheRowsThatAreGiven) {
  const Outline first = GiveOf(Table("t", 100), {10, 5});
  EXPECT_EQ(ValueOf(first, "limit"), "10");
  EXPECT_EQ(ValueOf(first, "offset"), "5");
  EXPECT_EQ(ValueOf(first, "bounded"), "yes");
  const Outline all = GiveOf(Table("t", 100));
  EXPECT_EQ(ValueOf(all, "limit"), "");
  EXPECT_EQ(ValueOf(all, "bounded"), "");
}

TEST(PhysicalSinks, RowsThatMayFailAreAllComputed) {
  const auto bounded = [](Int128 most) {
    const MadeUpTable t = Table("t", most + 1);
    const ExpressionPointer sum =
        Expression::Make(Operation::Add, kBigint, {Big(0), Expression::Integer(1, kBigint)});
    const NodePointer plan = Node::Order(Node::Project(ScanOf(t), {sum}), {By(Big(0))}, {10});
    return ValueOf(PartOf(LastPipeline(ProgramOf({t}, plan)), "give"), "bounded");
  };
  // Constants of 8 bits are all the same to a kernel.
  EXPECT_EQ(bounded(INT64_MAX - INT8_MAX), "yes");
  EXPECT_EQ(bounded(INT64_MAX - INT8_MAX + 1), "");
}

TEST(PhysicalSinks, RowsThatJoinsMultiplyHaveNoBound) {
  const auto give = [](bool is_unique) {
    const MadeUpTable t{"t", 1000, {{"t_u", 1000}}};
    const MadeUpTable u{"u", 1000, {{.name = "id", .values = 1000, .is_unique = is_unique}}};
    const NodePointer join = JoinOf(JoinKind::Inner, ScanOf(t), 0, ScanOf(u), 0);
    const NodePointer plan = Node::Order(join, {By(Column(0))}, {10});
    return PartOf(LastPipeline(ProgramOf({t, u}, plan)), "give");
  };
  EXPECT_EQ(ValueOf(give(true), "bounded"), "yes");
  EXPECT_EQ(ValueOf(give(true), "multiplies"), "");
  EXPECT_EQ(ValueOf(give(false), "bounded"), "");
  EXPECT_EQ(ValueOf(give(false), "multiplies"), "yes");
}

TEST(PhysicalSinks, FunctionsOfTextAreForTheHostUnlessThereIsAnOrder) {
  const MadeUpTable t{"t", 1000, {{.name = "s", .type = TypeKind::Varchar}}};
  const ExpressionPointer function =
      Expression::Dictionary(std::make_shared<UnevaluatedFunction>(TypeKind::Varchar), T());
  const NodePointer rows = Node::Project(ScanOf(t), {function});
  const Outline output = PartOf(PartOf(LastPipeline(ProgramOf({t}, rows)), "give"), "output");
  EXPECT_EQ(ValueOf(output, "function"), "f(text)");
  const NodePointer ordered = Node::Project(Node::Order(ScanOf(t), {By(T())}, {10}), {function});
  EXPECT_EQ(RefusalOf({t}, ordered),
            "computing f(s) row by row; s has too many different strings for a dictionary");
}

TEST(PhysicalSinks, AnOrderByAnIncreasingFunctionIsThatOfItsStrings) {
  const MadeUpTable t{"t", 1000, {{.name = "s", .type = TypeKind::Varchar, .longest_text = 8}}};
  const auto by = [](bool is_increasing) {
    return By(Expression::Dictionary(
        std::make_shared<UnevaluatedFunction>(TypeKind::Int64, is_increasing), T()));
  };
  const Outline program = ProgramOf({t}, Node::Order(ScanOf(t), {by(true)}, {}));
  EXPECT_EQ(ValuesOf(PartOf(LastPipeline(program), "give"), "order_field", "bits"),
            (std::vector<std::string>{"64", "4"}));
  EXPECT_NE(RefusalOf({t}, Node::Order(ScanOf(t), {by(false)}, {})), "");
}

TEST(PhysicalSinks, ResultsBelowOtherOperatorsArePipelinesOfTheirOwn) {
  const MadeUpTable t{"t", 1000, {{"t_k", 1000}}}, u{"u", 1000, {{"u_k", 1000}}};
  const NodePointer groups = Counted(ScanOf(u), {Column(0)});
  EXPECT_EQ(FlowOf(ProgramOf({t, u}, Counted(JoinOf(JoinKind::Inner, ScanOf(t), 0, groups, 0)))),
            (Flow{"u@0 -> group table", "the groups@2 -> join build",
                  "t@1, bitmap the groups@2 -> single result"}))
      << "a key of groups is unique";
  EXPECT_EQ(FlowOf(ProgramOf({t, u}, Counted(JoinOf(JoinKind::Inner, ScanOf(t), 0, ScanOf(u), 0)))),
            (Flow{"u@1 -> join build", "t@0, direct u@1 -> single result"}));
  EXPECT_EQ(FlowOf(ProgramOf({u}, Counted(groups))),
            (Flow{"u@0 -> group table", "the groups@1 -> single result"}));
}

TEST(PhysicalSinks, AResultThatIsReadTwiceIsComputedOnce) {
  const MadeUpTable t{"t", 1000, {{"k", 1000}}};
  const NodePointer groups = Counted(ScanOf(t), {Column(0)});
  const auto flow = [&](const NodePointer& other) {
    return FlowOf(ProgramOf({t}, Counted(JoinOf(JoinKind::Semi, groups, 0, other, 0))));
  };
  EXPECT_EQ(flow(groups), (Flow{"t@0 -> group table", "the groups@2 -> join build",
                                "the groups@1, bitmap the groups@2 -> single result"}));
  EXPECT_EQ(flow(Counted(ScanOf(t), {Column(0)})),
            (Flow{"t@0 -> group table", "t@1 -> group table", "the groups@3 -> join build",
                  "the groups@2, bitmap the groups@3 -> single result"}));
}

TEST(PhysicalSinks, InputsOfAUnionFeedOneSink) {
  const MadeUpTable t = Table("t", 100), u = Table("u", 100);
  const NodePointer both = Node::Union(Node::Union(ScanOf(t), ScanOf(u)), ScanOf(t));
  const Outline program = ProgramOf({t, u}, Counted(both));
  EXPECT_EQ(FlowOf(program),
            (Flow{"t@1 -> single result", "u@2 -> single result", "t@3 -> single result"}));
  EXPECT_EQ(ValuesOf(program, "sink", "pipelines"), std::vector<std::string>{"0,1,2"});
  EXPECT_EQ(ValueOf(PartOf(program, "table"), "name"), "the union@0");
  EXPECT_EQ(ValueOf(PartOf(program, "table"), "rows"), "3000") << "it is not stored";
  EXPECT_EQ(FlowOf(ProgramOf({t, u}, both)), (Flow{"t@1 -> rows", "u@2 -> rows", "t@3 -> rows"}));
}

TEST(PhysicalSinks, GroupsOfAUnionAreThoseOfAllInputs) {
  const MadeUpTable t = Integers("t", 100), u = Integers("u", 70'000, true);
  const Outline program =
      ProgramOf({t, u}, Counted(Node::Union(Below(ScanOf(t), 0, 50), ScanOf(u)), {Column(0)}));
  for (const size_t pipeline : {0, 1}) {
    const Outline& fold = PartOf(PartOf(program, "pipeline", pipeline), "fold");
    EXPECT_EQ(ValueOf(fold, "groups"), "70001");
    EXPECT_EQ(ValueOf(PartOf(fold, "key"), "domain"), "0..69999");
  }
  EXPECT_EQ(ValuesOf(LastPipeline(program), "filter", "value"), Flow{});
  EXPECT_EQ(ValuesOf(PartOf(program, "pipeline"), "filter", "value"), Flow{"(t_x < $0)"});
}

TEST(PhysicalSinks, SumsOverAUnionAreSafeForTheRowsOfAllInputs) {
  // More rows than a table on the device has.
  const MadeUpTable t{"t",
                      1'500'000'000,
                      {{.name = "k", .values = 1'000'000'000},
                       {.name = "x", .values = Int128{1} << 32, .type = kBigint}}};
  const auto folds_of = [&](const NodePointer& input) {
    const NodePointer plan =
        Node::GroupBy(input, {Column(0)},
                      {Of(plan::AggregateFunction::Sum, Expression::Column(1, kBigint, "x"))});
    const Outline program = ProgramOf({t}, plan);
    return ValuesOf(PartOf(LastPipeline(program), "fold"), "accumulator", "fold");
  };
  EXPECT_EQ(folds_of(ScanOf(t)), (std::vector<std::string>{"count", "sum64"}));
  EXPECT_EQ(folds_of(Node::Union(ScanOf(t), ScanOf(t))),
            (std::vector<std::string>{"count", "sum128"}));
}

TEST(PhysicalSinks, JoinsOnBothSidesOfAUnionAreSteps) {
  const MadeUpTable t = Integers("t", 100), u = Integers("u", 100);
  const MadeUpTable d{"d", 100, {{.name = "id", .values = 100, .is_unique = true}, {"kind", 5}}};
  const NodePointer below =
      Node::Project(JoinOf(JoinKind::Inner, ScanOf(t), 0, ScanOf(d), 0), {Column(0)});
  const NodePointer above = JoinOf(JoinKind::Inner, Node::Union(below, ScanOf(u)), 0, ScanOf(d), 0);
  EXPECT_EQ(FlowOf(ProgramOf({t, u, d}, Counted(above, {Column(2)}))),
            (Flow{"d@1 -> join build", "d@3 -> join build",
                  "t@2, bitmap d@3, direct d@1 -> group table", "u@4, direct d@1 -> group table"}));
}

TEST(PhysicalSinks, AUnionIsStoredWhereItsRowsAreNeeded) {
  const MadeUpTable t = Integers("t", 100), u = Integers("u", 100);
  const NodePointer both = Node::Union(ScanOf(t), ScanOf(u));
  const auto is_stored = [&](const NodePointer& plan) {
    const auto kinds = ValuesOf(ProgramOf({t, u}, plan), "sink", "kind");
    return std::count(kinds.begin(), kinds.end(), "materialised rows") != 0;
  };
  EXPECT_FALSE(is_stored(Counted(both)));
  EXPECT_TRUE(is_stored(Node::Order(both, {By(Column(0))}, {}))) << "an order takes all rows";
  EXPECT_TRUE(is_stored(Counted(JoinOf(JoinKind::Inner, both, 0, both, 0)))) << "it is read twice";
  EXPECT_TRUE(is_stored(Counted(JoinOf(JoinKind::Semi, ScanOf(t), 0, both, 0))))
      << "a join searches it";
  EXPECT_TRUE(is_stored(Counted(Node::Union(
      Node::Project(JoinOf(JoinKind::Left, ScanOf(t), 0, ScanOf(u), 0), {Column(0)}), both))))
      << "joins multiply rows of an input";
  EXPECT_TRUE(is_stored(
      Counted(Node::Union(Node::Project(Counted(ScanOf(t), {Column(0)}), {Column(0)}), ScanOf(u)))))
      << "an input has groups of its own";
  const ExpressionPointer square =
      Expression::Make(Operation::Multiply, kInteger, {Column(0), Column(0)});
  const MadeUpTable large = Integers("large", Int128{1} << 30);
  const NodePointer squares = Node::Project(ScanOf(large), {square});
  const auto stored = [&](const NodePointer& plan) {
    return ValuesOf(ProgramOf({t, large}, plan), "sink", "kind")[0];
  };
  EXPECT_EQ(stored(Counted(Node::Union(squares, ScanOf(t)), {Column(0)})), "materialised rows")
      << "a value of a row may be out of its type's range";
}

TEST(PhysicalSinks, RowsAreKeptWhereThePlanSaysSo) {
  const MadeUpTable t = Table("t", 100);
  EXPECT_EQ(FlowOf(ProgramOf({t}, Counted(Node::Keep(ScanOf(t))))),
            (Flow{"t@0 -> materialised rows", "the materialised rows@1 -> single result"}));
  EXPECT_EQ(FlowOf(ProgramOf({t}, Counted(ScanOf(t)))), Flow{"t@0 -> single result"});
}

//! The column of a result that stays on the device, as `bytes`, and `?` where it may be NULL.
std::string MaterialisedColumnOf(const std::vector<MadeUpTable>& tables, const NodePointer& kept) {
  const Outline program = ProgramOf(tables, Node::Order(kept, {By(Big(0))}, {}));
  for (const Outline* sink : program.PartsNamed("sink")) {
    if (ValueOf(*sink, "result").empty()) {
      const Outline& column = PartOf(*sink, "column");
      return ValueOf(column, "width") + (ValueOf(column, "nulls").empty() ? "" : "?");
    }
  }
  return "nothing is kept";
}

TEST(PhysicalSinks, ColumnsThatAreKeptAreAsNarrowAsTheirRange) {
  const auto width = [](Int128 values) {
    const MadeUpTable t = Table("t", values);
    const std::string kept = MaterialisedColumnOf({t}, Node::Keep(ScanOf(t)));
    EXPECT_EQ(MaterialisedColumnOf({t}, Node::GroupBy(ScanOf(t), {Big(0)}, {})), kept);
    return kept;
  };
  EXPECT_EQ(width(256), "1");
  EXPECT_EQ(width(257), "2");
  EXPECT_EQ(width(65536), "2");
  EXPECT_EQ(width(65537), "4");
  EXPECT_EQ(width(Int128{1} << 31), "4");
  EXPECT_EQ(width((Int128{1} << 31) + 1), "8");
}

TEST(PhysicalSinks, ColumnsOfAUnionHoldTheValuesOfAllInputs) {
  const auto column = [](const MadeUpTable& u) {
    const MadeUpTable t = Table("t", 100);
    return MaterialisedColumnOf({t, u}, Node::Union(ScanOf(t), ScanOf(u)));
  };
  EXPECT_EQ(column(Table("u", 256)), "1");
  EXPECT_EQ(column(Table("u", 257)), "2");
  EXPECT_EQ(column(Table("u", 256, true)), "1?");
}

TEST(PhysicalSinks, FiltersMakeColumnsThatAreKeptNarrower) {
  const auto column = [](int64_t bound) {
    const MadeUpTable t = Table("t", 1000);
    const ExpressionPointer is_at_most = Expression::Make(
        Operation::LessOrEqual, TypeKind::Boolean, {Big(0), Expression::Integer(bound, kBigint)});
    return MaterialisedColumnOf({t}, Node::Keep(Node::Filter(ScanOf(t), is_at_most)));
  };
  EXPECT_EQ(column(255), "1");
  EXPECT_EQ(column(256), "2");
}

TEST(PhysicalSinks, StringsOfAUnionHaveOneDictionary) {
  const auto program = [](std::vector<std::string_view> strings) {
    const auto table = [](const std::string& name, std::vector<std::string_view> dictionary) {
      return MadeUpTable{
          name,
          1000,
          {{.name = name, .type = TypeKind::Varchar, .dictionary = std::move(dictionary)}}};
    };
    const MadeUpTable t = table("t", {"a", "b"}), u = table("u", std::move(strings));
    return RefusalOf({t, u}, Counted(Node::Union(ScanOf(t), ScanOf(u)), {T()}));
  };
  EXPECT_EQ(program({"b", "c"}), "");
  EXPECT_EQ(program({}),
            "a union of strings of different columns, one of which has too many different strings "
            "for a dictionary");
}

TEST(PhysicalSinks, PartitionsAreInputsOfAUnionOverRangesOfAKey) {
  const MadeUpTable t{"t", 100'000, {{"k", 100'000}}};
  const NodePointer plan = Counted(ScanOf(t), {Column(0)});
  const auto parted = Partition(
      plan, {t.rows},
      [](size_t, size_t) {
        return ValueBounds{0, 99'999};
      },
      2);
  ASSERT_TRUE(parted);
  const Outline program = ProgramOf({t}, parted->plan);
  EXPECT_EQ(FlowOf(program),
            (Flow{"t@0 -> group table", "the groups@1 -> materialised rows", "t@2 -> group table",
                  "the groups@3 -> materialised rows", "the union@4 -> rows"}));
  EXPECT_EQ(ValueOf(PartOf(program, "pipeline"), "estimated_rows"), "55000")
      << "half of the keys, and a tenth for NULL";
  EXPECT_EQ(FlowOf(ProgramOf({t}, plan)), Flow{"t@0 -> group table"});
}

TEST(PhysicalSinks, OnlyWhatIsUsedIsRead) {
  const MadeUpTable t{"t", 1000, {{"a"}, {"b", 1000}, {"c", 100'000}}};
  const auto read = [&](size_t column) {
    const Outline program = ProgramOf({t}, Counted(ScanOf(t), {Column(column)}));
    EXPECT_EQ(LastPipeline(program).PartsNamed("column").size(), 1u);
    return ValueOf(LastPipeline(program), "bytes");
  };
  EXPECT_EQ(read(0), "1000");
  EXPECT_EQ(read(1), "2000");
  EXPECT_EQ(read(2), "4000");
}

}  // namespace
}  // namespace margay::optimize
