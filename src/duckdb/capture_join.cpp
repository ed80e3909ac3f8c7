#include "duckdb/capture_join.hpp"

#include <algorithm>
#include <utility>

#include "duckdb/common/enum_util.hpp"
#include "duckdb/dictionary_expression.hpp"
#include "duckdb/planner/operator/logical_any_join.hpp"
#include "plan/domain.hpp"

namespace margay::integration {

namespace {

using duckdb::ExpressionType;
using duckdb::JoinType;
using duckdb::LogicalOperatorType;

//! A kind of join in the plan's terms. DuckDB probes with its left input, the plan with the input
//! whose rows a join keeps. MARK and SINGLE joins are more than a join, see capture_mark.cpp.
struct JoinForm {
  plan::JoinKind kind = plan::JoinKind::Inner;
  bool is_exchanged = false;  //!< the plan probes with DuckDB's right input
};

std::optional<JoinForm> FormOf(JoinType type) {
  switch (type) {
    case JoinType::INNER:
      return JoinForm{plan::JoinKind::Inner, false};
    case JoinType::LEFT:
      return JoinForm{plan::JoinKind::Left, false};
    case JoinType::RIGHT:
      return JoinForm{plan::JoinKind::Left, true};
    case JoinType::SEMI:
      return JoinForm{plan::JoinKind::Semi, false};
    case JoinType::RIGHT_SEMI:
      return JoinForm{plan::JoinKind::Semi, true};
    case JoinType::ANTI:
      return JoinForm{plan::JoinKind::Anti, false};
    case JoinType::RIGHT_ANTI:
      return JoinForm{plan::JoinKind::Anti, true};
    case JoinType::MARK:
    case JoinType::SINGLE:
      return JoinForm{plan::JoinKind::Left, false};
    default:
      return std::nullopt;
  }
}

//! `op` as a join by comparisons; null where it is an ANY_JOIN or a CROSS_PRODUCT.
const duckdb::LogicalComparisonJoin* ComparisonsOf(const duckdb::LogicalOperator& op) {
  const bool has_comparisons = op.type == LogicalOperatorType::LOGICAL_COMPARISON_JOIN ||
                               op.type == LogicalOperatorType::LOGICAL_DELIM_JOIN;
  return has_comparisons ? &op.Cast<duckdb::LogicalComparisonJoin>() : nullptr;
}

//! The kind of `op`, a join by comparisons, an ANY_JOIN or a CROSS_PRODUCT.
JoinType TypeOf(const duckdb::LogicalOperator& op) {
  return op.type == LogicalOperatorType::LOGICAL_CROSS_PRODUCT
             ? JoinType::INNER
             : op.Cast<duckdb::LogicalJoin>().join_type;
}

bool IsEquality(const duckdb::JoinCondition& condition) {
  return condition.comparison == ExpressionType::COMPARE_EQUAL ||
         condition.comparison == ExpressionType::COMPARE_NOT_DISTINCT_FROM;
}

bool IsGroupJoin(JoinType type) {
  return type == JoinType::MARK || type == JoinType::SINGLE;
}

//! Whether the values of a computed VARCHAR column are NULL where its table's column is.
bool IsNullForNull(duckdb::ClientContext& context, const TextOrigin& origin) {
  const plan::DictionaryResults results =
      DictionaryExpression(context, origin.expression->Copy()).Evaluate({});
  return results.states.back() == plan::DictionaryResults::State::Null;
}

//! The columns of the probe side followed by those of the build side.
std::vector<CapturedColumn> Concatenate(duckdb::ClientContext& context, plan::JoinKind kind,
                                        const CaptureScope& probe, const CaptureScope& build) {
  std::vector<CapturedColumn> columns = probe.columns;
  for (CapturedColumn column : build.columns) {
    // Rows without a match have NULLs on the build side, in the table's column too.
    if (kind == plan::JoinKind::Left && column.origin && column.origin->expression &&
        !IsNullForNull(context, *column.origin)) {
      column.origin.reset();
    }
    if (column.origin) {
      column.origin->base += probe.columns.size();
    }
    columns.push_back(std::move(column));
  }
  NameOnce(columns);
  return columns;
}

//! The table's VARCHAR column that `expression` is compressed from; null if it is not.
plan::ExpressionPointer Decompress(const plan::Expression& expression, const CaptureScope& scope) {
  if (expression.GetOperation() != plan::Operation::Column ||
      !IsCompressedTableText(scope.columns[expression.ColumnIndex()])) {
    return nullptr;
  }
  const size_t base = scope.columns[expression.ColumnIndex()].origin->base;
  return plan::Expression::Column(base, scope.columns[base].type, scope.columns[base].name);
}

//! The conditions of one join, as keys and residual of the plan's join.
class ConditionCapture {
 public:
  //! `columns` are those of both sides, as Concatenate() gives them.
  ConditionCapture(duckdb::ClientContext& context, const Relation& probe, const Relation& build,
                   const std::vector<CapturedColumn>& columns)
      : context_(context),
        probe_(probe.scope),
        build_(build.scope),
        build_node_(*build.node),
        columns_(columns) {
    for (size_t i = probe_.columns.size(); i < columns.size(); i++) {
      build_columns_.push_back(plan::Expression::Column(i, columns[i].type, columns[i].name));
    }
  }

