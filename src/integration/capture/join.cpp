#include "integration/capture/join.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "duckdb/common/enum_util.hpp"
#include "duckdb/planner/operator/logical_any_join.hpp"
#include "integration/capture/dictionary_expression.hpp"
#include "integration/capture/set_operation.hpp"
#include "integration/capture/text_origins.hpp"
#include "integration/version/expressions.hpp"
#include "optimize/rewrite/domain.hpp"

namespace margay::integration {

namespace {

using duckdb::ExpressionType;
using duckdb::JoinType;
using duckdb::LogicalOperatorType;

//! A kind of join in the plan's terms. DuckDB probes with its left input, the plan with the input
//! whose rows a join keeps. MARK and SINGLE joins are more than a join, see mark_join.cpp.
struct JoinForm {
  plan::JoinKind kind = plan::JoinKind::Inner;
  bool is_swapped = false;  //!< the plan probes with DuckDB's right input
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
    case JoinType::OUTER:
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

bool IsSetOperation(const duckdb::LogicalOperator& op) {
  return op.type == LogicalOperatorType::LOGICAL_INTERSECT ||
         op.type == LogicalOperatorType::LOGICAL_EXCEPT;
}

bool IsEquality(const JoinComparison& comparison) {
  return comparison.type == ExpressionType::COMPARE_EQUAL ||
         comparison.type == ExpressionType::COMPARE_NOT_DISTINCT_FROM;
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
  Reason AddAll(const duckdb::LogicalOperator& op, bool is_swapped) {
    if (op.type == LogicalOperatorType::LOGICAL_ANY_JOIN) {
      return AddPredicate(*op.Cast<duckdb::LogicalAnyJoin>().condition);
    }
    const auto* join = ComparisonsOf(op);
    return join == nullptr ? std::nullopt : AddComparisons(*join, is_swapped);
  }

  Reason AddComparisons(const duckdb::LogicalComparisonJoin& join, bool is_swapped) {
    for (const duckdb::JoinCondition& condition : join.conditions) {
      if (Reason reason = Add(ComparisonOf(condition), is_swapped)) {
        return reason;
      }
    }
    return std::nullopt;
  }

  //! Leaves out other conditions.
  Reason AddEqualities(const duckdb::LogicalComparisonJoin& join) {
    for (const duckdb::JoinCondition& condition : join.conditions) {
      const JoinComparison comparison = ComparisonOf(condition);
      if (!IsEquality(comparison)) {
        continue;
      }
      if (Reason reason = Add(comparison, false)) {
        return reason;
      }
    }
    return std::nullopt;
  }

  const std::vector<plan::JoinKey>& Keys() const { return keys_; }

  //! May be null.
  plan::ExpressionPointer Residual() const { return plan::Conjunction(residual_); }

  //! Adds an equality.
  Reason AddKey(plan::JoinKey key) {
    const plan::Type type = key.probe->GetType();
    if (type != key.build->GetType()) {
      return NotSupported("a join of " + type.ToString() + " with " +
                          key.build->GetType().ToString());
    }
    if (type.kind == plan::TypeKind::UInt128) {
      // Equal texts are compressed to equal numbers, and others to others.
      key.probe = UncompressedText(*key.probe, probe_);
      key.build = UncompressedText(*key.build, build_);
      if (!key.probe || !key.build) {
        return NotSupported("a join on UHUGEINT");
      }
      keys_.push_back(std::move(key));
      return std::nullopt;
    }
    keys_.push_back(std::move(key));
    return std::nullopt;
  }

 private:
  Reason Add(const JoinComparison& comparison, bool is_swapped) {
    CapturedExpression left =
        ExpressionCapture(context_, is_swapped ? build_ : probe_).Capture(comparison.left);
    if (!left) {
      return left.reason;
    }
    CapturedExpression right =
        ExpressionCapture(context_, is_swapped ? probe_ : build_).Capture(comparison.right);
    if (!right) {
      return right.reason;
    }
    if (IsEquality(comparison)) {
      const plan::ExpressionPointer& of_build = is_swapped ? left.expression : right.expression;
      return AddKey({is_swapped ? right.expression : left.expression, of_build,
                     comparison.type == ExpressionType::COMPARE_NOT_DISTINCT_FROM &&
                         !optimize::IsNeverNull(*of_build, build_node_)});
    }
    plan::ExpressionPointer& of_build = is_swapped ? left.expression : right.expression;
    of_build = plan::Substitute(of_build, build_columns_);
    CapturedExpression captured =
        CaptureComparison(comparison.type, left.expression, right.expression);
    if (!captured) {
      return captured.reason;
    }
    residual_.push_back(std::move(captured.expression));
    return std::nullopt;
  }

  //! A condition over the columns of both sides. Equalities of one side with the other become keys:
  //! DuckDB tests them before what may raise an error, too.
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
    return AddConjuncts(predicate, scope);
  }

