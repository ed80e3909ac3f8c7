#include <utility>

#include "duckdb/main/settings.hpp"
#include "integration/capture/join.hpp"

// MARK and SINGLE joins give every row of their first input once. The plan has no joins like these:
// the second input is grouped by its keys, and the groups are joined by a Left join.

namespace margay::integration {

namespace {

using plan::Expression;
using plan::ExpressionPointer;
using plan::Operation;
using plan::TypeKind;

ExpressionPointer IsNull(ExpressionPointer value) {
  return Expression::Make(Operation::IsNull, TypeKind::Boolean, {std::move(value)});
}

ExpressionPointer Boolean(bool value) {
  return Expression::Integer(value ? 1 : 0, TypeKind::Boolean);
}

//! The first input, with groups of the second one joined to it.
class GroupJoiner {
 public:
  explicit GroupJoiner(plan::NodePointer probe) : node_(std::move(probe)) {}

  //! Groups `build` by what `keys` compare with, and joins the groups. Returns the aggregates of
  //! the group that a row finds, as columns; NULL where it finds none.
  std::vector<ExpressionPointer> Join(const plan::NodePointer& build,
                                      std::vector<plan::JoinKey> keys,
                                      std::vector<plan::Aggregate> aggregates) {
    std::vector<ExpressionPointer> groups;
    for (plan::JoinKey& key : keys) {
      const size_t number = groups.size();
      groups.push_back(key.build);
      key.build = Expression::Column(number, key.build->GetType(), {});
    }
    const size_t first = node_->OutputTypes().size() + groups.size();
    std::vector<ExpressionPointer> columns;
    columns.reserve(aggregates.size());
    for (const plan::Aggregate& aggregate : aggregates) {
      columns.push_back(Expression::Column(first + columns.size(), aggregate.type, {}));
    }
    node_ = plan::Node::Join(plan::JoinKind::Left, node_,
                             plan::Node::GroupBy(build, std::move(groups), std::move(aggregates)),
                             std::move(keys), nullptr);
    return columns;
  }

  const plan::NodePointer& Node() const { return node_; }

