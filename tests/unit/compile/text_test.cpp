// What becomes of expressions over text columns before and in the kernel's source.
#include <gtest/gtest.h>

#include "compile/generated_kernel.hpp"
#include "compile/refusal.hpp"
#include "compile/text_resolution.hpp"
#include "compile/text_searches.hpp"

namespace margay::compile {
namespace {

using plan::Expression;
using plan::ExpressionPointer;
using plan::Operation;
using plan::TypeKind;

//! A dictionary function that is never evaluated.
class Function : public plan::DictionaryFunction {
 public:
  explicit Function(plan::Type type, bool is_increasing = false)
      : type_(type), is_increasing_(is_increasing) {}
  plan::Type ResultType() const override { return type_; }
  bool IsIncreasing() const override { return is_increasing_; }
  plan::DictionaryResults Evaluate(std::span<const std::string_view>) const override { return {}; }
  std::string ToString(const std::string& argument) const override { return "f(" + argument + ")"; }

 private:
  plan::Type type_;
  bool is_increasing_;
};

//! Columns without rows: t is text, d has a dictionary.
std::vector<InputColumn> Columns() {
  storage::ColumnImage::Parts text, dictionary;
  text.type = dictionary.type = TypeKind::Varchar;
  text.encoding = storage::Encoding::Text;
  text.width = 4;
  dictionary.encoding = storage::Encoding::Dictionary;
  dictionary.dictionary =
      std::make_shared<storage::Dictionary>(std::vector<std::string_view>{"a", "b"});
  return {{0, 0, "t", std::make_shared<storage::ColumnImage>(text)},
          {1, 0, "d", std::make_shared<storage::ColumnImage>(dictionary)}};
}

ExpressionPointer T() {
  return Expression::Column(0, TypeKind::Varchar, "t");
}
ExpressionPointer D() {
  return Expression::Column(1, TypeKind::Varchar, "d");
}

ExpressionPointer Text(const std::string& text) {
  plan::Constant constant;
  constant.text = text;
  return Expression::MakeConstant(constant, TypeKind::Varchar);
}

ExpressionPointer Like(const ExpressionPointer& column, const std::string& pattern) {
  return Expression::Make(Operation::Like, TypeKind::Boolean, {column, Text(pattern)});
}

ExpressionPointer Length() {
  return Expression::Make(Operation::Length, TypeKind::Int64, {T()});
}

std::variant<GeneratedProgram, Refusal> Generate(const std::vector<ExpressionPointer>& conjuncts,
                                                 Shape shape,
                                                 const std::vector<InputColumn>& columns) {
  plan::NodePointer node =
      plan::Node::Scan("x", {{0, "t", TypeKind::Varchar}, {1, "d", TypeKind::Varchar}});
  for (const ExpressionPointer& conjunct : conjuncts) {
    node = plan::Node::Filter(node, conjunct);
  }
  node = plan::Node::GroupBy(node, {},
                             {{plan::AggregateFunction::CountStar, nullptr, TypeKind::Int64}});
  return GenerateProgram(*node, columns, {0}, shape);
}

std::string Source(const std::vector<ExpressionPointer>& conjuncts, Shape shape) {
  auto generated = Generate(conjuncts, shape, Columns());
  if (auto* refusal = std::get_if<Refusal>(&generated)) {
    return "refused: " + refusal->reason;
  }
  return std::get<GeneratedProgram>(generated).result.source;
}

Pipeline Resolve(const Pipeline& pipeline) {
  Program program;
  program.result = pipeline;
  return ResolveTexts(std::move(program), Columns()).result;
}

bool Holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

//! The call, not the function.
bool Searches(const std::string& source) {
  return Holds(source, "text_search(t0, c0, rows");
}

TEST(TextResolution, TakesTheFormByRowOfTextColumnsOnly) {
  const auto function = std::make_shared<Function>(TypeKind::Int64);
  Pipeline pipeline;
  pipeline.outputs = {Expression::Dictionary(function, T(), Length()),
                      Expression::Dictionary(function, D(), Length())};
  const Pipeline resolved = Resolve(pipeline);
  EXPECT_EQ(resolved.outputs[0]->ToString(), "LENGTH(t)");
  EXPECT_EQ(resolved.outputs[1]->ToString(), "f(d)");
}

TEST(TextResolution, RefusesWhatHasNoFormByRow) {
  const auto function = std::make_shared<Function>(TypeKind::Int64);
  Pipeline pipeline;
  pipeline.conjuncts = {Expression::Make(Operation::IsNull, TypeKind::Boolean,
                                         {Expression::Dictionary(function, T())})};
  try {
    Resolve(pipeline);
    FAIL() << "there is no dictionary";
  } catch (const Unsupported& unsupported) {
    EXPECT_STREQ(unsupported.what(),
                 "computing f(t) row by row; t has too many different strings for a dictionary");
  }
}

TEST(TextResolution, OrdersByTheStringsOfIncreasingFunctions) {
  const auto increasing = std::make_shared<Function>(TypeKind::Int64, true);
  Pipeline pipeline;
  pipeline.order = PipelineOrder{{{Expression::Dictionary(increasing, T()), true, false},
                                  {Expression::Dictionary(increasing, D()), false, false},
                                  {T(), false, true}},
                                 {}};
  const Pipeline resolved = Resolve(pipeline);
  EXPECT_EQ(resolved.order->keys[0].expression->ToString(), "t");
  EXPECT_TRUE(resolved.order->keys[0].is_descending);
  EXPECT_EQ(resolved.order->keys[1].expression->ToString(), "f(d)");
  EXPECT_EQ(resolved.order->keys[2].expression->ToString(), "t");
  pipeline.order->keys = {
      {Expression::Dictionary(std::make_shared<Function>(TypeKind::Int64), T()), false, false}};
  EXPECT_THROW(Resolve(pipeline), Unsupported);
}

TEST(TextResolution, TakesGroupsAndAggregatesOfText) {
  Pipeline groups;
  groups.is_aggregate = true;
  groups.outputs = {T()};
  EXPECT_NO_THROW(Resolve(groups));
  groups.outputs = {D(), Length()};
  EXPECT_NO_THROW(Resolve(groups));
  groups.aggregates = {{plan::AggregateFunction::Count, T(), TypeKind::Int64}};
  EXPECT_NO_THROW(Resolve(groups));
  groups.aggregates = {{plan::AggregateFunction::Min, T(), TypeKind::Varchar}};
  EXPECT_NO_THROW(Resolve(groups));
}

TEST(TextSearches, OnlyPatternsWithANeedleInFiltersOfTheLoop) {
  EXPECT_TRUE(Searches(Source({Like(T(), "%a%b%")}, Shape::Loop)));
  EXPECT_FALSE(Searches(Source({Like(T(), "%a%b%")}, Shape::Lanes)));
  EXPECT_FALSE(Searches(Source({Like(T(), "a%b%")}, Shape::Loop)));
  Pipeline pipeline;
  pipeline.outputs = {Like(T(), "%a%")};
  EXPECT_EQ(TextSearches::Of(pipeline, Columns()).Find(*Like(T(), "%a%")), "");
  pipeline.conjuncts = {Expression::Make(Operation::Not, TypeKind::Boolean, {Like(T(), "%a%")})};
  EXPECT_NE(TextSearches::Of(pipeline, Columns()).Find(*Like(T(), "%a%")), "");
  EXPECT_EQ(TextSearches::Of(pipeline, Columns()).Find(*Like(T(), "%b%")), "");
}

TEST(TextSearches, OneBitmapForTheSamePattern) {
  const std::string source = Source(
      {Expression::Make(Operation::Or, TypeKind::Boolean, {Like(T(), "%a%"), Like(T(), "%b%")}),
       Like(T(), "%a%")},
      Shape::Loop);
  EXPECT_TRUE(Holds(source, "found1["));
  EXPECT_FALSE(Holds(source, "found2["));
}

TEST(TextWriter, OneSourceServesAllStrings) {
  const auto equal = [](const std::string& text) {
    return Expression::Make(Operation::Equal, TypeKind::Boolean, {T(), Text(text)});
  };
  for (Shape shape : {Shape::Loop, Shape::Lanes}) {
    EXPECT_EQ(Source({Like(T(), "%special%requests%")}, shape), Source({Like(T(), "%x%")}, shape));
    EXPECT_EQ(Source({Like(T(), "a%_b")}, shape), Source({Like(T(), "____")}, shape));
    EXPECT_EQ(Source({equal("")}, shape), Source({equal("a longer string")}, shape));
  }
}

TEST(TextWriter, ComparesStringsOfDictionaryColumns) {
  const auto less = Expression::Make(Operation::Less, TypeKind::Boolean, {T(), D()});
  EXPECT_TRUE(Holds(Source({less}, Shape::Loop), "text_order(t0 + "));
  EXPECT_EQ(Source({Like(D(), "a%")}, Shape::Loop),
            "refused: searching the strings of d row by row");
}

TEST(TextWriter, TheImageKeepsTheStringsOfADictionary) {
  const auto less = Expression::Make(Operation::Less, TypeKind::Boolean, {T(), D()});
  const auto kernel = [&](const std::vector<InputColumn>& columns) {
    return std::get<GeneratedProgram>(Generate({less}, Shape::Loop, columns)).result;
  };
  std::vector<InputColumn> columns = Columns();
  EXPECT_TRUE(kernel(columns).string_columns.empty());
  EXPECT_FALSE(kernel(columns).parameters.LookupBytes().empty());
  for (InputColumn& column : columns)
    column.image = std::static_pointer_cast<const storage::ColumnImage>(column.form);
  ASSERT_EQ(kernel(columns).string_columns.size(), 1);
  EXPECT_EQ(kernel(columns).string_columns[0].name, "d");
  EXPECT_TRUE(Holds(kernel(columns).source, "uchar* restrict strings1"));
  EXPECT_TRUE(kernel(columns).parameters.LookupBytes().empty());
}

ExpressionPointer Slice(const ExpressionPointer& text, int64_t begin, int64_t end) {
  return Expression::Make(Operation::Slice, TypeKind::Varchar,
                          {text, Expression::Integer(begin, TypeKind::Int64),
                           Expression::Integer(end, TypeKind::Int64)});
}

ExpressionPointer Equals(const ExpressionPointer& left, const ExpressionPointer& right) {
  return Expression::Make(Operation::Equal, TypeKind::Boolean, {left, right});
}

TEST(TextWriter, OneSourceServesAllSlices) {
  for (Shape shape : {Shape::Loop, Shape::Lanes}) {
    EXPECT_EQ(Source({Equals(Slice(T(), 0, 2), Text("a"))}, shape),
              Source({Equals(Slice(T(), -7, INT64_MAX), Text("bcd"))}, shape));
  }
}

TEST(TextWriter, WritesASliceOnce) {
  const std::string source = Source(
      {Equals(Slice(T(), 0, 2), Text("a")), Equals(Text("b"), Slice(T(), 0, 2))}, Shape::Loop);
  const std::string call = "= text_slice(";
  EXPECT_TRUE(Holds(source, call));
  EXPECT_EQ(source.find(call), source.rfind(call));
  EXPECT_FALSE(Holds(Source({Equals(T(), Text("a"))}, Shape::Loop), "text_slice"));
}

TEST(TextResolution, JoinsByTextCompareHashesAndStrings) {
  Program program;
  program.column_tables = {0, 1};
  program.result.joins.emplace_back();
  program.result.joins[0].kind = plan::JoinKind::Left;
  program.result.joins[0].keys = {{T(), D(), false}};
  program.builds.emplace_back();
  program.builds[0].pipeline.table = 1;
  program.builds[0].keys = {D()};
  const Program resolved = ResolveTexts(program, Columns());
  const PipelineJoin& join = resolved.result.joins[0];
  EXPECT_EQ(join.keys[0].probe->ToString(), "TEXT_HASH(t)");
  EXPECT_EQ(join.keys[0].build->ToString(), "TEXT_HASH(d)");
  EXPECT_EQ(resolved.builds[0].keys[0]->ToString(), "TEXT_HASH(d)");
  EXPECT_EQ(join.residual->ToString(), "(t = d)");

  program.result.joins[0].kind = plan::JoinKind::Inner;
  program.result.joins[0].keys[0].nulls_are_equal = true;
  const Program inner = ResolveTexts(program, Columns());
  EXPECT_EQ(inner.result.joins[0].residual, nullptr);
  EXPECT_EQ(inner.result.joins[0].conjuncts[0]->ToString(), "(t IS NOT DISTINCT FROM d)");
  // Codes are as good as strings.
  program.result.joins[0].keys = {{D(), D(), false}};
  EXPECT_EQ(ResolveTexts(program, Columns()).result.joins[0].keys[0].probe->ToString(), "d");
}

}  // namespace
}  // namespace margay::compile