  //! Adds the conditions of `op`, see TypeOf.
  Reason AddAll(const duckdb::LogicalOperator& op, bool is_exchanged) {
    if (op.type == LogicalOperatorType::LOGICAL_ANY_JOIN) {
      return AddPredicate(*op.Cast<duckdb::LogicalAnyJoin>().condition);
    }
    const auto* join = ComparisonsOf(op);
    return join == nullptr ? std::nullopt : AddComparisons(*join, is_exchanged);
  }

  Reason AddComparisons(const duckdb::LogicalComparisonJoin& join, bool is_exchanged) {
    for (const duckdb::JoinCondition& condition : join.conditions) {
      if (Reason reason = Add(condition, is_exchanged)) {
        return reason;
      }
    }
    return std::nullopt;
  }

  const std::vector<plan::JoinKey>& Keys() const { return keys_; }

  //! May be null.
  plan::ExpressionPointer Residual() const { return plan::Conjunction(residual_); }

 private:
  Reason Add(const duckdb::JoinCondition& condition, bool is_exchanged) {
    CapturedExpression left =
        ExpressionCapture(context_, is_exchanged ? build_ : probe_).Capture(*condition.left);
    if (!left) {
      return left.reason;
    }
    CapturedExpression right =
        ExpressionCapture(context_, is_exchanged ? probe_ : build_).Capture(*condition.right);
    if (!right) {
      return right.reason;
    }
    if (IsEquality(condition)) {
      const plan::ExpressionPointer& of_build = is_exchanged ? left.expression : right.expression;
      return AddKey({is_exchanged ? right.expression : left.expression, of_build,
                     condition.comparison == ExpressionType::COMPARE_NOT_DISTINCT_FROM &&
                         !plan::IsNeverNull(*of_build, build_node_)});
    }
    plan::ExpressionPointer& of_build = is_exchanged ? left.expression : right.expression;
    of_build = plan::Substitute(of_build, build_columns_);
    CapturedExpression comparison =
        CaptureComparison(condition.comparison, left.expression, right.expression);
    if (!comparison) {
      return comparison.reason;
    }
    residual_.push_back(std::move(comparison.expression));
    return std::nullopt;
  }

  //! A condition over the columns of both sides.
  Reason AddPredicate(const duckdb::Expression& predicate) {
    CaptureScope scope;
    scope.columns = columns_;
    scope.bindings = probe_.bindings;
    for (CapturedBinding binding : build_.bindings) {
      if (binding.column) {
        *binding.column += probe_.columns.size();
      }
      scope.bindings.push_back(std::move(binding));
    }
    CapturedExpression captured = ExpressionCapture(context_, scope).Capture(predicate);
    if (!captured) {
      return captured.reason;
    }
    residual_.push_back(std::move(captured.expression));
    return std::nullopt;
  }

  Reason AddKey(plan::JoinKey key) {
    const plan::Type type = key.probe->GetType();
    if (type != key.build->GetType()) {
      return NotSupported("a join of " + type.ToString() + " with " +
                          key.build->GetType().ToString());
    }
    if (type.kind == plan::TypeKind::UInt128) {
      // Equal texts are compressed to equal numbers, and others to others.
      key.probe = Decompress(*key.probe, probe_);
      key.build = Decompress(*key.build, build_);
      if (!key.probe || !key.build) {
        return NotSupported("a join on UHUGEINT");
      }
      keys_.push_back(std::move(key));
      return std::nullopt;
    }
    keys_.push_back(std::move(key));
    return std::nullopt;
  }

