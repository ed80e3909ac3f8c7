#include "optimize/rewrite/partitions.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace margay::optimize {

using plan::Aggregate;
using plan::AggregateFunction;
using plan::BottomScan;
using plan::Conjunction;
using plan::Expression;
using plan::ExpressionPointer;
using plan::JoinKey;
using plan::JoinKind;
using plan::Node;
using plan::NodeKind;
using plan::NodePointer;
using plan::Operation;
using plan::OutputColumns;
using plan::Scans;
using plan::Type;
using plan::TypeKind;
using plan::UsesRowNumbers;
using plan::WithInputs;

namespace {

//! `node` without the filters and projections at its top.
const NodePointer& Core(const NodePointer& node) {
  const NodePointer* core = &node;
  while ((*core)->Kind() == NodeKind::Filter || (*core)->Kind() == NodeKind::Project) {
    core = &(*core)->Input();
  }
  return *core;
}

//! Columns of integers have up to 64 bits. Sums of a few distances stay within 128 bits.
constexpr Int128 kMostDistance = Int128{1} << 100;

//! An integral expression that is a column minus a constant: DuckDB compresses integers so.
struct ShiftedColumn {
  size_t column = 0;
  Int128 distance = 0;  //!< the constant
};

std::optional<ShiftedColumn> AsColumn(const Expression& expression) {
  const Operation operation = expression.GetOperation();
  if (operation == Operation::Column) {
    return ShiftedColumn{expression.ColumnIndex(), 0};
  }
  const bool is_shift = (operation == Operation::Add || operation == Operation::Subtract) &&
                        expression.Operand(1).GetOperation() == Operation::Constant &&
                        !expression.Operand(1).GetConstant().is_null;
  const bool is_cast = operation == Operation::Cast || operation == Operation::Compress;
  if ((!is_cast && !is_shift) || !expression.GetType().IsInteger() ||
      !expression.Operand(0).GetType().IsInteger()) {
    return std::nullopt;
  }
  auto shifted = AsColumn(expression.Operand(0));
  if (shifted && is_shift) {
    const Int128 constant = expression.Operand(1).GetConstant().integer;
    if (constant < -kMostDistance || constant > kMostDistance) {
      return std::nullopt;
    }
    shifted->distance += operation == Operation::Subtract ? constant : -constant;
  }
  return shifted;
}

//! `node` with `replacement` wherever it has `replaced`. What the plan has in several places stays
//! one node.
class Replacement {
 public:
  Replacement(NodePointer replaced, NodePointer replacement) {
    nodes_.emplace(std::move(replaced), std::move(replacement));
  }

  NodePointer In(const NodePointer& node) {
    if (!node) {
      return nullptr;
    }
    const auto known = nodes_.find(node);
    if (known != nodes_.end()) {
      return known->second;
    }
    NodePointer input = In(node->Input()), build = In(node->Build());
    const bool is_same = input == node->Input() && build == node->Build();
    NodePointer made = is_same ? node : WithInputs(*node, std::move(input), std::move(build));
    nodes_.emplace(node, made);
    return made;
  }

 private:
  std::unordered_map<NodePointer, NodePointer> nodes_;
};

//! A range of values, NULL among them or not.
struct ValueRange {
  std::optional<Int128> from;   //!< none: the least
  std::optional<Int128> below;  //!< none: up to the greatest
  bool holds_null = false;

  //! Whether `value` plus `distance` is in the range; null where it always is.
  ExpressionPointer Holds(const ExpressionPointer& value, Int128 distance) const {
    const Type& type = value->GetType();
    const auto compare = [&](Operation operation, Int128 bound) {
      return Expression::Make(operation, TypeKind::Boolean,
                              {value, Expression::Integer(bound, type)});
    };
    std::vector<ExpressionPointer> conjuncts;
    if (from && *from - distance > type.LowestValue()) {
      const bool is_beyond = *from - distance > type.HighestValue();
      conjuncts.push_back(is_beyond ? compare(Operation::Greater, type.HighestValue())
                                    : compare(Operation::GreaterOrEqual, *from - distance));
    }
    if (below && *below - distance <= type.HighestValue()) {
      conjuncts.push_back(
          compare(Operation::Less, std::max(*below - distance, type.LowestValue())));
    }
    const ExpressionPointer holds = Conjunction(std::move(conjuncts));
    if (!holds_null) {
      return holds ? holds : Expression::Make(Operation::IsNotNull, TypeKind::Boolean, {value});
    }
    const auto is_null = Expression::Make(Operation::IsNull, TypeKind::Boolean, {value});
    return holds ? Expression::Make(Operation::Or, TypeKind::Boolean, {holds, is_null}) : nullptr;
  }
};

//! `count` ranges that together hold NULL and every value, those within `bounds` evenly.
std::vector<ValueRange> RangesOf(const ValueBounds& bounds, uint32_t count) {
  const Int128 values = bounds.greatest - bounds.least + 1;
  std::vector<ValueRange> ranges(count);
  ranges[0].holds_null = true;
  for (uint32_t i = 1; i < count; i++) {
    ranges[i].from = ranges[i - 1].below = bounds.least + values * i / count;
  }
  return ranges;
}

//! Leaves only those rows of a node that have a column's value in a range. The filter is put as far
//! down as it can be, also into the other side of joins by that value.
class RangeFilter {
 public:
  //! `rows` are those of scans.
  RangeFilter(const ValueRange& range, const std::unordered_map<const Node*, uint64_t>& rows)
      : range_(range), rows_(rows) {}

