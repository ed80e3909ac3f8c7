#include "compile/pipeline.hpp"

#include "compile/refusal.hpp"

namespace margay::compile {

namespace {

//! Flattens a plan without an aggregate; the pipeline's outputs become the node's output columns.
void Flatten(const plan::Node& node, Pipeline& pipeline) {
  switch (node.Kind()) {
    case plan::NodeKind::Scan:
      pipeline.columns = node.Columns();
      for (size_t i = 0; i < node.Columns().size(); i++) {
        const plan::ScanColumn& column = node.Columns()[i];
        pipeline.outputs.push_back(plan::Expression::Column(i, column.type, column.name));
      }
      return;
    case plan::NodeKind::Filter:
      Flatten(*node.Input(), pipeline);
      plan::SplitConjunction(plan::Substitute(node.Predicate(), pipeline.outputs),
                             pipeline.conjuncts);
      return;
    case plan::NodeKind::Project: {
      Flatten(*node.Input(), pipeline);
      std::vector<plan::ExpressionPointer> outputs;
      for (const plan::ExpressionPointer& expression : node.Expressions()) {
        outputs.push_back(plan::Substitute(expression, pipeline.outputs));
      }
      pipeline.outputs = std::move(outputs);
      return;
    }
    case plan::NodeKind::Aggregate:
      throw Unsupported("an aggregate below another operator");
  }
}

}  // namespace

Pipeline Pipeline::From(const plan::Node& plan) {
  Pipeline pipeline;
  pipeline.is_aggregate = plan.Kind() == plan::NodeKind::Aggregate;
  Flatten(pipeline.is_aggregate ? *plan.Input() : plan, pipeline);
  if (!pipeline.is_aggregate)
    return pipeline;
  const std::vector<plan::ExpressionPointer> inputs = std::move(pipeline.outputs);
  pipeline.outputs.clear();
  for (const plan::ExpressionPointer& group : plan.Expressions()) {
    pipeline.outputs.push_back(plan::Substitute(group, inputs));
  }
  for (plan::Aggregate aggregate : plan.Aggregates()) {
    if (aggregate.argument)
      aggregate.argument = plan::Substitute(aggregate.argument, inputs);
    pipeline.aggregates.push_back(std::move(aggregate));
  }
  return pipeline;
}

}  // namespace margay::compile