  //! Adds the conjuncts of `predicate`, whose columns are those of `scope`.
  Reason AddConjuncts(const duckdb::Expression& predicate, const CaptureScope& scope) {
    if (predicate.GetExpressionType() == ExpressionType::CONJUNCTION_AND) {
      for (const auto& child : ArgumentsOf(predicate)) {
        if (Reason reason = AddConjuncts(*child, scope)) {
          return reason;
        }
      }
      return std::nullopt;
    }
    CapturedExpression captured = ExpressionCapture(context_, scope).Capture(predicate);
    if (!captured) {
      return captured.reason;
    }
    if (std::optional<plan::JoinKey> key = FindKey(*captured.expression)) {
      keys_.push_back(std::move(*key));
    } else {
      residual_.push_back(std::move(captured.expression));
    }
    return std::nullopt;
  }

  //! `conjunct` as a key, if it is an equality of an expression of the probe side with one of the
  //! build side.
  std::optional<plan::JoinKey> FindKey(const plan::Expression& conjunct) const {
    const bool nulls_are_equal = conjunct.GetOperation() == plan::Operation::NotDistinctFrom;
    if (conjunct.GetOperation() != plan::Operation::Equal && !nulls_are_equal) {
      return std::nullopt;
    }
    plan::ExpressionPointer of_probe = conjunct.Operands()[0], of_build = conjunct.Operands()[1];
    if (SideOf(*of_probe) == Side::Build) {
      std::swap(of_probe, of_build);
    }
    if (SideOf(*of_probe) != Side::Probe || SideOf(*of_build) != Side::Build) {
      return std::nullopt;
    }
    std::vector<plan::ExpressionPointer> own(columns_.size());
    for (size_t i = 0; i < build_.columns.size(); i++) {
      const CapturedColumn& column = build_.columns[i];
      own[probe_.columns.size() + i] = plan::Expression::Column(i, column.type, column.name);
    }
    of_build = plan::Substitute(of_build, own);
    return plan::JoinKey{of_probe, of_build,
                         nulls_are_equal && !optimize::IsNeverNull(*of_build, build_node_)};
  }

  enum class Side { Probe, Build, None };

