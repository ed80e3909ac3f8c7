#include <algorithm>
#include <set>
#include <utility>

#include "duckdb/common/string_util.hpp"
#include "duckdb/planner/operator/logical_aggregate.hpp"
#include "duckdb/planner/operator/logical_distinct.hpp"
#include "integration/capture/relation.hpp"
#include "integration/capture/text_origins.hpp"
#include "integration/version/expressions.hpp"
#include "optimize/rewrite/first_rows.hpp"
#include "optimize/rewrite/projected_errors.hpp"

namespace margay::integration {

namespace {

//! Per column of the input: the number of the target that it is. Empty where one is no target.
std::vector<size_t> TargetsOf(const std::vector<CapturedBinding>& input,
                              const Expressions& targets) {
  std::vector<size_t> numbers;
  for (const CapturedBinding& column : input) {
    const auto target = std::find_if(targets.begin(), targets.end(), [&](const auto& expression) {
      return IsColumnReference(*expression) && BindingOf(*expression) == column.binding;
    });
    if (target == targets.end()) {
      return {};
    }
    numbers.push_back(static_cast<size_t>(target - targets.begin()));
  }
  return numbers;
}

//! Whether no two rows of `node` have the same values in `bindings`: the rows are groups, and all
//! of their keys are bound.
bool AreDifferent(const plan::Node& node, const std::vector<CapturedBinding>& bindings) {
  const bool is_project = node.Kind() == plan::NodeKind::Project;
  const plan::Node& groups = is_project ? *node.Input() : node;
  if (groups.Kind() != plan::NodeKind::Aggregate) {
    return false;
  }
  std::set<size_t> columns;
  for (const CapturedBinding& binding : bindings) {
    if (!binding.column) {
      continue;
    }
    if (!is_project) {
      columns.insert(*binding.column);
    } else if (const plan::Expression& output = *node.Expressions()[*binding.column];
               output.GetOperation() == plan::Operation::Column) {
      columns.insert(output.ColumnIndex());
    }
  }
  // The keys are the first columns of groups.
  const size_t keys = groups.Expressions().size();
  return static_cast<size_t>(std::distance(columns.begin(), columns.lower_bound(keys))) == keys;
}

//! Whether `op` is a projection that DuckDB has added to compress columns.
bool IsCompression(const duckdb::LogicalOperator& op) {
  return op.type == duckdb::LogicalOperatorType::LOGICAL_PROJECTION &&
         std::any_of(op.expressions.begin(), op.expressions.end(), [](const auto& expression) {
           return KindOf(*expression) == ExpressionKind::Function &&
                  duckdb::StringUtil::StartsWith(FunctionName(*expression), "__internal_compress");
         });
}

//! Keeps the errors of the projections that `node`, the capture of `op`, has at its top.
//! Compressing raises none.
plan::NodePointer KeepErrors(const duckdb::LogicalOperator& op, const plan::NodePointer& node) {
  if (node->Kind() != plan::NodeKind::Project || !IsCompression(op)) {
    return optimize::KeepAllProjectedErrors(node);
  }
  return plan::Node::Project(optimize::KeepAllProjectedErrors(node->Input()), node->Expressions());
}

//! Captures a target or a key of the order of a DISTINCT ON. Texts that DuckDB has compressed to
//! integers are taken as they are where these are too wide to compute with.
CapturedExpression CaptureKey(const ExpressionCapture& capture, const CaptureScope& scope,
                              const duckdb::Expression& expression) {
  CapturedExpression captured = capture.Capture(expression);
  if (captured && captured.expression->GetType().kind == plan::TypeKind::UInt128) {
    captured.expression = UncompressedText(*captured.expression, scope);
    if (!captured.expression) {
      return CapturedExpression::Refuse(NotSupported("DISTINCT ON of or by UHUGEINT"));
    }
  }
  return captured;
}

//! `node` with NULLs in place of the columns that nobody reads of `scope`, which need not be kept.
plan::NodePointer ReadBound(const plan::NodePointer& node, const CaptureScope& scope) {
  std::vector<bool> is_read(scope.columns.size(), false);
  for (const CapturedBinding& binding : scope.bindings) {
    if (!binding.column) {
      continue;
    }
    is_read[*binding.column] = true;
    if (const auto& origin = scope.columns[*binding.column].origin) {
      is_read[origin->base] = true;
    }
  }
  std::vector<plan::ExpressionPointer> columns;
  for (size_t i = 0; i < is_read.size(); i++) {
    const CapturedColumn& column = scope.columns[i];
    columns.push_back(is_read[i] ? plan::Expression::Column(i, column.type, column.name)
                                 : plan::Expression::Null(column.type));
  }
  return plan::Node::Project(node, std::move(columns));
}

Reason AddDistinctOn(duckdb::ClientContext& context, const duckdb::LogicalDistinct& distinct,
                     Relation& relation) {
  const ExpressionCapture capture(context, relation.scope);
  std::vector<plan::ExpressionPointer> groups;
  std::vector<CapturedBinding> targets;
  for (const auto& target : distinct.distinct_targets) {
    CapturedExpression captured = CaptureKey(capture, relation.scope, *target);
    if (!captured) {
      return captured.reason;
    }
    groups.push_back(std::move(captured.expression));
    if (IsColumnReference(*target)) {
      targets.push_back(*relation.scope.Find(*target));
    }
  }
  if (AreDifferent(*relation.node, targets)) {
    return std::nullopt;
  }
  std::vector<plan::OrderKey> order;
  if (distinct.order_by) {
    for (const duckdb::BoundOrderByNode& key : distinct.order_by->orders) {
      CapturedExpression captured = CaptureKey(capture, relation.scope, *key.expression);
      if (!captured) {
        return captured.reason;
      }
      order.push_back({std::move(captured.expression), key.type == duckdb::OrderType::DESCENDING,
                       key.null_order == duckdb::OrderByNullType::NULLS_FIRST});
    }
  }
  const size_t scans = (order.size() + 2) * plan::Scans(*relation.node).size();
  if (Reason reason = RefuseScans("DISTINCT ON", scans)) {
    return reason;
  }
  const plan::NodePointer rows = KeepErrors(*distinct.children[0], relation.node);
  relation.node = optimize::FirstRows(ReadBound(rows, relation.scope), groups, order);
  relation.part.has_aggregate = true;
  return std::nullopt;
}

}  // namespace

Reason AddDistinct(duckdb::ClientContext& context, duckdb::LogicalOperator& op,
                   Relation& relation) {
  auto& distinct = op.Cast<duckdb::LogicalDistinct>();
  if (distinct.distinct_type == duckdb::DistinctType::DISTINCT_ON) {
    return AddDistinctOn(context, distinct, relation);
  }
  const std::vector<CapturedBinding> input = relation.scope.bindings;
  const std::vector<size_t> targets = TargetsOf(input, distinct.distinct_targets);
  if (targets.empty()) {
    return NotSupported("DISTINCT of some of the columns");
  }
  if (AreDifferent(*relation.node, input)) {
    return std::nullopt;
  }
  // Its rows are those of groups by all columns; the numbers of their bindings are of no matter.
  duckdb::LogicalAggregate groups(TableIndex(0), TableIndex(0), {});
  for (const auto& target : distinct.distinct_targets) {
    groups.groups.push_back(target->Copy());
  }
  if (Reason reason = AddAggregate(context, groups, relation)) {
    return reason;
  }
  std::vector<CapturedBinding> bindings;
  for (size_t i = 0; i < input.size(); i++) {
    bindings.push_back(relation.scope.bindings[targets[i]]);
    bindings.back().binding = input[i].binding;
  }
  relation.scope.bindings = bindings;
  if (relation.for_above) {
    Relation above = *relation.for_above;
    above.scope.bindings = std::move(bindings);
    relation.for_above = std::make_shared<const Relation>(std::move(above));
  }
  return std::nullopt;
}

}  // namespace margay::integration
