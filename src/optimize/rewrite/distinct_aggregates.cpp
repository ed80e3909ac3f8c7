#include "optimize/rewrite/distinct_aggregates.hpp"

#include <algorithm>
#include <utility>

#include "optimize/rewrite/domain.hpp"

namespace margay::optimize {

using plan::Aggregate;
using plan::AggregateFunction;
using plan::Expression;
using plan::ExpressionPointer;
using plan::JoinKey;
using plan::JoinKind;
using plan::Node;
using plan::NodePointer;
using plan::Operation;
using plan::OutputColumns;
using plan::SameExpression;
using plan::Type;
using plan::TypeKind;

namespace {

//! Whether each value of `expression`, a cast, is that of another value of its operand.
bool IsWidening(const Expression& expression) {
  if (expression.GetOperation() != Operation::Cast) {
    return false;
  }
  const Type &from = expression.Operand(0).GetType(), &to = expression.GetType();
  return from.IsInteger() && to.IsInteger() && from.LowestValue() >= to.LowestValue() &&
         from.HighestValue() <= to.HighestValue();
}

//! `argument` without widening casts: sum takes a TINYINT as a SMALLINT, count as it is.
ExpressionPointer Unwidened(ExpressionPointer argument) {
  while (IsWidening(*argument)) {
    argument = argument->Operands()[0];
  }
  return argument;
}

//! The widening casts of `argument` around `value` instead.
ExpressionPointer Widened(const Expression& argument, const ExpressionPointer& value) {
  if (!IsWidening(argument)) {
    return value;
  }
  return Expression::Make(Operation::Cast, argument.GetType(),
                          {Widened(argument.Operand(0), value)});
}

bool IgnoresRepetition(const Aggregate& aggregate) {
  return aggregate.function == AggregateFunction::Min ||
         aggregate.function == AggregateFunction::Max;
}

std::vector<ExpressionPointer> FirstColumns(const Node& node, size_t count) {
  std::vector<ExpressionPointer> columns = OutputColumns(node);
  columns.resize(count);
  return columns;
}

}  // namespace

DistinctAggregates::DistinctAggregates(std::vector<Aggregate> aggregates,
                                       const std::vector<bool>& is_distinct)
    : aggregates_(std::move(aggregates)),
      has_distinct_(std::find(is_distinct.begin(), is_distinct.end(), true) != is_distinct.end()) {
  Branch all_rows;
  const auto branch_of_argument = [&](const Aggregate& aggregate) {
    return std::find_if(branches_.begin(), branches_.end(), [&](const Branch& branch) {
      return aggregate.argument && SameExpression(*branch.argument, *Unwidened(aggregate.argument));
    });
  };
  for (size_t i = 0; i < aggregates_.size(); i++) {
    if (is_distinct[i] && !IgnoresRepetition(aggregates_[i]) &&
        branch_of_argument(aggregates_[i]) == branches_.end()) {
      branches_.push_back({Unwidened(aggregates_[i].argument), {}});
    }
  }
  for (size_t i = 0; i < aggregates_.size(); i++) {
    const auto branch = branch_of_argument(aggregates_[i]);
    const bool is_of_values = is_distinct[i] || IgnoresRepetition(aggregates_[i]);
    (is_of_values && branch != branches_.end() ? *branch : all_rows).aggregates.push_back(i);
  }
  if (!all_rows.aggregates.empty() || branches_.empty()) {
    branches_.insert(branches_.begin(), std::move(all_rows));
  }
}

size_t DistinctAggregates::Readings() const {
  return branches_.size();
}

NodePointer DistinctAggregates::Group(const NodePointer& input,
                                      const std::vector<ExpressionPointer>& groups) const {
  NodePointer all = GroupBranch(branches_[0], input, groups);
  if (branches_.size() == 1) {
    return all;  // in the order of the aggregates
  }
  std::vector<ExpressionPointer> outputs = FirstColumns(*all, groups.size());
  outputs.resize(groups.size() + aggregates_.size());
  const auto add_outputs = [&](const Branch& branch, size_t first_column) {
    for (size_t i = 0; i < branch.aggregates.size(); i++) {
      const size_t number = branch.aggregates[i];
      outputs[groups.size() + number] =
          Expression::Column(first_column + i, aggregates_[number].type, {});
    }
  };
  add_outputs(branches_[0], groups.size());
  for (size_t i = 1; i < branches_.size(); i++) {
    const size_t columns = all->OutputTypes().size();
    const NodePointer branch = GroupBranch(branches_[i], input, groups);
    std::vector<JoinKey> keys;
    for (const ExpressionPointer& key : FirstColumns(*branch, groups.size())) {
      keys.push_back({key, key, !IsNeverNull(*key, *branch)});
    }
    if (keys.empty()) {
      // There is one row of each.
      const ExpressionPointer zero = Expression::Integer(0, TypeKind::Int32);
      keys.push_back({zero, zero, false});
    }
    all = Node::Join(JoinKind::Inner, all, branch, std::move(keys), nullptr);
    add_outputs(branches_[i], columns + groups.size());
  }
  return Node::Project(std::move(all), std::move(outputs));
}

NodePointer DistinctAggregates::GroupBranch(const Branch& branch, const NodePointer& input,
                                            const std::vector<ExpressionPointer>& groups) const {
  std::vector<Aggregate> aggregates;
  for (size_t number : branch.aggregates) {
    aggregates.push_back(aggregates_[number]);
  }
  if (!branch.argument) {
    return Node::GroupBy(input, groups, std::move(aggregates));
  }
  std::vector<ExpressionPointer> keys = groups;
  keys.push_back(branch.argument);
  NodePointer values = Node::GroupBy(input, std::move(keys), {});
  const ExpressionPointer value = OutputColumns(*values).back();
  for (Aggregate& aggregate : aggregates) {
    aggregate.argument = Widened(*aggregate.argument, value);
  }
  return Node::GroupBy(values, FirstColumns(*values, groups.size()), std::move(aggregates));
}

}  // namespace margay::optimize
