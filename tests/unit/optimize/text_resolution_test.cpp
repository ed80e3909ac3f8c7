#include "optimize/physical/text_resolution.hpp"

#include <gtest/gtest.h>

#include "optimize/unsupported.hpp"
#include "text_columns.hpp"

namespace margay::optimize {
namespace {

using plan::Expression;
using plan::Operation;
using plan::TypeKind;

Pipeline Resolve(const Pipeline& pipeline) {
  Stage program;
  program.result = pipeline;
  return ResolveTexts(std::move(program), Columns()).result;
}

TEST(TextResolution, TakesTheFormByRowOfTextColumnsOnly) {
  const auto function = std::make_shared<UnevaluatedFunction>(TypeKind::Int64);
  Pipeline pipeline;
  pipeline.outputs = {Expression::Dictionary(function, T(), Length()),
                      Expression::Dictionary(function, D(), Length())};
  const Pipeline resolved = Resolve(pipeline);
  EXPECT_EQ(resolved.outputs[0]->ToString(), "LENGTH(t)");
  EXPECT_EQ(resolved.outputs[1]->ToString(), "f(d)");
}

TEST(TextResolution, RefusesWhatHasNoFormByRow) {
  const auto function = std::make_shared<UnevaluatedFunction>(TypeKind::Int64);
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
  const auto increasing = std::make_shared<UnevaluatedFunction>(TypeKind::Int64, true);
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
      {Expression::Dictionary(std::make_shared<UnevaluatedFunction>(TypeKind::Int64), T()), false,
       false}};
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

TEST(TextResolution, JoinsByTextCompareHashesAndStrings) {
  Stage program;
  program.column_tables = {0, 1};
  program.result.joins.emplace_back();
  program.result.joins[0].kind = plan::JoinKind::Left;
  program.result.joins[0].keys = {{T(), D(), false}};
  program.builds.emplace_back();
  program.builds[0].pipeline.table = 1;
  program.builds[0].keys = {D()};
  const Stage resolved = ResolveTexts(program, Columns());
  const PipelineJoin& join = resolved.result.joins[0];
  EXPECT_EQ(join.keys[0].probe->ToString(), "TEXT_HASH(t)");
  EXPECT_EQ(join.keys[0].build->ToString(), "TEXT_HASH(d)");
  EXPECT_EQ(resolved.builds[0].keys[0]->ToString(), "TEXT_HASH(d)");
  EXPECT_EQ(join.residual->ToString(), "(t = d)");

  program.result.joins[0].kind = plan::JoinKind::Inner;
  program.result.joins[0].keys[0].nulls_are_equal = true;
  const Stage inner = ResolveTexts(program, Columns());
  EXPECT_EQ(inner.result.joins[0].residual, nullptr);
  EXPECT_EQ(inner.result.joins[0].conjuncts[0]->ToString(), "(t IS NOT DISTINCT FROM d)");
  // Codes are as good as strings.
  program.result.joins[0].keys = {{D(), D(), false}};
  EXPECT_EQ(ResolveTexts(program, Columns()).result.joins[0].keys[0].probe->ToString(), "d");
}

}  // namespace
}  // namespace margay::optimize
