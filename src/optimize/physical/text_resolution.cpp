#include "optimize/physical/text_resolution.hpp"

#include "optimize/unsupported.hpp"

namespace margay::optimize {

using plan::Operation;

namespace {

constexpr const char* kTooManyStrings = " has too many different strings for a dictionary";

//! Replaces what an expression computes of text columns.
class Resolver {
 public:
  explicit Resolver(const std::vector<InputColumn>& columns) : columns_(columns) {}

  //! Whether it is a text column or a slice of one.
  bool IsText(const plan::Expression& expression) const {
    return FindTextColumn(expression, columns_).has_value();
  }

  //! The text column that rows have the same order by, where `expression` is a function of one, or
  //! else `expression`.
  plan::ExpressionPointer OrderedText(const plan::ExpressionPointer& expression) const {
    return expression->GetOperation() == Operation::Dictionary && IsText(expression->Operand(0)) &&
                   expression->Function().IsIncreasing()
               ? expression->Operands()[0]
               : expression;
  }

  plan::ExpressionPointer Resolve(const plan::ExpressionPointer& expression) const {
    if (expression->GetOperation() == Operation::Dictionary) {
      if (!IsText(expression->Operand(0)))
        return expression;
      if (expression->Operands().size() == 1) {
        throw Unsupported("computing " + expression->ToString() + " row by row; " +
                          expression->Operand(0).ColumnName() + kTooManyStrings);
      }
      return Resolve(expression->Operands()[1]);
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
    }
    if (join.residual)
      join.residual = resolver.Resolve(join.residual);
    for (plan::ExpressionPointer& conjunct : join.conjuncts)
      conjunct = resolver.Resolve(conjunct);
  }
  for (plan::ExpressionPointer& output : pipeline.outputs) {
    // The host computes functions of the text of a result's rows, where they have no order, or of
    // groups that have one text.
    const bool is_for_host = output->GetOperation() == Operation::Dictionary &&
                             output->Operands().size() == 1 &&
                             resolver.IsText(output->Operand(0)) && !pipeline.order;
    if (!is_for_host)
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

plan::ExpressionPointer HashOf(const plan::ExpressionPointer& text) {
  return plan::Expression::Make(Operation::TextHash, plan::TypeKind::Int64, {text});
}

//! Whether codes of strings can be compared in place of strings: both are columns with
//! dictionaries.
bool HasCodes(const Resolver& resolver, const plan::JoinKey& key) {
  const auto has_codes = [&](const plan::Expression& side) {
    return side.GetOperation() == Operation::Column && !resolver.IsText(side);
  };
  return has_codes(*key.probe) && has_codes(*key.build);
}

//! Makes hashes the keys of joins by strings that have no codes; the strings themselves are
//! compared as further conditions of the joins. Returns whether there are such joins.
bool HashKeys(const Resolver& resolver, Pipeline& pipeline, Stage& stage) {
  bool has_hashes = false;
  for (PipelineJoin& join : pipeline.joins) {
    std::vector<plan::ExpressionPointer> conditions;
    for (size_t i = 0; i < join.keys.size(); i++) {
      plan::JoinKey& key = join.keys[i];
      if (!key.probe->GetType().IsVarchar() || HasCodes(resolver, key))
        continue;
      conditions.push_back(plan::Expression::Make(
          key.nulls_are_equal ? Operation::NotDistinctFrom : Operation::Equal,
          plan::TypeKind::Boolean, {key.probe, key.build}));
      key.probe = HashOf(key.probe);
      key.build = HashOf(key.build);
      stage.builds[join.build].keys[i] = key.build;
    }
    has_hashes = has_hashes || !conditions.empty();
    join.AddConditions(std::move(conditions));
  }
  return has_hashes;
}

}  // namespace

Stage ResolveTexts(Stage stage, const std::vector<InputColumn>& columns) {
  const Resolver resolver(columns);
  ResolveTexts(resolver, stage.result);
  for (BuildPipeline& build : stage.builds) {
    ResolveTexts(resolver, build.pipeline);
    for (plan::ExpressionPointer& key : build.keys)
      key = resolver.Resolve(key);
  }
  bool has_hashes = HashKeys(resolver, stage.result, stage);
  for (BuildPipeline& build : stage.builds)
    has_hashes = HashKeys(resolver, build.pipeline, stage) || has_hashes;
  if (has_hashes)
    stage.SetLinks();
  return stage;
}

}  // namespace margay::optimize
