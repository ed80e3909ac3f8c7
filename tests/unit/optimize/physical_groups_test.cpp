// What is decided about aggregates, as programs over made-up tables print it: tables of groups,
// their keys, and how sums and extremes are held. Each test has statistics on both sides of a
// threshold.
#include <gtest/gtest.h>

#include "made_up_tables.hpp"

namespace margay::optimize {
namespace {

using plan::Aggregate;
using plan::AggregateFunction;
using plan::Expression;
using plan::ExpressionPointer;
using plan::JoinKind;
using plan::Node;
using plan::NodePointer;
using plan::Operation;
using plan::TypeKind;

//! Column number `column` of a table.
ExpressionPointer ColumnOf(const MadeUpTable& table, size_t column) {
  return Expression::Column(column, table.columns[column].type, table.columns[column].name);
}

//! What is done with the rows of `t` for each group of its first `keys` columns.
Outline FoldOf(const MadeUpTable& t, size_t keys, std::vector<Aggregate> aggregates = {CountRows()},
               const LoweringOptions& options = {}) {
  std::vector<ExpressionPointer> groups;
  for (size_t key = 0; key < keys; key++)
    groups.push_back(ColumnOf(t, key));
  const NodePointer plan = Node::GroupBy(ScanOf(t), groups, std::move(aggregates));
  return PartOf(LastPipeline(ProgramOf({t}, plan, options)), "fold");
}

//! Where the groups of `rows` rows of a table with this key are.
std::string TableOf(uint64_t rows, MadeUpColumn key) {
  return ValueOf(FoldOf({"t", rows, {std::move(key)}}, 1), "table");
}
std::string TableOf(uint64_t rows, Int128 values) {
  return TableOf(rows, MadeUpColumn{.name = "k", .values = values, .type = kBigint});
}

TEST(PhysicalGroups, WithoutKeysThereIsASingleResult) {
  const MadeUpTable t{"t", 1000, {{"k"}}};
  EXPECT_EQ(FlowOf(ProgramOf({t}, Counted(ScanOf(t)))), Flow{"t@0 -> single result"});
  EXPECT_EQ(FlowOf(ProgramOf({t}, Counted(ScanOf(t), {Column(0)}))), Flow{"t@0 -> group table"});
}

TEST(PhysicalGroups, WorkGroupsHaveTablesOfTheirOwnForUpTo65536Groups) {
  EXPECT_EQ(TableOf(1'000'000, 65536), "per_work_group");
  EXPECT_EQ(TableOf(1'000'000, 65537), "shared_direct");
  EXPECT_EQ(TableOf(1'000'000, {.name = "k", .values = 65535, .can_be_null = true}),
            "per_work_group");
  EXPECT_EQ(TableOf(1'000'000, {.name = "k", .values = 65536, .can_be_null = true}),
            "shared_direct")
      << "NULL is a group";
}

TEST(PhysicalGroups, PossibleGroupsAreThoseOfAllKeysTogether) {
  const auto fold = [](Int128 second) {
    return FoldOf({"t", 1'000'000, {{"a", 256}, {"b", second}}}, 2);
  };
  EXPECT_EQ(ValueOf(fold(256), "groups"), "65536");
  EXPECT_EQ(ValueOf(fold(256), "table"), "per_work_group");
  EXPECT_EQ(ValueOf(fold(257), "groups"), "65792");
  EXPECT_EQ(ValueOf(fold(257), "table"), "shared_direct");
}

TEST(PhysicalGroups, ASharedTableIsHashedWhereThreeQuartersOfItWouldBeEmpty) {
  EXPECT_EQ(TableOf(300'000, 1'200'003), "shared_direct");
  EXPECT_EQ(TableOf(300'000, 1'200'004), "shared_hashed");
}

TEST(PhysicalGroups, ASharedTableOfAMillionSlotsIsNeverHashed) {
  constexpr Int128 kMillion = 1 << 20;
  EXPECT_EQ(TableOf(1000, kMillion), "shared_direct");
  EXPECT_EQ(TableOf(1000, kMillion + 1), "shared_hashed");
}

TEST(PhysicalGroups, FiltersAndDifferentValuesTellHowManyGroupsToExpect) {
  const auto fold = [](uint64_t distinct, int64_t bound) {
    const MadeUpTable t{
        "t", 300'000, {{.name = "k", .values = 1'200'003, .distinct = distinct}, {"x"}}};
    const NodePointer plan = Counted(Below(ScanOf(t), 1, bound), {Column(0)});
    return PartOf(LastPipeline(ProgramOf({t}, plan)), "fold");
  };
  EXPECT_EQ(ValueOf(fold(0, 100), "expected_groups"), "300000");
  EXPECT_EQ(ValueOf(fold(0, 100), "table"), "shared_direct");
  EXPECT_EQ(ValueOf(fold(0, 50), "expected_groups"), "150000");
  EXPECT_EQ(ValueOf(fold(0, 50), "table"), "shared_hashed");
  EXPECT_EQ(ValueOf(fold(20'000, 100), "expected_groups"), "20000");
  EXPECT_EQ(ValueOf(fold(20'000, 100), "table"), "shared_hashed");
}

TEST(PhysicalGroups, AKeyThatOrdersTheTableHasItsRowsTogether) {
  const auto key = [](bool is_sorted) {
    return MadeUpColumn{.name = "k", .values = 100'000, .is_sorted = is_sorted};
  };
  EXPECT_EQ(TableOf(200'000, key(true)), "shared_clustered");
  EXPECT_EQ(TableOf(200'000, key(false)), "shared_direct");
  const auto of_two_keys = FoldOf({"t", 200'000, {key(true), {"other"}}}, 2);
  EXPECT_EQ(ValueOf(of_two_keys, "table"), "shared_hashed") << "10,000,000 groups, out of order";
}

TEST(PhysicalGroups, KeysThatNoWordHoldsAreHashed) {
  constexpr Int128 kWord = Int128{1} << 62;
  const auto fold = [](Int128 values) {
    return FoldOf({"t", 1'000'000, {{"a", kWord, kBigint}, {"b", values}}}, 2);
  };
  EXPECT_EQ(ValueOf(fold(3), "groups"), ToString(kWord * 3));
  EXPECT_EQ(ValueOf(fold(4), "groups"), std::to_string(kMostIndexes)) << "or more";
  EXPECT_EQ(ValueOf(fold(4), "table"), "shared_hashed");
}

//! Which keys of `t` are computed from a row that the others name.
std::vector<std::string> DependentKeys(const MadeUpTable& t) {
  return ValuesOf(FoldOf(t, t.columns.size()), "key", "dependent");
}

TEST(PhysicalGroups, KeysThatFollowFromAUniqueOneAreNoPartOfTheIndex) {
  const auto table = [](uint64_t rows, bool is_unique, bool can_be_null) {
    return MadeUpTable{"t",
                       rows,
                       {{.name = "id",
                         .values = static_cast<Int128>(rows),
                         .is_unique = is_unique,
                         .can_be_null = can_be_null},
                        {"k"}}};
  };
  const std::vector<std::string> second{"", "yes"}, none{"", ""};
  EXPECT_EQ(DependentKeys(table(656, true, false)), second);
  EXPECT_EQ(DependentKeys(table(655, true, false)), none) << "65,500 groups fit into own tables";
  EXPECT_EQ(DependentKeys(table(656, false, false)), none);
  EXPECT_EQ(DependentKeys(table(656, true, true)), none) << "any number of rows may have NULL";
}

TEST(PhysicalGroups, DependentKeysMakeATableSmaller) {
  const MadeUpColumn id{.name = "id", .values = 100'000, .is_unique = true};
  const Outline fold = FoldOf({"t", 100'000, {id, {"k"}, {"far", 1 << 30}}}, 3);
  EXPECT_EQ(ValueOf(fold, "groups"), "100000");
  EXPECT_EQ(ValueOf(fold, "table"), "shared_direct");
  EXPECT_EQ(ValuesOf(PartOf(fold, "pack"), "column", "name"),
            (std::vector<std::string>{"k", "far"}));
}

TEST(PhysicalGroups, StringsFollowFromNumbersRatherThanTheReverse) {
  const MadeUpTable t{"t",
                      100'000,
                      {{.name = "s", .type = TypeKind::Varchar, .longest_text = 10},
                       {.name = "id", .values = 100'000, .is_unique = true}}};
  EXPECT_EQ(DependentKeys(t), (std::vector<std::string>{"yes", ""}));
}

TEST(PhysicalGroups, RowsOfJoinsFollowFromTheirKeys) {
  const auto dependent = [](bool is_unique) {
    const MadeUpTable t{
        "t", 100'000, {{.name = "t_id", .values = 100'000, .is_unique = true}, {"t_u", 1000}}};
    const MadeUpTable u{
        "u", 1000, {{.name = "u_id", .values = 1000, .is_unique = is_unique}, {"u_k"}}};
    const NodePointer join = JoinOf(JoinKind::Inner, ScanOf(t), 1, ScanOf(u), 0);
    const Outline program = ProgramOf({t, u}, Counted(join, {Column(0), Column(3)}));
    return ValuesOf(PartOf(LastPipeline(program), "fold"), "key", "dependent");
  };
  EXPECT_EQ(dependent(true), (std::vector<std::string>{"", "yes"}));
  EXPECT_EQ(dependent(false), (std::vector<std::string>{"", ""}));
}

//! What of the groups of `t` by its first `keys` columns is packed, of those that `having` keeps.
Outline PackOf(const MadeUpTable& t, size_t keys, const ExpressionPointer& having) {
  std::vector<ExpressionPointer> groups;
  for (size_t key = 0; key < keys; key++)
    groups.push_back(ColumnOf(t, key));
  const Outline program = ProgramOf({t}, Node::Filter(Counted(ScanOf(t), groups), having));
  const auto packs = PartOf(PartOf(program, "pipeline"), "fold").PartsNamed("pack");
  return packs.empty() ? Outline{"nothing", {}, {}} : *packs[0];
}

//! `column` < 7.
ExpressionPointer IsSmall(size_t column, TypeKind type) {
  return Expression::Make(Operation::Less, TypeKind::Boolean,
                          {Expression::Column(column, type, "c"), Expression::Integer(7, type)});
}

TEST(PhysicalGroups, AFilterOfGroupsIsTestedWhereTheyArePacked) {
  const auto pack = [](Int128 values) {
    return PackOf({"t", 1'000'000, {{"k", values}}}, 1, IsSmall(1, kBigint));
  };
  EXPECT_EQ(ValueOf(PartOf(pack(65537), "filter"), "value"), "(word(0) < (long)$0)");
  EXPECT_EQ(pack(65536).name, "nothing") << "the host puts tables of work-groups together";
}

TEST(PhysicalGroups, AFilterOfAKeyThatFollowsComesLater) {
  const MadeUpTable t{
      "t", 100'000, {{.name = "id", .values = 100'000, .is_unique = true}, {"k", 100}}};
  EXPECT_EQ(PackOf(t, 2, IsSmall(0, kInteger)).PartsNamed("filter").size(), 1u);
  EXPECT_EQ(PackOf(t, 2, IsSmall(1, kInteger)).PartsNamed("filter").size(), 0u);
}

TEST(PhysicalGroups, GroupsThatAreReadTwiceAreAllPacked) {
  const MadeUpTable t{"t", 1'000'000, {{"k", 100'000}}};
  const NodePointer groups = Counted(ScanOf(t), {Column(0)});
  const auto filters = [&](const NodePointer& other) {
    const NodePointer plan =
        JoinOf(JoinKind::Semi, Node::Filter(groups, IsSmall(1, kBigint)), 0, other, 0);
    const Outline program = ProgramOf({t}, plan);
    return PartOf(PartOf(PartOf(program, "pipeline"), "fold"), "pack").PartsNamed("filter").size();
  };
  EXPECT_EQ(filters(Counted(ScanOf(t), {Column(0)})), 1u) << "groups alike, but of their own";
  EXPECT_EQ(filters(groups), 0u);
}

//! How `function` of values below `values` is held in `groups` groups of a million rows.
Outline AccumulatorOf(AggregateFunction function, Int128 values, Int128 groups,
                      TypeKind type = kBigint) {
  const MadeUpTable t{"t", 1'000'000, {{"k", groups}, {"x", values, type}}};
  return PartOf(FoldOf(t, 1, {Of(function, ColumnOf(t, 1))}), "accumulator", 1);
}

TEST(PhysicalGroups, SumsHave64BitsWhereFourMillionRowsAreSafe) {
  constexpr Int128 kMost = (Int128{1} << 41) - 1;  // 2^22 rows of it stay below 2^63
  for (const auto function : {AggregateFunction::Sum, AggregateFunction::Average}) {
    EXPECT_EQ(ValueOf(AccumulatorOf(function, kMost + 1, 100), "fold"), "sum64");
    EXPECT_EQ(ValueOf(AccumulatorOf(function, kMost + 2, 100), "fold"), "sum128");
  }
}

TEST(PhysicalGroups, SumsOfASharedTableHave64BitsWhereAllRowsAreSafe) {
  constexpr Int128 kMost = INT64_MAX / 1'000'000;
  EXPECT_EQ(ValueOf(AccumulatorOf(AggregateFunction::Sum, kMost + 1, 70'000), "fold"), "sum64");
  EXPECT_EQ(ValueOf(AccumulatorOf(AggregateFunction::Sum, kMost + 2, 70'000), "fold"), "sum128");
}

TEST(PhysicalGroups, SumsOfRowsThatJoinsMultiplyHave128Bits) {
  const auto fold = [](bool is_unique) {
    const MadeUpTable t{"t", 1000, {{"t_u", 1000}, {"x"}}};
    const MadeUpTable u{
        "u", 1000, {{.name = "u_id", .values = 1000, .is_unique = is_unique}, {"y"}}};
    const NodePointer join = JoinOf(JoinKind::Inner, ScanOf(t), 0, ScanOf(u), 0);
    const Outline program = ProgramOf({t, u}, Summed(join, 3));
    return ValueOf(PartOf(PartOf(LastPipeline(program), "fold"), "accumulator", 1), "fold");
  };
  EXPECT_EQ(fold(true), "sum64");
  EXPECT_EQ(fold(false), "sum128");
}

TEST(PhysicalGroups, SumsThatMayLeave128BitsAreChecked) {
  const auto is_checked = [](Int128 most) {
    return ValueOf(AccumulatorOf(AggregateFunction::Sum, most + 1, 100, TypeKind::Int128),
                   "checked");
  };
  EXPECT_EQ(is_checked(kInt128Max / 1'000'000), "");
  EXPECT_EQ(is_checked(kInt128Max / 1'000'000 + 1), "yes");
}

TEST(PhysicalGroups, ExtremesOfNumbersBeyond64BitsHaveTwoWords) {
  constexpr Int128 kMost = INT64_MAX;
  const auto fold = [](AggregateFunction function, Int128 most) {
    return ValueOf(AccumulatorOf(function, most + 1, 100, TypeKind::Int128), "fold");
  };
  EXPECT_EQ(fold(AggregateFunction::Min, kMost), "min64");
  EXPECT_EQ(fold(AggregateFunction::Min, kMost + 1), "min128");
  EXPECT_EQ(fold(AggregateFunction::Max, kMost), "max64");
  EXPECT_EQ(fold(AggregateFunction::Max, kMost + 1), "max128");
}

TEST(PhysicalGroups, FloatsAreSummedAsFloats) {
  EXPECT_EQ(ValueOf(AccumulatorOf(AggregateFunction::Sum, 1, 100, TypeKind::Float64), "fold"),
            "sum_float");
  EXPECT_EQ(ValueOf(AccumulatorOf(AggregateFunction::Min, 1, 100, TypeKind::Float64), "fold"),
            "min64");
}

TEST(PhysicalGroups, EqualAccumulatorsAreOne) {
  const auto folds = [](bool can_be_null) {
    const MadeUpTable t{"t", 1000, {{"k"}, {.name = "x", .can_be_null = can_be_null}}};
    const ExpressionPointer x = ColumnOf(t, 1);
    return ValuesOf(FoldOf(t, 1,
                           {CountRows(), Of(AggregateFunction::Sum, x),
                            Of(AggregateFunction::Average, x), Of(AggregateFunction::Count, x)}),
                    "accumulator", "fold");
  };
  EXPECT_EQ(folds(false), (std::vector<std::string>{"count", "sum64"}));
  EXPECT_EQ(folds(true), (std::vector<std::string>{"count", "count", "sum64"}))
      << "values that are not NULL have a count of their own";
}

TEST(PhysicalGroups, LanesShareExtremesOfTwoWordsWhereJoinsMultiplyRows) {
  const auto table = [](Shape shape, Int128 most, bool is_unique) {
    const MadeUpTable t{"t", 1000, {{"k"}, {"t_u", 1000}, {"x", most + 1, TypeKind::Int128}}};
    const MadeUpTable u{"u", 1000, {{.name = "id", .values = 1000, .is_unique = is_unique}}};
    const NodePointer plan =
        Node::GroupBy(JoinOf(JoinKind::Inner, ScanOf(t), 1, ScanOf(u), 0), {Column(0)},
                      {Of(AggregateFunction::Min, ColumnOf(t, 2))});
    return ValueOf(PartOf(LastPipeline(ProgramOf({t, u}, plan, {shape})), "fold"), "table");
  };
  constexpr Int128 kMost = INT64_MAX;
  EXPECT_EQ(table(Shape::Lanes, kMost + 1, false), "shared_direct");
  EXPECT_EQ(table(Shape::Lanes, kMost, false), "per_work_group");
  EXPECT_EQ(table(Shape::Lanes, kMost + 1, true), "per_work_group");
  EXPECT_EQ(table(Shape::Loop, kMost + 1, false), "per_work_group");
}

TEST(PhysicalGroups, TextHasOneTableForAllHoweverFewTheGroups) {
  const auto column = [](std::vector<std::string_view> dictionary) {
    return MadeUpColumn{
        .name = "s", .type = TypeKind::Varchar, .dictionary = std::move(dictionary)};
  };
  EXPECT_EQ(TableOf(1000, column({"a", "b"})), "per_work_group");
  EXPECT_EQ(TableOf(1000, column({})), "shared_direct");
  // Only the device has the bytes to compare.
  const auto least = [&](std::vector<std::string_view> dictionary) {
    const MadeUpTable t{"t", 1000, {column(std::move(dictionary))}};
    return FoldOf(t, 0, {Of(AggregateFunction::Min, ColumnOf(t, 0))});
  };
  EXPECT_EQ(ValueOf(least({"a", "b"}), "table"), "per_work_group");
  EXPECT_EQ(ValueOf(PartOf(least({"a", "b"}), "accumulator", 1), "fold"), "min64");
  EXPECT_EQ(ValueOf(least({}), "table"), "shared_direct");
  EXPECT_EQ(ValueOf(PartOf(least({}), "accumulator", 1), "fold"), "min_text");
}

TEST(PhysicalGroups, SlicesOfTextMayBeFewAndAreHashed) {
  const MadeUpTable t{"t", 1000, {{.name = "s", .type = TypeKind::Varchar}}};
  const auto table = [&](const ExpressionPointer& key) {
    return ValueOf(PartOf(LastPipeline(ProgramOf({t}, Counted(ScanOf(t), {key}))), "fold"),
                   "table");
  };
  const ExpressionPointer whole = ColumnOf(t, 0);
  const ExpressionPointer slice =
      Expression::Make(Operation::Slice, TypeKind::Varchar,
                       {whole, Expression::Integer(0, kBigint), Expression::Integer(2, kBigint)});
  EXPECT_EQ(table(whole), "shared_direct");
  EXPECT_EQ(table(slice), "shared_hashed");
}

TEST(PhysicalGroups, OnlyPlacesThatValuesCanHaveCount) {
  constexpr Int128 kDay = 86'400'000'000;
  const MadeUpTable t{"t", 1'000'000, {{"moment", 1000 * kDay, TypeKind::Timestamp}}};
  const auto groups = [&](const ExpressionPointer& key) {
    return ValueOf(PartOf(LastPipeline(ProgramOf({t}, Counted(ScanOf(t), {key}))), "fold"),
                   "groups");
  };
  EXPECT_EQ(groups(ColumnOf(t, 0)), ToString(1000 * kDay));
  EXPECT_EQ(groups(Expression::PartOf(Operation::DateTrunc, plan::DatePart::Hour,
                                      TypeKind::Timestamp, ColumnOf(t, 0))),
            "24000");
  // Of floats from 1 to 2: those that their fraction can tell apart.
  const auto floats = [](TypeKind type) {
    return ValueOf(FoldOf({"t", 1'000'000, {{.name = "f", .type = type}}}, 1), "groups");
  };
  EXPECT_EQ(floats(TypeKind::Float32), std::to_string((1 << 23) + 1));
  EXPECT_EQ(floats(TypeKind::Float64), std::to_string((int64_t{1} << 52) + 1));
}

TEST(PhysicalGroups, ALeftJoinByAUniqueKeyIsGroupedFirst) {
  const auto flow = [](bool is_unique, bool can_be_null) {
    const MadeUpTable head{
        "head",
        1000,
        {{.name = "h_id", .values = 1000, .is_unique = is_unique, .can_be_null = can_be_null}}};
    const MadeUpTable line{"line", 10'000, {{"l_id", 10'000}, {"l_head", 1000}}};
    const NodePointer join = JoinOf(JoinKind::Left, ScanOf(head), 0, ScanOf(line), 1);
    return FlowOf(ProgramOf(
        {head, line}, Node::GroupBy(join, {Column(0)}, {Of(AggregateFunction::Count, Column(1))})));
  };
  const Flow grouped_first{"line@0 -> group table", "the groups@2 -> join build",
                           "head@1, direct the groups@2 -> rows"};
  const Flow joined_first{"line@1 -> join build", "head@0, direct line@1 -> group table"};
  EXPECT_EQ(flow(true, false), grouped_first);
  EXPECT_EQ(flow(false, false), joined_first);
  EXPECT_EQ(flow(true, true), joined_first);
}

}  // namespace
}  // namespace margay::optimize
