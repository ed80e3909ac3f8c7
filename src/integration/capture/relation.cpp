#include "integration/capture/relation.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "duckdb/planner/operator/logical_filter.hpp"
#include "duckdb/planner/operator/logical_projection.hpp"
#include "integration/capture/text_origins.hpp"
#include "integration/type_conversion.hpp"
#include "integration/version/expressions.hpp"
#include "optimize/rewrite/projected_errors.hpp"
#include "optimize/rewrite/prune_scans.hpp"

namespace margay::integration {

namespace {

//! A function of a computed VARCHAR is made one function of the table's column, which must then
//! be there too: moves the bases in `output` from the input's columns to its own, which it
//! extends.
void PassBases(const CaptureScope& input, CaptureScope& output,
               std::vector<plan::ExpressionPointer>& expressions) {
  std::unordered_map<size_t, size_t> passed;
  for (size_t i = 0; i < expressions.size(); i++) {
    const plan::Expression& expression = *expressions[i];
    if (expression.GetOperation() == plan::Operation::Column && output.columns[i].origin &&
        !output.columns[i].origin->expression) {
      passed.emplace(expression.ColumnIndex(), i);
    }
  }
  const size_t visible = output.columns.size();
  for (size_t i = 0; i < visible; i++) {
    if (!output.columns[i].origin) {
      continue;
    }
    const size_t base = output.columns[i].origin->base;
    if (!passed.contains(base)) {
      passed[base] = expressions.size();
      const CapturedColumn& column = input.columns[base];
      expressions.push_back(plan::Expression::Column(base, column.type, column.name));
      output.columns.push_back({column.type, column.name, TextOrigin{passed[base], nullptr}});
    }
    output.columns[i].origin->base = passed[base];
  }
}

//! What `expression` refers to, if that has no column: passed on, it is refused where it is used.
const CapturedBinding* FindWithoutColumn(const duckdb::Expression& expression,
                                         const CaptureScope& scope) {
  const CapturedBinding* binding = IsColumnReference(expression) ? scope.Find(expression) : nullptr;
  return binding != nullptr && !binding->column ? binding : nullptr;
}

//! The nodes of a plan in the order in which rows pass them.
std::string TextOf(const plan::Node& node) {
  switch (node.Kind()) {
    case plan::NodeKind::Scan:
      return "SCAN " + node.Table();
    case plan::NodeKind::Filter:
      return TextOf(*node.Input()) + ", FILTER";
    case plan::NodeKind::Project:
      return TextOf(*node.Input()) + ", PROJECT";
    case plan::NodeKind::Join:
      return TextOf(*node.Input()) + ", JOIN " +
             std::string(plan::JoinKindName(node.GetJoinKind())) + " (" + TextOf(*node.Build()) +
             ")";
    case plan::NodeKind::Aggregate:
      return TextOf(*node.Input()) + ", AGGREGATE";
    case plan::NodeKind::Order: {
      std::string text = TextOf(*node.Input());
      if (!node.OrderKeys().empty()) {
        text += ", ORDER";
      }
      const plan::RowWindow& window = node.Window();
      if (window.limit) {
        text += ", LIMIT " + std::to_string(*window.limit);
      }
      if (window.offset != 0) {
        text += ", OFFSET " + std::to_string(window.offset);
      }
      return text;
    }
    case plan::NodeKind::Union:
      return TextOf(*node.Input()) +
             (node.Build() ? ", UNION (" + TextOf(*node.Build()) + ")" : ", KEEP");
  }
  return {};
}

//! `expressions` over the columns of `relation`, without a Project below another one.
plan::NodePointer Select(const Relation& relation,
                         std::vector<plan::ExpressionPointer> expressions) {
  if (relation.node->Kind() != plan::NodeKind::Project) {
    return plan::Node::Project(relation.node, std::move(expressions));
  }
  for (plan::ExpressionPointer& expression : expressions) {
    expression = plan::Substitute(expression, relation.node->Expressions());
  }
  return plan::Node::Project(relation.node->Input(), std::move(expressions));
}

//! The VARCHAR constant that `expression` is, also if DuckDB compresses it to an integer or has
//! done so below; null if it is none.
plan::ExpressionPointer TextConstant(const duckdb::Expression& expression,
                                     const CaptureScope& scope) {
  if (IsColumnReference(expression)) {
    const CapturedBinding* found = scope.Find(expression);
    return found != nullptr ? found->text : nullptr;
  }
  if (IsCompressedText(expression) || IsDecompressedText(expression)) {
    return TextConstant(*ArgumentsOf(expression)[0], scope);
  }
  const bool is_text = KindOf(expression) == ExpressionKind::Constant &&
                       ReturnType(expression) == duckdb::LogicalType::VARCHAR;
  return is_text ? plan::Expression::MakeConstant(ToConstant(ValueOf(expression)),
                                                  plan::TypeKind::Varchar)
                 : nullptr;
}

}  // namespace

void NameOnce(std::vector<CapturedColumn>& columns) {
  std::unordered_set<std::string> seen;
  for (CapturedColumn& column : columns) {
    if (!seen.insert(column.name).second) {
      column.name.clear();
    }
  }
}

std::vector<CapturedBinding> MapBindings(const std::vector<CapturedBinding>& bindings,
                                         const ProjectionMap& projection_map) {
  if (projection_map.empty()) {
    return bindings;
  }
  std::vector<CapturedBinding> result;
  for (ColumnNumber number : projection_map) {
    result.push_back(bindings.at(ToSize(number)));
  }
  return result;
}

void AddConjuncts(const std::vector<plan::ExpressionPointer>& conjuncts, Relation& relation) {
  if (conjuncts.empty()) {
    return;
  }
  std::vector<plan::ExpressionPointer> all;
  plan::NodePointer input = relation.node;
  if (input->Kind() == plan::NodeKind::Filter) {
    plan::SplitConjunction(input->Predicate(), all);
    input = input->Input();
  }
  for (const plan::ExpressionPointer& conjunct : conjuncts) {
    plan::SplitConjunction(conjunct, all);
  }
  relation.node = plan::Node::Filter(std::move(input), plan::Conjunction(std::move(all)));
}

Reason AddFilter(duckdb::ClientContext& context, duckdb::LogicalOperator& op, Relation& relation) {
  std::vector<plan::ExpressionPointer> conjuncts;
  const ExpressionCapture capture(context, relation.scope);
  for (const auto& expression : op.expressions) {
    CapturedExpression captured = capture.Capture(*expression);
    if (!captured) {
      return captured.reason;
    }
    conjuncts.push_back(std::move(captured.expression));
  }
  AddConjuncts(conjuncts, relation);

  relation.scope.bindings =
      MapBindings(relation.scope.bindings, op.Cast<duckdb::LogicalFilter>().projection_map);
  return std::nullopt;
}

Reason AddProjection(duckdb::ClientContext& context, duckdb::LogicalOperator& op,
                     Relation& relation) {
  const auto& projection = op.Cast<duckdb::LogicalProjection>();
  const CaptureScope& input = relation.scope;
  const ExpressionCapture capture(context, input);
  std::vector<plan::ExpressionPointer> expressions;
  bool only_columns = true;
  CaptureScope output;
  for (size_t i = 0; i < op.expressions.size(); i++) {
    const duckdb::Expression& expression = *op.expressions[i];
    const duckdb::ColumnBinding binding = MakeBinding(projection.table_index, i);
    if (const CapturedBinding* passed = FindWithoutColumn(expression, input)) {
      output.bindings.push_back(*passed);
      output.bindings.back().binding = binding;
      continue;
    }
    CapturedExpression captured = capture.Capture(expression);
    if (plan::ExpressionPointer text = captured ? nullptr : TextConstant(expression, input)) {
      output.bindings.push_back({binding, ReturnType(expression), {}, captured.reason});
      output.bindings.back().text = std::move(text);
      continue;
    }
    if (!captured) {
      return captured.reason;
    }
    const bool is_column = captured.expression->GetOperation() == plan::Operation::Column;
    only_columns = only_columns && is_column;
    output.columns.push_back({captured.expression->GetType(),
                              is_column ? captured.expression->ColumnName() : AliasOf(expression),
                              TextOrigins(input).Of(expression)});
    output.bindings.push_back({binding, ReturnType(expression), expressions.size(), {}});
    expressions.push_back(std::move(captured.expression));
  }
  if (only_columns) {
    // No node is needed to rename or leave out columns; FinishPart adds one if it must.
    for (CapturedBinding& binding : output.bindings) {
      if (binding.column) {
        binding.column = expressions[*binding.column]->ColumnIndex();
      }
    }
    relation.scope.bindings = std::move(output.bindings);
    return std::nullopt;
  }
  PassBases(input, output, expressions);
  NameOnce(output.columns);
  plan::NodePointer projected = optimize::KeepProjectedErrors(relation.node, expressions);
  relation.node = plan::Node::Project(std::move(projected), std::move(expressions));
  relation.scope = std::move(output);
  return std::nullopt;
}

Reason SelectBound(const Relation& relation, plan::NodePointer& selected) {
  std::vector<plan::ExpressionPointer> outputs;
  bool identity = relation.scope.bindings.size() == relation.scope.columns.size();
  for (const CapturedBinding& binding : relation.scope.bindings) {
    const bool is_text = binding.text && binding.type == duckdb::LogicalType::VARCHAR;
    if (!binding.column && !is_text) {
      return binding.reason;
    }
    identity = identity && binding.column == outputs.size();
    if (binding.column) {
      const CapturedColumn& column = relation.scope.columns[*binding.column];
      outputs.push_back(plan::Expression::Column(*binding.column, column.type, column.name));
    } else {
      outputs.push_back(binding.text);
    }
  }
  selected = identity ? relation.node : Select(relation, std::move(outputs));
  return std::nullopt;
}

Reason FinishPart(duckdb::ClientContext& context, duckdb::LogicalOperator& op, Relation& relation) {
  if (Reason reason = SelectBound(relation, relation.node)) {
    return reason;
  }
  for (const CapturedBinding& binding : relation.scope.bindings) {
    relation.part.types.push_back(binding.type);
  }
  std::unordered_map<const plan::Node*, const CapturedTable*> tables;
  for (const auto& [scan, table] : relation.tables) {
    tables[scan.get()] = &table;
  }
  for (const plan::Node* scan : plan::Scans(*relation.node)) {
    relation.part.tables.push_back(*tables.at(scan));
  }
  relation.part.plan = optimize::PruneScans(relation.node);
  relation.part.text = TextOf(*relation.part.plan);
  relation.part.estimated_rows = op.EstimateCardinality(context);
  return std::nullopt;
}

Reason RefuseScans(const std::string& name, size_t scans) {
  return scans > kMostScans ? Reason(NotSupported(name + " above several others")) : std::nullopt;
}

}  // namespace margay::integration
