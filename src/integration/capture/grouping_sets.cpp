#include "integration/capture/grouping_sets.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "integration/capture/set_operation.hpp"

namespace margay::integration {

namespace {

using plan::Aggregate;
using plan::AggregateFunction;
using plan::Expression;
using plan::ExpressionPointer;

bool IsCount(const Aggregate& aggregate) {
  return aggregate.function == AggregateFunction::CountStar ||
         aggregate.function == AggregateFunction::Count;
}

//! The bits of a call of GROUPING() with these keys: 1 for those that are not in `set`.
int64_t GroupingBits(const duckdb::unsafe_vector<ColumnNumber>& keys,
                     const duckdb::GroupingSet& set) {
  int64_t bits = 0;
  for (ColumnNumber key : keys) {
    bits = bits * 2 + (set.count(key) == 0 ? 1 : 0);
  }
  return bits;
}

//! Makes the groups of one grouping set after the other.
class SetGrouper {
 public:
  SetGrouper(const duckdb::LogicalAggregate& op, plan::NodePointer input,
             std::vector<ExpressionPointer> groups, optimize::DistinctAggregates aggregates)
      : op_(op),
        input_(std::move(input)),
        groups_(std::move(groups)),
        aggregates_(std::move(aggregates)) {}

  //! Makes further sets of the groups of the set with all keys, which are made once, where there is
  //! such a set, and aggregates of aggregates are those of the rows.
  void ReuseGroups() {
    const bool has_all =
        std::any_of(op_.grouping_sets.begin(), op_.grouping_sets.end(),
                    [&](const duckdb::GroupingSet& set) { return set.size() == groups_.size(); });
    std::vector<Aggregate> aggregates = aggregates_.Aggregates();
    const bool has_averages =
        std::any_of(aggregates.begin(), aggregates.end(), [](const Aggregate& aggregate) {
          return aggregate.function == AggregateFunction::Average;
        });
    if (!has_all || has_averages || aggregates_.HasDistinct() || op_.grouping_sets.size() < 2) {
      return;
    }
    is_grouped_ = true;
    input_ = aggregates_.Group(input_, groups_);
    for (size_t i = 0; i < groups_.size(); i++) {
      groups_[i] = Expression::Column(i, groups_[i]->GetType(), {});
    }
    for (size_t i = 0; i < aggregates.size(); i++) {
      Aggregate& aggregate = aggregates[i];
      is_sum_of_counts_.push_back(IsCount(aggregate));
      aggregate.argument = Expression::Column(groups_.size() + i, aggregate.type, {});
      if (IsCount(aggregate)) {
        aggregate.function = AggregateFunction::Sum;
      }
    }
    const std::vector<bool> is_distinct(aggregates.size(), false);
    aggregates_ = optimize::DistinctAggregates(std::move(aggregates), is_distinct);
  }

  plan::NodePointer Group(const duckdb::GroupingSet& set) const {
    const bool is_input = is_grouped_ && set.size() == groups_.size();
    std::vector<ExpressionPointer> keys;
    std::vector<ExpressionPointer> outputs;
    for (size_t i = 0; i < groups_.size(); i++) {
      const plan::Type& type = groups_[i]->GetType();
      const bool is_key = set.count(ColumnNumber(i)) != 0;
      outputs.push_back(is_key ? Expression::Column(keys.size(), type, {})
                               : Expression::Null(type));
      if (is_key) {
        keys.push_back(groups_[i]);
      }
    }
    for (size_t i = 0; i < aggregates_.Aggregates().size(); i++) {
      outputs.push_back(is_input ? aggregates_.Aggregates()[i].argument
                                 : ValueOf(i, keys.size() + i));
    }
    for (const auto& keys_of_call : op_.grouping_functions) {
      outputs.push_back(
          Expression::Integer(GroupingBits(keys_of_call, set), plan::TypeKind::Int64));
    }
    return plan::Node::Project(is_input ? input_ : GroupBy(keys), std::move(outputs));
  }

 private:
  plan::NodePointer GroupBy(const std::vector<ExpressionPointer>& keys) const {
    if (keys.empty() && aggregates_.Aggregates().empty()) {
      // A group of nothing is a row all the same.
      return plan::Node::GroupBy(input_, {},
                                 {{AggregateFunction::CountStar, nullptr, plan::TypeKind::Int64}});
    }
    return aggregates_.Group(input_, keys);
  }

  //! Aggregate `number`, which is column `column` of the groups. A sum of no counts is 0.
  ExpressionPointer ValueOf(size_t number, size_t column) const {
    const plan::Type& type = aggregates_.Aggregates()[number].type;
    ExpressionPointer value = Expression::Column(column, type, {});
    if (!is_grouped_ || !is_sum_of_counts_[number]) {
      return value;
    }
    return Expression::Make(plan::Operation::Coalesce, type,
                            {std::move(value), Expression::Integer(0, type)});
  }

  const duckdb::LogicalAggregate& op_;
  plan::NodePointer input_;
  std::vector<ExpressionPointer> groups_;
  optimize::DistinctAggregates aggregates_;
  bool is_grouped_ = false;             //!< the input is the groups of the set with all keys
  std::vector<bool> is_sum_of_counts_;  //!< per aggregate of those
};

}  // namespace

bool HasGroupingSets(const duckdb::LogicalAggregate& op) {
  const bool all_groups =
      op.grouping_sets.empty() ||
      (op.grouping_sets.size() == 1 && op.grouping_sets[0].size() == op.groups.size());
  return !all_groups;
}

void AddGroupingCalls(const duckdb::LogicalAggregate& op, Relation& relation) {
  if (op.grouping_functions.empty()) {
    return;
  }
  std::vector<ExpressionPointer> outputs = plan::OutputColumns(*relation.node);
  for (size_t i = 0; i < op.grouping_functions.size(); i++) {
    relation.scope.bindings.push_back(
        {MakeBinding(op.groupings_index, i), duckdb::LogicalType::BIGINT, outputs.size(), {}});
    relation.scope.columns.push_back({plan::TypeKind::Int64, {}, std::nullopt});
    outputs.push_back(Expression::Integer(0, plan::TypeKind::Int64));
  }
  relation.node = plan::Node::Project(relation.node, std::move(outputs));
}

plan::NodePointer GroupBySets(const duckdb::LogicalAggregate& op, const plan::NodePointer& input,
                              const std::vector<plan::ExpressionPointer>& groups,
                              const optimize::DistinctAggregates& aggregates) {
  SetGrouper grouper(op, input, groups, aggregates);
  grouper.ReuseGroups();
  std::vector<plan::NodePointer> sets;
  for (const duckdb::GroupingSet& set : op.grouping_sets) {
    sets.push_back(grouper.Group(set));
  }
  return UnionOf(sets);
}

}  // namespace margay::integration
