#include "compile/text_resolution.hpp"

#include "compile/refusal.hpp"

namespace margay::compile {

using plan::Operation;

namespace {

constexpr const char* kTooManyStrings = " has too many different strings for a dictionary";

//! Replaces what an expression computes of text columns.
class Resolver {
 public:
  explicit Resolver(const std::vector<InputColumn>& columns) : columns_(columns) {}

  bool IsTextColumn(const plan::Expression& expression) const {
    return FindTextColumn(expression, columns_) != nullptr;
  }

  //! The text column that rows have the same order by, where `expression` is a function of one, or
  //! else `expression`.
  plan::ExpressionPointer OrderedText(const plan::ExpressionPointer& expression) const {
    return expression->GetOperation() == Operation::Dictionary &&
                   IsTextColumn(expression->Operand(0)) && expression->Function().IsIncreasing()
               ? expression->Operands()[0]
               : expression;
  }

  plan::ExpressionPointer Resolve(const plan::ExpressionPointer& expression) const {
    if (expression->GetOperation() == Operation::Dictionary) {
      if (!IsTextColumn(expression->Operand(0)))
        return expression;
      if (expression->Operands().size() == 1) {
        throw Unsupported("computing " + expression->ToString() + " row by row; " +
                          expression->Operand(0).ColumnName() + kTooManyStrings);
      }
      return expression->Operands()[1];
    }
    std::vector<plan::ExpressionPointer> operands;
    for (const plan::ExpressionPointer& operand : expression->Operands())
      operands.push_back(Resolve(operand));
    if (operands == expression->Operands())
      return expression;
    return plan::WithOperands(*expression, std::move(operands));
  }

 private:
  const std::vector<InputColumn>& columns_;
};

void ResolveTexts(const Resolver& resolver, Pipeline& pipeline) {
  for (plan::ExpressionPointer& conjunct : pipeline.conjuncts)
    conjunct = resolver.Resolve(conjunct);
  for (PipelineJoin& join : pipeline.joins) {
    for (plan::JoinKey& key : join.keys) {
      key.probe = resolver.Resolve(key.probe);
      key.build = resolver.Resolve(key.build);
      if (resolver.IsTextColumn(*key.probe) || resolver.IsTextColumn(*key.build)) {
        throw Unsupported("a join by text; " + key.probe->ToString() + " or " +
                          key.build->ToString() + kTooManyStrings);
      }
    }
    if (join.residual)
      join.residual = resolver.Resolve(join.residual);
    for (plan::ExpressionPointer& conjunct : join.conjuncts)
      conjunct = resolver.Resolve(conjunct);
  }
  for (plan::ExpressionPointer& output : pipeline.outputs) {
    // A function of text that is a group key may be computed once per group.
    const bool is_text_function = output->GetOperation() == Operation::Dictionary &&
                                  output->Operands().size() == 1 &&
                                  resolver.IsTextColumn(output->Operand(0));
    if (!pipeline.is_aggregate || !is_text_function)
      output = resolver.Resolve(output);
  }
  if (pipeline.order) {
    for (plan::OrderKey& key : pipeline.order->keys)
      key.expression = resolver.Resolve(resolver.OrderedText(key.expression));
  }
  for (plan::Aggregate& aggregate : pipeline.aggregates) {
    if (aggregate.argument)
      aggregate.argument = resolver.Resolve(aggregate.argument);
  }
}

}  // namespace

Program ResolveTexts(Program program, const std::vector<InputColumn>& columns) {
  const Resolver resolver(columns);
  ResolveTexts(resolver, program.result);
  for (BuildPipeline& build : program.builds) {
    ResolveTexts(resolver, build.pipeline);
    for (plan::ExpressionPointer& key : build.keys)
      key = resolver.Resolve(key);
  }
  return program;
}

}  // namespace margay::compile
