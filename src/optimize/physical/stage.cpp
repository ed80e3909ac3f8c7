#include "optimize/physical/stage.hpp"

#include <algorithm>

#include "optimize/rewrite/uncompressed.hpp"
#include "optimize/unsupported.hpp"

namespace margay::optimize {

namespace {

std::vector<plan::ExpressionPointer> Concatenated(
    std::vector<plan::ExpressionPointer> first,
    const std::vector<plan::ExpressionPointer>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

//! `expression` over what `inputs` are computed from.
plan::ExpressionPointer Composed(const plan::ExpressionPointer& expression,
                                 const std::vector<plan::ExpressionPointer>& inputs) {
  return Decompressed(plan::Substitute(expression, inputs));
}

//! A column that `expression` is NULL without; null if there is none.
plan::ExpressionPointer StrictColumn(const plan::ExpressionPointer& expression) {
  switch (expression->GetOperation()) {
    case plan::Operation::Column:
      return expression;
    case plan::Operation::Cast:
    case plan::Operation::Compress:
    case plan::Operation::Add:
    case plan::Operation::Subtract:
    case plan::Operation::Multiply:
    case plan::Operation::Negate:
      for (const plan::ExpressionPointer& operand : expression->Operands()) {
        if (plan::ExpressionPointer column = StrictColumn(operand))
          return column;
      }
      return nullptr;
    default:
      return nullptr;
  }
}

//! What is NULL only without a match: a column of a key that is compared by =, or the number of the
//! row of `table`, that the build side scans, if `outputs` or `keys` read it; else null.
plan::ExpressionPointer FindMatch(const std::vector<plan::ExpressionPointer>& outputs,
                                  const std::vector<plan::JoinKey>& keys, const Stage& stage,
                                  size_t table) {
  std::vector<plan::ExpressionPointer> expressions = outputs;
  for (const plan::JoinKey& key : keys) {
    plan::ExpressionPointer column = key.nulls_are_equal ? nullptr : StrictColumn(key.build);
    if (column)
      return column;
    expressions.push_back(key.build);
  }
  std::optional<size_t> read;
  for (const plan::ExpressionPointer& expression : expressions) {
    VisitColumns(*expression, [&](size_t column) {
      if (stage.column_tables[column] == table)
        read = column;
    });
  }
  if (!read)
    return nullptr;
  const plan::ScanColumn& column = stage.columns[*read];
  return plan::Expression::Make(plan::Operation::RowNumber, plan::TypeKind::Int64,
                                {plan::Expression::Column(*read, column.type, column.name)});
}

//! The outputs of a left join's build side above the join, where all are NULL without a match: its
//! columns are by themselves, but what is computed of them need not be. `match` is NULL only
//! without one; it may be null.
std::vector<plan::ExpressionPointer> NullWithoutMatch(std::vector<plan::ExpressionPointer> outputs,
                                                      const plan::ExpressionPointer& match) {
  for (plan::ExpressionPointer& output : outputs) {
    if (output->GetOperation() == plan::Operation::Column)
      continue;
    if (!match)
      throw Unsupported("a left join with nothing but constants");
    output = plan::Expression::Make(
        plan::Operation::Case, output->GetType(),
        {plan::Expression::Make(plan::Operation::IsNotNull, plan::TypeKind::Boolean, {match}),
         output, plan::Expression::Null(output->GetType())});
  }
  return outputs;
}

//! Cuts a plan; the outputs of the pipeline at hand are the node's output columns.
class Cutter {
 public:
  Cutter(Stage& stage, size_t first_table) : stage_(stage), tables_(first_table) {}

  void Cut(const plan::Node& node, Pipeline& pipeline) {
    switch (node.Kind()) {
      case plan::NodeKind::Scan:
        CutScan(node, pipeline);
        return;
      case plan::NodeKind::Filter: {
        Cut(*node.Input(), pipeline);
        auto& conjuncts =
            pipeline.joins.empty() ? pipeline.conjuncts : pipeline.joins.back().conjuncts;
        plan::SplitConjunction(Composed(node.Predicate(), pipeline.outputs), conjuncts);
        return;
      }
      case plan::NodeKind::Project: {
        Cut(*node.Input(), pipeline);
        std::vector<plan::ExpressionPointer> outputs;
        for (const plan::ExpressionPointer& expression : node.Expressions()) {
          outputs.push_back(Composed(expression, pipeline.outputs));
        }
        pipeline.outputs = std::move(outputs);
        return;
      }
      case plan::NodeKind::Join:
        CutJoin(node, pipeline);
        return;
      case plan::NodeKind::Aggregate:
        throw Unsupported("an aggregate below another operator");
      case plan::NodeKind::Union:
        throw Unsupported("a union that is not a stage of its own");
      case plan::NodeKind::Order: {
        Cut(*node.Input(), pipeline);
        pipeline.order = PipelineOrder{node.OrderKeys(), node.Window()};
        for (plan::OrderKey& key : pipeline.order->keys)
          key.expression = Composed(key.expression, pipeline.outputs);
        return;
      }
    }
  }

 private:
  void CutScan(const plan::Node& node, Pipeline& pipeline) {
    pipeline.table = tables_++;
    for (const plan::ScanColumn& column : node.Columns()) {
      pipeline.outputs.push_back(
          plan::Expression::Column(stage_.columns.size(), column.type, column.name));
      stage_.columns.push_back(column);
      stage_.column_tables.push_back(pipeline.table);
    }
  }

  void CutJoin(const plan::Node& node, Pipeline& pipeline) {
    Cut(*node.Input(), pipeline);
    BuildPipeline build;
    Cut(*node.Build(), build.pipeline);
    PipelineJoin join;
    join.kind = node.GetJoinKind();
    for (const plan::JoinKey& key : node.Keys()) {
      join.keys.push_back({plan::Substitute(key.probe, pipeline.outputs),
                           plan::Substitute(key.build, build.pipeline.outputs),
                           key.nulls_are_equal});
      build.keys.push_back(join.keys.back().build);
      build.nulls_are_equal.push_back(key.nulls_are_equal);
    }
    const std::vector<plan::ExpressionPointer> inputs =
        Concatenated(pipeline.outputs, build.pipeline.outputs);
    if (node.Residual()) {
      const plan::ExpressionPointer residual = plan::Substitute(node.Residual(), inputs);
      // Rows of an inner join that don't match may as well be left out behind it.
      if (join.kind == plan::JoinKind::Inner)
        plan::SplitConjunction(residual, join.conjuncts);
      else
        join.residual = residual;
    }
    if (join.kind == plan::JoinKind::Left) {
      const plan::ExpressionPointer match =
          FindMatch(build.pipeline.outputs, join.keys, stage_, build.pipeline.table);
      pipeline.outputs =
          Concatenated(pipeline.outputs, NullWithoutMatch(build.pipeline.outputs, match));
    } else if (join.kind == plan::JoinKind::Inner) {
      pipeline.outputs = inputs;
    }
    build.pipeline.outputs.clear();
    join.build = stage_.builds.size();
    stage_.builds.push_back(std::move(build));
    pipeline.joins.push_back(std::move(join));
  }

  Stage& stage_;
  size_t tables_;  //!< so far
};

//! Adds the links of all build sides of `pipeline`, whose rows of the tables `needed` are asked
//! for, and says what is needed of them.
void AddLinks(Stage& stage, const Pipeline& pipeline, std::set<size_t> needed) {
  std::set<size_t> needed_behind = needed;
  VisitOwnColumns(pipeline,
                  [&](size_t column) { needed_behind.insert(stage.column_tables[column]); });
  VisitColumns(pipeline, [&](size_t column) { needed.insert(stage.column_tables[column]); });
  for (const PipelineJoin& join : pipeline.joins) {
    BuildPipeline& build = stage.builds[join.build];
    const std::vector<size_t> reach = stage.Reach(join.build);
    build.needs_matches = join.GivesBuildSide();
    // A left join is not about whether there is a row: it gives one in any case.
    build.needs_rows = join.kind == plan::JoinKind::Left ||
                       std::any_of(reach.begin(), reach.end(),
                                   [&](size_t table) { return needed_behind.count(table) != 0; });
    std::set<size_t> needed_of_build;
    for (const plan::ExpressionPointer& key : build.keys) {
      VisitColumns(*key,
                   [&](size_t column) { needed_of_build.insert(stage.column_tables[column]); });
    }
    for (size_t table : reach) {
      if (needed.count(table) != 0 && table != build.pipeline.table) {
        build.links.push_back(table);
        needed_of_build.insert(table);
      }
    }
    AddLinks(stage, build.pipeline, std::move(needed_of_build));
  }
}

}  // namespace

std::vector<size_t> Stage::Reach(size_t build) const {
  const Pipeline& pipeline = builds[build].pipeline;
  std::vector<size_t> tables{pipeline.table};
  for (const PipelineJoin& join : pipeline.joins) {
    if (!join.GivesBuildSide())
      continue;
    const std::vector<size_t> inner = Reach(join.build);
    tables.insert(tables.end(), inner.begin(), inner.end());
  }
  return tables;
}

std::set<size_t> Stage::MissingTables(const Pipeline& pipeline) const {
  std::set<size_t> tables;
  for (const PipelineJoin& join : pipeline.joins) {
    // Also of those that only look for a match: keys are compared with theirs.
    const std::set<size_t> inner = MissingTables(builds[join.build].pipeline);
    tables.insert(inner.begin(), inner.end());
    if (join.kind != plan::JoinKind::Left)
      continue;
    const std::vector<size_t> reach = Reach(join.build);
    tables.insert(reach.begin(), reach.end());
  }
  return tables;
}

void Stage::SetLinks() {
  for (BuildPipeline& build : builds)
    build.links.clear();
  AddLinks(*this, result, {});
}

void PipelineJoin::AddConditions(std::vector<plan::ExpressionPointer> conditions) {
  if (kind == plan::JoinKind::Inner) {
    conjuncts.insert(conjuncts.begin(), conditions.begin(), conditions.end());
    return;
  }
  if (residual)
    conditions.push_back(residual);
  residual = plan::Conjunction(std::move(conditions));
}

Stage Stage::From(const plan::Node& plan, std::vector<size_t> column_tables, size_t first_table) {
  Stage stage;
  stage.columns.resize(column_tables.size());
  stage.column_tables = std::move(column_tables);
  Pipeline& result = stage.result;
  result.is_aggregate = plan.Kind() == plan::NodeKind::Aggregate;
  Cutter(stage, first_table).Cut(result.is_aggregate ? *plan.Input() : plan, result);
  if (result.is_aggregate) {
    const std::vector<plan::ExpressionPointer> inputs = std::move(result.outputs);
    result.outputs.clear();
    for (const plan::ExpressionPointer& group : plan.Expressions()) {
      result.outputs.push_back(Composed(group, inputs));
    }
    for (plan::Aggregate aggregate : plan.Aggregates()) {
      if (aggregate.argument)
        aggregate.argument = Composed(aggregate.argument, inputs);
      result.aggregates.push_back(std::move(aggregate));
    }
  }
  stage.SetLinks();
  return stage;
}

}  // namespace margay::optimize