  //! The side whose columns are all that `expression`, over those of both sides, reads.
  Side SideOf(const plan::Expression& expression) const {
    bool reads_probe = false, reads_build = false;
    plan::VisitColumns(expression, [&](size_t column) {
      (column < probe_.columns.size() ? reads_probe : reads_build) = true;
    });
    if (reads_probe == reads_build) {
      return Side::None;
    }
    return reads_probe ? Side::Probe : Side::Build;
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
  if (IsSetOperation(op)) {
    return std::nullopt;
  }
  const JoinType type = TypeOf(op);
  const auto* join = ComparisonsOf(op);
  if (!FormOf(type) || (join != nullptr && HasPredicate(*join))) {
    return NotSupported("a join of the kind " + duckdb::EnumUtil::ToString(type));
  }
  const bool has_equalities_alone =
      join != nullptr &&
      std::all_of(join->conditions.begin(), join->conditions.end(),
                  [](const auto& condition) { return IsEquality(ComparisonOf(condition)); });
  if ((type == JoinType::SINGLE && !has_equalities_alone) ||
      (type == JoinType::MARK && join == nullptr)) {
    return NotSupported("a join of the kind " + duckdb::EnumUtil::ToString(type) +
                        " by other comparisons than equality");
  }
  return std::nullopt;
}

bool LooksUpRight(const duckdb::LogicalOperator& op) {
  if (IsSetOperation(op)) {
    return true;
  }
  const std::optional<JoinForm> form = FormOf(TypeOf(op));
  return form && !form->is_swapped && TypeOf(op) != JoinType::OUTER;
}

Reason CaptureKeys(duckdb::ClientContext& context, const duckdb::LogicalComparisonJoin& join,
                   const Relation& left, const Relation& right, std::vector<plan::JoinKey>& keys) {
  const std::vector<CapturedColumn> no_residual;
  ConditionCapture conditions(context, left, right, no_residual);
  Reason reason = conditions.AddEqualities(join);
  keys = conditions.Keys();
  return reason;
}

Reason CaptureColumnKeys(duckdb::ClientContext& context, const Relation& left,
                         const Relation& right, std::vector<plan::JoinKey>& keys) {
  const std::vector<CapturedColumn> no_residual;
  ConditionCapture conditions(context, left, right, no_residual);
  const auto column = [](const Relation& relation, const CapturedBinding& binding) {
    const CapturedColumn& bound = relation.scope.columns[*binding.column];
    return plan::Expression::Column(*binding.column, bound.type, bound.name);
  };
  for (size_t i = 0; i < left.scope.bindings.size(); i++) {
    const CapturedBinding &of_left = left.scope.bindings[i], &of_right = right.scope.bindings[i];
    if (!of_left.column || !of_right.column) {
      return of_left.column ? of_right.reason : of_left.reason;
    }
    const plan::ExpressionPointer build = column(right, of_right);
    if (Reason reason = conditions.AddKey(
            {column(left, of_left), build, !optimize::IsNeverNull(*build, *right.node)})) {
      return reason;
    }
  }
  keys = conditions.Keys();
  return std::nullopt;
}

namespace {

//! Whether the strings that are the same in all rows of the left, or the right, input of `op` must
//! be columns: some rows of the result have NULL there, or rows are joined by them.
bool NeedsTexts(const duckdb::LogicalOperator& op, bool is_left) {
  if (IsSetOperation(op)) {
    return true;
  }
  switch (TypeOf(op)) {
    case JoinType::LEFT:
    case JoinType::SINGLE:
      return !is_left;
    case JoinType::RIGHT:
      return is_left;
    case JoinType::OUTER:
      return true;
    default:
      return false;
  }
}

//! Makes `joined`, a left join of `probe` with `build`, a full one: adds the rows of the build side
//! that have no match, and leaves only columns that are bound.
void AddUnmatched(const ConditionCapture& conditions, const Relation& probe, const Relation& build,
                  Relation& joined) {
  const size_t probe_columns = probe.scope.columns.size();
  const size_t build_columns = build.scope.columns.size();
  std::vector<plan::JoinKey> keys = conditions.Keys();
  for (plan::JoinKey& key : keys) {
    std::swap(key.probe, key.build);
  }
  std::vector<plan::ExpressionPointer> swapped;
  for (size_t i = 0; i < probe_columns + build_columns; i++) {
    const CapturedColumn& column = joined.scope.columns[i];
    swapped.push_back(plan::Expression::Column(
        i < probe_columns ? i + build_columns : i - probe_columns, column.type, column.name));
  }
  plan::ExpressionPointer residual = conditions.Residual();
  if (residual) {
    residual = plan::Substitute(residual, swapped);
  }
  const plan::NodePointer unmatched = plan::Node::Join(plan::JoinKind::Anti, build.node, probe.node,
                                                       std::move(keys), std::move(residual));

  std::vector<plan::ExpressionPointer> matches, others;
  std::vector<CapturedColumn> columns;
  for (CapturedBinding& binding : joined.scope.bindings) {
    if (!binding.column) {
      continue;
    }
    const CapturedColumn& column = joined.scope.columns[*binding.column];
    matches.push_back(plan::Expression::Column(*binding.column, column.type, column.name));
    others.push_back(*binding.column < probe_columns ? plan::Expression::Null(column.type)
                                                     : swapped[*binding.column]);
    binding.column = columns.size();
    columns.push_back(column);
  }
  if (columns.empty()) {
    // Rows are counted, not read.
    columns.push_back({plan::TypeKind::Int32, {}, std::nullopt});
    matches.push_back(plan::Expression::Integer(0, plan::TypeKind::Int32));
    others = matches;
  }
  joined.node = UnionOf({plan::Node::Project(joined.node, std::move(matches)),
                         plan::Node::Project(unmatched, std::move(others))});
  joined.scope.columns = UnitedColumns(std::move(columns));
}

//! The same as AddJoin, of inputs that have columns for what NeedsTexts.
Reason JoinInputs(duckdb::ClientContext& context, duckdb::LogicalOperator& op, const Relation& left,
                  const Relation& right, Relation& result) {
  result.part.has_aggregate = left.part.has_aggregate || right.part.has_aggregate;
  result.tables = left.tables;
  result.tables.insert(right.tables.begin(), right.tables.end());
  if (IsSetOperation(op)) {
    return AddSetJoin(context, op, left, right, result);
  }
  const JoinType type = TypeOf(op);
  if (IsGroupJoin(type)) {
    result.part.has_aggregate = true;
    const auto& join = *ComparisonsOf(op);
    return type == JoinType::MARK ? AddMarkJoin(context, join, left, right, result)
                                  : AddSingleJoin(context, join, left, right, result);
  }
  const JoinForm form = *FormOf(type);
  const Relation& probe = form.is_swapped ? right : left;
  const Relation& build = form.is_swapped ? left : right;
  std::vector<CapturedColumn> columns = Concatenate(context, form.kind, probe.scope, build.scope);
  ConditionCapture conditions(context, probe, build, columns);
  if (Reason reason = conditions.AddAll(op, form.is_swapped)) {
    return reason;
  }
  if (type == JoinType::OUTER) {
    const size_t scans = plan::Scans(*probe.node).size() + plan::Scans(*build.node).size();
    if (Reason reason = RefuseScans("a FULL join", 2 * scans)) {
      return reason;
    }
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
  if (!plan::GivesBuildSide(form.kind)) {
    columns.resize(probe_columns);
    result.scope.bindings = form.is_swapped ? std::move(rights) : std::move(lefts);
  } else {
    for (CapturedBinding& binding : form.is_swapped ? lefts : rights) {
      if (binding.column) {
        *binding.column += probe_columns;
      }
    }
    result.scope.bindings = std::move(lefts);
    result.scope.bindings.insert(result.scope.bindings.end(), rights.begin(), rights.end());
  }
  result.scope.columns = std::move(columns);
  if (type == JoinType::OUTER) {
    AddUnmatched(conditions, probe, build, result);
  }
  return std::nullopt;
}

}  // namespace

Reason AddJoin(duckdb::ClientContext& context, duckdb::LogicalOperator& op, const Relation& left,
               const Relation& right, Relation& result) {
  std::array<Relation, 2> inputs{left, right};
  for (size_t i : {0, 1}) {
    if (NeedsTexts(op, i == 0)) {
      KeepTexts(inputs[i]);
    }
  }
  return JoinInputs(context, op, inputs[0], inputs[1], result);
}

}  // namespace margay::integration
