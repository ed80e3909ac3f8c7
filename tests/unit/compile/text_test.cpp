// What becomes of expressions over text columns before and in the kernel's source.
#include <gtest/gtest.h>

#include "compile/kernel_source.hpp"
#include "optimize/physical/lowering.hpp"
#include "unit/optimize/text_columns.hpp"

namespace margay::compile {
namespace {

using optimize::Columns;
using optimize::D;
using optimize::Like;
using optimize::Shape;
using optimize::T;
using optimize::Text;
using plan::Expression;
using plan::ExpressionPointer;
using plan::Operation;
using plan::TypeKind;

//! The pipeline that counts the rows of a scan for which `conjuncts` hold, or why there is none.
std::variant<std::shared_ptr<const optimize::Program>, plan::Refusal> LowerCount(
    const std::vector<ExpressionPointer>& conjuncts, Shape shape,
    const std::vector<optimize::InputColumn>& columns) {
  plan::NodePointer node =
      plan::Node::Scan("x", {{0, "t", TypeKind::Varchar}, {1, "d", TypeKind::Varchar}});
  for (const ExpressionPointer& conjunct : conjuncts)
    node = plan::Node::Filter(node, conjunct);
  node = plan::Node::GroupBy(node, {},
                             {{plan::AggregateFunction::CountStar, nullptr, TypeKind::Int64}});
  optimize::ScanInput input{0, {0, 1}, {}};
  for (const optimize::InputColumn& column : columns)
    input.columns.push_back({column.form, column.image});
  return optimize::Lower(node, {input}, {shape});
}

std::string Source(const std::vector<ExpressionPointer>& conjuncts, Shape shape) {
  auto lowered = LowerCount(conjuncts, shape, Columns());
  if (auto* refusal = std::get_if<plan::Refusal>(&lowered))
    return "refused: " + refusal->reason;
  return WriteKernel(*std::get<0>(lowered)->pipelines[0].lowered).program.Text();
}

bool Holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

//! The call, not the function.
bool Searches(const std::string& source) {
  return Holds(source, "text_search(t0, c0, rows");
}

TEST(TextSearches, OnlyPatternsWithANeedleInFiltersOfTheLoop) {
  EXPECT_TRUE(Searches(Source({Like(T(), "%a%b%")}, Shape::Loop)));
  EXPECT_FALSE(Searches(Source({Like(T(), "%a%b%")}, Shape::Lanes)));
  EXPECT_FALSE(Searches(Source({Like(T(), "a%b%")}, Shape::Loop)));
  EXPECT_TRUE(Searches(Source(
      {Expression::Make(Operation::Not, TypeKind::Boolean, {Like(T(), "%a%")})}, Shape::Loop)));
}

TEST(TextSearches, OneBitmapForTheSamePattern) {
  const std::string source = Source(
      {Expression::Make(Operation::Or, TypeKind::Boolean, {Like(T(), "%a%"), Like(T(), "%b%")}),
       Like(T(), "%a%")},
      Shape::Loop);
  EXPECT_TRUE(Holds(source, "found1["));
  EXPECT_FALSE(Holds(source, "found2["));
}

TEST(KernelSource, OneSourceServesAllStrings) {
  const auto equal = [](const std::string& text) {
    return Expression::Make(Operation::Equal, TypeKind::Boolean, {T(), Text(text)});
  };
  for (Shape shape : {Shape::Loop, Shape::Lanes}) {
    EXPECT_EQ(Source({Like(T(), "%special%requests%")}, shape), Source({Like(T(), "%x%")}, shape));
    EXPECT_EQ(Source({Like(T(), "a%_b")}, shape), Source({Like(T(), "____")}, shape));
    EXPECT_EQ(Source({equal("")}, shape), Source({equal("a longer string")}, shape));
  }
}

TEST(KernelSource, ComparesStringsOfDictionaryColumns) {
  const auto less = Expression::Make(Operation::Less, TypeKind::Boolean, {T(), D()});
  EXPECT_TRUE(Holds(Source({less}, Shape::Loop), "text_order(t0 + "));
  EXPECT_EQ(Source({Like(D(), "a%")}, Shape::Loop),
            "refused: searching the strings of d row by row");
}

TEST(KernelSource, TheImageKeepsTheStringsOfADictionary) {
  const auto less = Expression::Make(Operation::Less, TypeKind::Boolean, {T(), D()});
  const auto lower = [&](const std::vector<optimize::InputColumn>& columns) {
    return std::get<0>(LowerCount({less}, Shape::Loop, columns))->pipelines[0].lowered;
  };
  std::vector<optimize::InputColumn> columns = Columns();
  const Argument strings{ArgumentKind::Strings, 1};
  EXPECT_FALSE(WriteKernel(*lower(columns)).arguments.Has(strings));
  EXPECT_FALSE(lower(columns)->values->parameters.Tables().empty());
  for (optimize::InputColumn& column : columns)
    column.image = std::static_pointer_cast<const storage::ColumnImage>(column.form);
  EXPECT_TRUE(WriteKernel(*lower(columns)).arguments.Has(strings));
  EXPECT_TRUE(lower(columns)->values->parameters.Tables().empty());
}

ExpressionPointer Slice(const ExpressionPointer& text, int64_t begin, int64_t end) {
  return Expression::Make(Operation::Slice, TypeKind::Varchar,
                          {text, Expression::Integer(begin, TypeKind::Int64),
                           Expression::Integer(end, TypeKind::Int64)});
}

ExpressionPointer Equals(const ExpressionPointer& left, const ExpressionPointer& right) {
  return Expression::Make(Operation::Equal, TypeKind::Boolean, {left, right});
}

TEST(KernelSource, OneSourceServesAllSlices) {
  for (Shape shape : {Shape::Loop, Shape::Lanes}) {
    EXPECT_EQ(Source({Equals(Slice(T(), 0, 2), Text("a"))}, shape),
              Source({Equals(Slice(T(), -7, INT64_MAX), Text("bcd"))}, shape));
  }
}

TEST(KernelSource, WritesASliceOnce) {
  const std::string source = Source(
      {Equals(Slice(T(), 0, 2), Text("a")), Equals(Text("b"), Slice(T(), 0, 2))}, Shape::Loop);
  const std::string call = "= text_slice(";
  EXPECT_TRUE(Holds(source, call));
  EXPECT_EQ(source.find(call), source.rfind(call));
  EXPECT_FALSE(Holds(Source({Equals(T(), Text("a"))}, Shape::Loop), "text_slice"));
}

}  // namespace
}  // namespace margay::compile