  //! The rows of `node` for which `value` plus `distance` is in the range.
  NodePointer Put(const NodePointer& node, const ExpressionPointer& value, Int128 distance) {
    const auto shifted = AsColumn(*value);
    return shifted ? Put(node, shifted->column, distance - shifted->distance)
                   : Filtered(node, value, distance);
  }

  //! The rows of tables of joins and groups that a filter was put below of.
  uint64_t Spared() const { return spared_; }

 private:
  NodePointer Put(const NodePointer& node, size_t column, Int128 distance) {
    switch (node->Kind()) {
      case NodeKind::Filter:
        return Node::Filter(Put(node->Input(), column, distance), node->Predicate());
      case NodeKind::Project:
        if (AsColumn(*node->Expressions()[column])) {
          return WithInputs(*node, Put(node->Input(), node->Expressions()[column], distance),
                            nullptr);
        }
        break;
      case NodeKind::Join:
        if (column < node->Input()->OutputTypes().size()) {
          return PutIntoProbe(*node, column, distance);
        }
        if (node->GetJoinKind() == JoinKind::Inner) {
          return PutIntoBuild(*node, column, distance);
        }
        break;
      case NodeKind::Aggregate:
        if (column < node->Expressions().size() && AsColumn(*node->Expressions()[column])) {
          spared_ += RowsOf(*node);
          return WithInputs(*node, Put(node->Input(), node->Expressions()[column], distance),
                            nullptr);
        }
        break;
      case NodeKind::Union:
        return Node::Union(Put(node->Input(), column, distance),
                           node->Build() ? Put(node->Build(), column, distance) : nullptr);
      case NodeKind::Scan:
      case NodeKind::Order:
        break;
    }
    return Filtered(node, ColumnOf(*node, column), distance);
  }

  NodePointer Filtered(const NodePointer& node, const ExpressionPointer& value,
                       Int128 distance) const {
    ExpressionPointer predicate = range_.Holds(value, distance);
    return predicate ? Node::Filter(node, std::move(predicate)) : node;
  }

  NodePointer PutIntoProbe(const Node& join, size_t column, Int128 distance) {
    NodePointer build = join.Build();
    for (const JoinKey& key : join.Keys()) {
      const auto shifted = AsColumn(*key.probe);
      if (shifted && shifted->column == column) {
        build = Kept(build, key.build, distance + shifted->distance);
        break;
      }
    }
    return WithInputs(join, Put(join.Input(), column, distance), std::move(build));
  }

  NodePointer PutIntoBuild(const Node& join, size_t column, Int128 distance) {
    const size_t own_column = column - join.Input()->OutputTypes().size();
    NodePointer probe = join.Input();
    for (const JoinKey& key : join.Keys()) {
      const auto shifted = AsColumn(*key.build);
      if (shifted && shifted->column == own_column) {
        probe = Put(probe, key.probe, distance + shifted->distance);
        break;
      }
    }
    return WithInputs(join, std::move(probe),
                      Kept(join.Build(), ColumnOf(*join.Build(), own_column), distance));
  }

  //! A build side with values in the range alone, as a table of its own. Results of aggregates and
  //! unions are that already.
  NodePointer Kept(const NodePointer& build, const ExpressionPointer& value, Int128 distance) {
    spared_ += RowsOf(*build);
    NodePointer rows = Put(build, value, distance);
    const NodeKind core = Core(rows)->Kind();
    return core == NodeKind::Aggregate || core == NodeKind::Union ? rows
                                                                  : Node::Keep(std::move(rows));
  }