 private:
  plan::NodePointer node_;
};

plan::Aggregate Count(ExpressionPointer argument) {
  const auto function =
      argument ? plan::AggregateFunction::Count : plan::AggregateFunction::CountStar;
  return {function, std::move(argument), TypeKind::Int64};
}

//! Which of the conditions compares the value of an IN, or of an ANY, with those of the list; none
//! for EXISTS. The others compare the columns that a sub-query refers to. More than one of them is
//! a reason.
Reason FindValue(const duckdb::LogicalComparisonJoin& join, std::optional<size_t>& value) {
  for (size_t i = 0; i < join.conditions.size(); i++) {
    if (ComparisonOf(join.conditions[i]).type ==
        duckdb::ExpressionType::COMPARE_NOT_DISTINCT_FROM) {
      continue;
    }
    if (value) {
      return NotSupported("IN with several values");
    }
    value = i;
  }
  return std::nullopt;
}

//! Makes `keys`, of which there may be none, those of a join with one group at most.
void AddConstantKey(std::vector<plan::JoinKey>& keys) {
  if (keys.empty()) {
    const ExpressionPointer zero = Expression::Integer(0, TypeKind::Int32);
    keys.push_back({zero, zero, false});
  }
}

//! Whether `value` compares as asked with one of the list whose least and greatest values are
//! these.
CapturedExpression CompareWithAny(duckdb::ExpressionType comparison, const ExpressionPointer& value,
                                  const ExpressionPointer& least,
                                  const ExpressionPointer& greatest) {
  switch (comparison) {
    case duckdb::ExpressionType::COMPARE_LESSTHAN:
    case duckdb::ExpressionType::COMPARE_LESSTHANOREQUALTO:
      return CaptureComparison(comparison, value, greatest);
    case duckdb::ExpressionType::COMPARE_GREATERTHAN:
    case duckdb::ExpressionType::COMPARE_GREATERTHANOREQUALTO:
      return CaptureComparison(comparison, value, least);
    case duckdb::ExpressionType::COMPARE_NOTEQUAL: {
      CapturedExpression low = CaptureComparison(comparison, value, least);
      CapturedExpression high = CaptureComparison(comparison, value, greatest);
      if (low && high) {
        low.expression =
            Expression::Make(Operation::Or, TypeKind::Boolean, {low.expression, high.expression});
      }
      return low;
    }
    default:
      return CapturedExpression::Refuse(NotSupported("a MARK join by IS DISTINCT FROM"));
  }
}

//! The mark of a join by `comparison`, which is no equality, and equalities, `keys`, that join the
//! groups to `joiner`.
Reason MarkOfComparison(duckdb::ClientContext& context, const JoinComparison& comparison,
                        const Relation& left, const Relation& right,
                        std::vector<plan::JoinKey> keys, GroupJoiner& joiner,
                        ExpressionPointer& mark) {
  const CapturedExpression value = ExpressionCapture(context, left.scope).Capture(comparison.left);
  if (!value) {
    return value.reason;
  }
  const CapturedExpression listed =
      ExpressionCapture(context, right.scope).Capture(comparison.right);
  if (!listed) {
    return listed.reason;
  }
  const plan::Type& type = listed.expression->GetType();
  if (type.kind == TypeKind::UInt128) {
    return NotSupported("a comparison of " + type.ToString() + " with ANY or ALL of a sub-query");
  }
  AddConstantKey(keys);
  const auto found = joiner.Join(right.node, std::move(keys),
                                 {Count(nullptr),
                                  Count(listed.expression),
                                  {plan::AggregateFunction::Min, listed.expression, type},
                                  {plan::AggregateFunction::Max, listed.expression, type}});
  const CapturedExpression is_true =
      CompareWithAny(comparison.type, value.expression, found[2], found[3]);
  if (!is_true) {
    return is_true.reason;
  }
  const ExpressionPointer is_unknown = Expression::Make(
      Operation::Or, TypeKind::Boolean,
      {IsNull(value.expression),
       Expression::Make(Operation::Less, TypeKind::Boolean, {found[1], found[0]})});
  mark = Expression::Make(Operation::Case, TypeKind::Boolean,
                          {IsNull(found[0]), Boolean(false), is_true.expression, Boolean(true),
                           is_unknown, Expression::Null(TypeKind::Boolean), Boolean(false)});
  return std::nullopt;
}

//! The mark of a join by `keys`, of which key `value`, if there is one, may be unknown.
ExpressionPointer MarkOfEquality(const plan::NodePointer& list, std::vector<plan::JoinKey> keys,
                                 std::optional<size_t> value, GroupJoiner& joiner) {
  const ExpressionPointer match = joiner.Join(list, keys, {Count(nullptr)})[0];
  std::vector<ExpressionPointer> cases{
      Expression::Make(Operation::IsNotNull, TypeKind::Boolean, {match}), Boolean(true)};
  if (value) {
    // Without a match the result is NULL if the value is, or one of the list, which must not be
    // empty.
    const plan::JoinKey key = keys[*value];
    keys.erase(keys.begin() + static_cast<ptrdiff_t>(*value));
    AddConstantKey(keys);
    const auto counts = joiner.Join(list, keys, {Count(nullptr), Count(key.build)});
    const ExpressionPointer is_unknown = Expression::Make(
        Operation::Or, TypeKind::Boolean,
        {IsNull(key.probe),
         Expression::Make(Operation::Less, TypeKind::Boolean, {counts[1], counts[0]})});
    cases.insert(cases.end(), {IsNull(counts[0]), Boolean(false), is_unknown,
                               Expression::Null(TypeKind::Boolean)});
  }
  cases.push_back(Boolean(false));
  return Expression::Make(Operation::Case, TypeKind::Boolean, std::move(cases));
}

//! The joined columns in front, and `expressions` behind them.
plan::NodePointer Append(const plan::NodePointer& node, size_t columns,
                         const std::vector<ExpressionPointer>& expressions) {
  std::vector<ExpressionPointer> outputs = plan::OutputColumns(*node);
  outputs.resize(columns);
  outputs.insert(outputs.end(), expressions.begin(), expressions.end());
  return plan::Node::Project(node, std::move(outputs));
}

}  // namespace

Reason AddMarkJoin(duckdb::ClientContext& context, const duckdb::LogicalComparisonJoin& join,
                   const Relation& left, const Relation& right, Relation& result) {
  std::optional<size_t> value;
  if (Reason reason = FindValue(join, value)) {
    return reason;
  }
  std::vector<plan::JoinKey> keys;
  if (Reason reason = CaptureKeys(context, join, left, right, keys)) {
    return reason;
  }
  GroupJoiner joiner(left.node);
  ExpressionPointer mark;
  if (value &&
      ComparisonOf(join.conditions[*value]).type != duckdb::ExpressionType::COMPARE_EQUAL) {
    if (Reason reason = MarkOfComparison(context, ComparisonOf(join.conditions[*value]), left,
                                         right, std::move(keys), joiner, mark)) {
      return reason;
    }
  } else {
    mark = MarkOfEquality(right.node, std::move(keys), value, joiner);
  }
  const size_t columns = left.scope.columns.size();
  result.node = Append(joiner.Node(), columns, {mark});
  result.scope.columns = left.scope.columns;
  result.scope.columns.push_back({TypeKind::Boolean, {}, std::nullopt});
  result.scope.bindings = MapBindings(left.scope.bindings, join.left_projection_map);
  result.scope.bindings.push_back(
      {MakeBinding(join.mark_index, 0), duckdb::LogicalType::BOOLEAN, columns, {}});
  return std::nullopt;
}

Reason AddSingleJoin(duckdb::ClientContext& context, const duckdb::LogicalComparisonJoin& join,
                     const Relation& left, const Relation& right, Relation& result) {
  if (!duckdb::Settings::Get<duckdb::ScalarSubqueryErrorOnMultipleRowsSetting>(context)) {
    return NotSupported("a sub-query with any of several rows as its result");
  }
  std::vector<plan::JoinKey> keys;
  if (Reason reason = CaptureKeys(context, join, left, right, keys)) {
    return reason;
  }
  // Of one row, which is all that there may be, the least value is the value.
  std::vector<plan::Aggregate> aggregates{Count(nullptr)};
  const size_t columns = left.scope.columns.size();
  result.scope.columns = left.scope.columns;
  result.scope.bindings = MapBindings(left.scope.bindings, join.left_projection_map);
  for (CapturedBinding binding : MapBindings(right.scope.bindings, join.right_projection_map)) {
    if (binding.column) {
      const CapturedColumn& column = right.scope.columns[*binding.column];
      if (column.type.kind == TypeKind::UInt128) {
        return NotSupported("a sub-query with a result of the type UHUGEINT");
      }
      aggregates.push_back({plan::AggregateFunction::Min,
                            Expression::Column(*binding.column, column.type, column.name),
                            column.type});
      binding.column = result.scope.columns.size();
      result.scope.columns.push_back({column.type, column.name, std::nullopt});
      if (column.type.IsVarchar()) {
        result.scope.columns.back().origin = TextOrigin{*binding.column, nullptr};
      }
    }
    result.scope.bindings.push_back(std::move(binding));
  }
  NameOnce(result.scope.columns);

  GroupJoiner joiner(left.node);
  std::vector<ExpressionPointer> values = joiner.Join(right.node, keys, std::move(aggregates));
  const ExpressionPointer is_one =
      Expression::Make(Operation::Case, TypeKind::Boolean,
                       {Expression::Make(Operation::Greater, TypeKind::Boolean,
                                         {values[0], Expression::Integer(1, TypeKind::Int64)}),
                        Expression::Make(Operation::Fault, TypeKind::Boolean, {}), Boolean(true)});
  values.erase(values.begin());
  result.node = Append(plan::Node::Filter(joiner.Node(), is_one), columns, values);
  return std::nullopt;
}

}  // namespace margay::integration