  duckdb::ClientContext& context_;
  const CaptureScope& probe_;
  const CaptureScope& build_;
  const plan::Node& build_node_;
  const std::vector<CapturedColumn>& columns_;
  //! The columns of the build side, behind those of the probe side.
  std::vector<plan::ExpressionPointer> build_columns_;
  std::vector<plan::JoinKey> keys_;
  std::vector<plan::ExpressionPointer> residual_;
};

}  // namespace

Reason RefuseJoin(const duckdb::LogicalOperator& op) {
  const JoinType type = TypeOf(op);
  const auto* join = ComparisonsOf(op);
  // In 1.5.6 only ASOF joins have a predicate.
  if (!FormOf(type) || (join != nullptr && join->predicate)) {
    return NotSupported("a join of the kind " + duckdb::EnumUtil::ToString(type));
  }
  if (IsGroupJoin(type) && (join == nullptr || !std::all_of(join->conditions.begin(),
                                                            join->conditions.end(), IsEquality))) {
    return NotSupported("a join of the kind " + duckdb::EnumUtil::ToString(type) +
                        " by other comparisons than equality");
  }
  return std::nullopt;
}

Reason CaptureKeys(duckdb::ClientContext& context, const duckdb::LogicalComparisonJoin& join,
                   const Relation& left, const Relation& right, std::vector<plan::JoinKey>& keys) {
  const std::vector<CapturedColumn> no_residual;
  ConditionCapture conditions(context, left, right, no_residual);
  Reason reason = conditions.AddComparisons(join, false);
  keys = conditions.Keys();
  return reason;
}

Reason AddJoin(duckdb::ClientContext& context, duckdb::LogicalOperator& op, const Relation& left,
               const Relation& right, Relation& result) {
  const JoinType type = TypeOf(op);
  result.part.has_aggregate =
      left.part.has_aggregate || right.part.has_aggregate || IsGroupJoin(type);
  result.tables = left.tables;
  result.tables.insert(right.tables.begin(), right.tables.end());
  if (IsGroupJoin(type)) {
    const auto& join = *ComparisonsOf(op);
    return type == JoinType::MARK ? AddMarkJoin(context, join, left, right, result)
                                  : AddSingleJoin(context, join, left, right, result);
  }
  const JoinForm form = *FormOf(type);
  const Relation& probe = form.is_exchanged ? right : left;
  const Relation& build = form.is_exchanged ? left : right;
  std::vector<CapturedColumn> columns = Concatenate(context, form.kind, probe.scope, build.scope);
  ConditionCapture conditions(context, probe, build, columns);
  if (Reason reason = conditions.AddAll(op, form.is_exchanged)) {
    return reason;
  }
  result.node =
      plan::Node::Join(form.kind, probe.node, build.node, conditions.Keys(), conditions.Residual());
  const size_t probe_columns = probe.scope.columns.size();
  std::vector<CapturedBinding> lefts = left.scope.bindings, rights = right.scope.bindings;
  if (op.type != LogicalOperatorType::LOGICAL_CROSS_PRODUCT) {
    const auto& join = op.Cast<duckdb::LogicalJoin>();
    lefts = MapBindings(lefts, join.left_projection_map);
    rights = MapBindings(rights, join.right_projection_map);
  }
  if (form.kind == plan::JoinKind::Semi || form.kind == plan::JoinKind::Anti) {
    columns.resize(probe_columns);
    result.scope.bindings = form.is_exchanged ? std::move(rights) : std::move(lefts);
  } else {
    for (CapturedBinding& binding : form.is_exchanged ? lefts : rights) {
      if (binding.column) {
        *binding.column += probe_columns;
      }
    }
    result.scope.bindings = std::move(lefts);
    result.scope.bindings.insert(result.scope.bindings.end(), rights.begin(), rights.end());
  }
  result.scope.columns = std::move(columns);
  return std::nullopt;
}

}  // namespace margay::integration