  uint64_t RowsOf(const Node& node) const { return rows_.at(&BottomScan(node)); }

  static ExpressionPointer ColumnOf(const Node& node, size_t column) {
    return Expression::Column(
        column, node.OutputTypes()[column],
        node.Kind() == NodeKind::Scan ? node.Columns()[column].name : std::string());
  }

  const ValueRange& range_;
  const std::unordered_map<const Node*, uint64_t>& rows_;
  uint64_t spared_ = 0;
};

//! What is computed before rows of partitions are put together, and after.
struct TwoSteps {
  std::vector<Aggregate> first;
  std::vector<Aggregate> second;  //!< over the groups of the first step, then its aggregates
};

//! `aggregates` in two steps; none where one can't be.
std::optional<TwoSteps> InTwoSteps(const std::vector<Aggregate>& aggregates, size_t groups) {
  TwoSteps steps{aggregates, aggregates};
  for (size_t i = 0; i < aggregates.size(); i++) {
    Aggregate& second = steps.second[i];
    second.argument = Expression::Column(groups + i, aggregates[i].type, {});
    switch (aggregates[i].function) {
      case AggregateFunction::CountStar:
      case AggregateFunction::Count:
        second.function = AggregateFunction::Sum;
        break;
      case AggregateFunction::Sum:
      case AggregateFunction::Min:
      case AggregateFunction::Max:
        break;
      case AggregateFunction::Average:
        return std::nullopt;
    }
  }
  return steps;
}

//! A way to part a plan.
struct Candidate {
  //! The node in whose place the union of the partitions is put, in two steps if it is an
  //! aggregate other than `parted`.
  NodePointer top;
  NodePointer parted;   //!< `top` or below: the node whose rows are parted
  size_t column = 0;    //!< of `parted`, by whose values
  Int128 distance = 0;  //!< of these values from those of the column that they come from
  ValueBounds bounds;   //!< of that column
  std::string name;     //!< of that column
  uint64_t spared = 0;  //!< rows of tables that get smaller
};

class Partitioner {
 public:
  Partitioner(const NodePointer& plan, const std::vector<uint64_t>& rows,
              const FindBounds& find_bounds)
      : plan_(plan), find_bounds_(find_bounds) {
    const std::vector<const Node*> scans = Scans(*plan);
    for (size_t i = 0; i < scans.size(); i++) {
      if (numbers_.emplace(scans[i], i).second) {
        rows_.emplace(scans[i], rows[i]);
      }
    }
  }

  std::optional<PartitionedPlan> Make(uint32_t partitions) {
    NodePointer top = plan_;
    while (top->Kind() == NodeKind::Project || top->Kind() == NodeKind::Order) {
      top = top->Input();
    }
    AddOfJoins(top, top);
    AddOfAggregates(top);
    if (!best_) {
      return std::nullopt;
    }
    const Int128 values = best_->bounds.greatest - best_->bounds.least + 1;
    partitions = static_cast<uint32_t>(std::min<Int128>(partitions, values));
    PartitionedPlan result;
    result.plan = Replacement(best_->top, Parted(*best_, partitions)).In(plan_);
    for (const Node* scan : Scans(*result.plan)) {
      result.scans.push_back(numbers_.at(scan));
    }
    result.key = best_->name;
    result.partitions = partitions;
    return result;
  }

 private:
  //! The aggregates of `node` and below, each by its group keys and by keys of joins below it; and
  //! the inputs of unions, by keys of their joins.
  void AddOfAggregates(const NodePointer& node) {
    const NodePointer& core = Core(node);
    if (core->Kind() == NodeKind::Aggregate) {
      for (size_t column = 0; column < node->OutputTypes().size(); column++) {
        Add(node, node, column);
      }
      if (InTwoSteps(core->Aggregates(), core->Expressions().size())) {
        AddOfJoins(core, core->Input());
      }
    }
    for (const NodePointer& input : {core->Input(), core->Build()}) {
      if (input && core->Kind() == NodeKind::Union) {
        AddOfJoins(input, input);
      }
      if (input) {
        AddOfAggregates(input);
      }
    }
  }

  //! The joins of `node` and below, as far as each row of `top` has one row of theirs.
  void AddOfJoins(const NodePointer& top, const NodePointer& node) {
    const NodePointer& core = Core(node);
    if (core->Kind() != NodeKind::Join) {
      return;
    }
    for (const JoinKey& key : core->Keys()) {
      if (const auto shifted = AsColumn(*key.probe)) {
        Add(top, core, shifted->column);
      }
    }
    AddOfJoins(top, core->Input());
    if (core->GetJoinKind() == JoinKind::Inner) {
      AddOfJoins(top, core->Build());
    }
  }

  void Add(const NodePointer& top, const NodePointer& parted, size_t column) {
    Candidate candidate{top, parted, column, 0, {}, {}, 0};
    if (!FindOrigin(*parted, column, candidate)) {
      return;
    }
    const ValueRange all{candidate.bounds.least, {}, false};
    RangeFilter filter(all, rows_);
    filter.Put(parted, OutputColumns(*parted)[column], candidate.distance);
    candidate.spared = filter.Spared();
    if (candidate.spared != 0 && (!best_ || candidate.spared > best_->spared)) {
      best_ = std::move(candidate);
    }
  }

  //! Finds which column of a scan a column of `node` comes from.
  bool FindOrigin(const Node& node, size_t column, Candidate& candidate) const {
    switch (node.Kind()) {
      case NodeKind::Scan: {
        const Type& type = node.Columns()[column].type;
        if (!type.IsIntegral() || type.PhysicalBytes() > static_cast<int>(sizeof(int64_t))) {
          return false;
        }
        const auto bounds = find_bounds_(numbers_.at(&node), column);
        if (!bounds || bounds->least >= bounds->greatest) {
          return false;
        }
        candidate.bounds = *bounds;
        candidate.name = node.Columns()[column].name;
        return true;
      }
      case NodeKind::Filter:
      case NodeKind::Order:
        return FindOrigin(*node.Input(), column, candidate);
      case NodeKind::Project:
      case NodeKind::Aggregate: {
        const auto& expressions = node.Expressions();
        const auto input =
            column < expressions.size() ? AsColumn(*expressions[column]) : std::nullopt;
        if (!input || !FindOrigin(*node.Input(), input->column, candidate)) {
          return false;
        }
        candidate.distance += input->distance;
        return true;
      }
      case NodeKind::Join: {
        const size_t probe_columns = node.Input()->OutputTypes().size();
        return column < probe_columns
                   ? FindOrigin(*node.Input(), column, candidate)
                   : FindOrigin(*node.Build(), column - probe_columns, candidate);
      }
      case NodeKind::Union:
        return false;
    }
    return false;
  }

  NodePointer Parted(const Candidate& candidate, uint32_t partitions) const {
    const bool has_two_steps =
        candidate.top != candidate.parted && candidate.top->Kind() == NodeKind::Aggregate;
    const std::vector<ExpressionPointer>& groups = candidate.top->Expressions();
    const auto steps =
        has_two_steps ? InTwoSteps(candidate.top->Aggregates(), groups.size()) : std::nullopt;
    const NodePointer& rows = steps ? candidate.top->Input() : candidate.top;
    NodePointer all;
    for (const ValueRange& range : RangesOf(candidate.bounds, partitions)) {
      NodePointer part =
          RangeFilter(range, rows_)
              .Put(candidate.parted, OutputColumns(*candidate.parted)[candidate.column],
                   candidate.distance);
      NodePointer branch = Replacement(candidate.parted, std::move(part)).In(rows);
      if (steps) {
        branch = Node::GroupBy(std::move(branch), groups, steps->first);
      }
      all = all ? Node::Union(std::move(all), std::move(branch)) : std::move(branch);
    }
    if (!steps) {
      return all;
    }
    std::vector<ExpressionPointer> keys = OutputColumns(*all);
    keys.resize(groups.size());
    return Node::GroupBy(std::move(all), std::move(keys), steps->second);
  }

  const NodePointer plan_;
  const FindBounds& find_bounds_;
  std::unordered_map<const Node*, size_t> numbers_;  //!< of scans
  std::unordered_map<const Node*, uint64_t> rows_;   //!< of scans
  std::optional<Candidate> best_;
};

}  // namespace

std::optional<PartitionedPlan> Partition(const NodePointer& plan, const std::vector<uint64_t>& rows,
                                         const FindBounds& find_bounds, uint32_t partitions) {
  // A row of a partition has another number than that of the table.
  if (partitions < 2 || UsesRowNumbers(*plan)) {
    return std::nullopt;
  }
  return Partitioner(plan, rows, find_bounds).Make(partitions);
}

}  // namespace margay::optimize
