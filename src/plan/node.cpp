#include "plan/node.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "plan/verify.hpp"

namespace margay::plan {

namespace {

template <typename Item, typename Text>
std::string List(const std::vector<Item>& items, Text text) {
  std::string result = "[";
  for (const Item& item : items) {
    result += (result.size() == 1 ? "" : ", ") + text(item);
  }
  return result + "]";
}

std::string_view FunctionName(AggregateFunction function) {
  switch (function) {
    case AggregateFunction::CountStar:
    case AggregateFunction::Count:
      return "count";
    case AggregateFunction::Sum:
      return "sum";
    case AggregateFunction::Average:
      return "avg";
    case AggregateFunction::Min:
      return "min";
    case AggregateFunction::Max:
      return "max";
  }
  throw std::logic_error("Aggregate: unknown function");
}

const std::vector<Type>& InputTypes(const NodePointer& input) {
  if (input == nullptr) {
    throw std::logic_error("Node: the input is missing");
  }
  return input->OutputTypes();
}

//! The types of an input that has no order, for nodes that would lose it.
const std::vector<Type>& UnorderedTypes(const NodePointer& input) {
  const std::vector<Type>& types = InputTypes(input);
  const Node* node = input.get();
  while (node->Kind() == NodeKind::Project)
    node = node->Input().get();
  if (node->Kind() == NodeKind::Order) {
    throw std::logic_error("Node: an Order is below something other than a Project");
  }
  return types;
}

void VerifyPresent(const ExpressionPointer& expression, const std::vector<Type>& input_types) {
  if (expression == nullptr) {
    throw std::logic_error("Node: an expression is missing");
  }
  Verify(*expression, input_types);
}

std::string Line(const Node& node) {
  const auto text = [](const ExpressionPointer& expression) { return expression->ToString(); };
  switch (node.Kind()) {
    case NodeKind::Scan:
      return "SCAN " + node.Table() + " " + List(node.Columns(), [](const ScanColumn& column) {
               return column.name + " " + column.type.ToString();
             });
    case NodeKind::Filter:
      return "FILTER " + node.Predicate()->ToString();
    case NodeKind::Project:
      return "PROJECT " + List(node.Expressions(), text);
    case NodeKind::Join: {
      std::string line = "JOIN " + std::string(JoinKindName(node.GetJoinKind())) + " " +
                         List(node.Keys(), [](const JoinKey& key) {
                           return key.probe->ToString() +
                                  (key.nulls_are_equal ? " IS NOT DISTINCT FROM " : " = ") +
                                  key.build->ToString();
                         });
      return node.Residual() ? line + " AND " + node.Residual()->ToString() : line;
    }
    case NodeKind::Aggregate:
      return "AGGREGATE groups=" + List(node.Expressions(), text) +
             " aggregates=" + List(node.Aggregates(), [](const Aggregate& aggregate) {
               return aggregate.ToString();
             });
    case NodeKind::Order: {
      const RowWindow& window = node.Window();
      return "ORDER " + List(node.OrderKeys(), [](const OrderKey& key) { return key.ToString(); }) +
             (window.limit ? " LIMIT " + std::to_string(*window.limit) : "") +
             (window.offset != 0 ? " OFFSET " + std::to_string(window.offset) : "");
    }
    case NodeKind::Union:
      return node.Build() ? "UNION" : "KEEP";
  }
  throw std::logic_error("Node: unknown kind");
}

}  // namespace

std::string Aggregate::ToString() const {
  return std::string(FunctionName(function)) + "(" +
         (argument == nullptr ? "*" : argument->ToString()) + ")::" + type.ToString();
}

std::string OrderKey::ToString() const {
  return expression->ToString() + (is_descending ? " DESC" : " ASC") +
         (nulls_first ? " NULLS FIRST" : " NULLS LAST");
}

uint64_t RowWindow::End() const {
  constexpr uint64_t kAll = std::numeric_limits<uint64_t>::max();
  if (!limit)
    return kAll;
  if (*limit == 0)
    return 0;
  return *limit > kAll - offset ? kAll : *limit + offset;
}

NodePointer Node::Scan(std::string table, std::vector<ScanColumn> columns) {
  std::shared_ptr<Node> result(new Node(NodeKind::Scan));
  std::unordered_set<std::string> names;
  for (const ScanColumn& column : columns) {
    VerifyType(column.type);
    if (!column.name.empty() && !names.insert(column.name).second) {
      throw std::logic_error("Node::Scan: two columns of " + table + " have the name " +
                             column.name);
    }
    result->output_types_.push_back(column.type);
  }
  result->table_ = std::move(table);
  result->columns_ = std::move(columns);
  return result;
}

NodePointer Node::Filter(NodePointer input, ExpressionPointer predicate) {
  const std::vector<Type>& input_types = UnorderedTypes(input);
  VerifyPresent(predicate, input_types);
  if (!predicate->GetType().IsBoolean()) {
    throw std::logic_error("Node::Filter: the predicate " + predicate->ToString() + " is a " +
                           predicate->GetType().ToString() + ", not a BOOLEAN");
  }
  std::shared_ptr<Node> result(new Node(NodeKind::Filter));
  result->output_types_ = input_types;
  result->input_ = std::move(input);
  result->expressions_.push_back(std::move(predicate));
  return result;
}

NodePointer Node::Project(NodePointer input, std::vector<ExpressionPointer> expressions) {
  const std::vector<Type>& input_types = InputTypes(input);
  std::shared_ptr<Node> result(new Node(NodeKind::Project));
  for (const ExpressionPointer& expression : expressions) {
    VerifyPresent(expression, input_types);
    result->output_types_.push_back(expression->GetType());
  }
  result->input_ = std::move(input);
  result->expressions_ = std::move(expressions);
  return result;
}

NodePointer Node::Join(JoinKind kind, NodePointer probe, NodePointer build,
                       std::vector<JoinKey> keys, ExpressionPointer residual) {
  const std::vector<Type>& probe_types = UnorderedTypes(probe);
  const std::vector<Type>& build_types = UnorderedTypes(build);
  for (const JoinKey& key : keys) {
    VerifyPresent(key.probe, probe_types);
    VerifyPresent(key.build, build_types);
    if (key.probe->GetType() != key.build->GetType()) {
      throw std::logic_error("Node::Join: the keys " + key.probe->ToString() + " and " +
                             key.build->ToString() + " have different types");
    }
  }
  std::vector<Type> both = probe_types;
  both.insert(both.end(), build_types.begin(), build_types.end());
  if (residual != nullptr) {
    Verify(*residual, both);
    if (!residual->GetType().IsBoolean()) {
      throw std::logic_error("Node::Join: the predicate " + residual->ToString() +
                             " is not a BOOLEAN");
    }
  }
  std::shared_ptr<Node> result(new Node(NodeKind::Join));
  const bool gives_both = kind == JoinKind::Inner || kind == JoinKind::Left;
  result->output_types_ = gives_both ? both : probe_types;
  result->join_kind_ = kind;
  result->input_ = std::move(probe);
  result->build_ = std::move(build);
  result->keys_ = std::move(keys);
  result->residual_ = std::move(residual);
  return result;
}

NodePointer Node::GroupBy(NodePointer input, std::vector<ExpressionPointer> groups,
                          std::vector<Aggregate> aggregates) {
  const std::vector<Type>& input_types = UnorderedTypes(input);
  if (groups.empty() && aggregates.empty()) {
    throw std::logic_error("Node::GroupBy: neither groups nor aggregates");
  }
  std::shared_ptr<Node> result(new Node(NodeKind::Aggregate));
  for (const ExpressionPointer& group : groups) {
    VerifyPresent(group, input_types);
    result->output_types_.push_back(group->GetType());
  }
  for (const Aggregate& aggregate : aggregates) {
    Verify(aggregate, input_types);
    result->output_types_.push_back(aggregate.type);
  }
  result->input_ = std::move(input);
  result->expressions_ = std::move(groups);
  result->aggregates_ = std::move(aggregates);
  return result;
}

NodePointer Node::Order(NodePointer input, std::vector<OrderKey> keys, RowWindow window) {
  const std::vector<Type>& input_types = UnorderedTypes(input);
  for (const OrderKey& key : keys)
    VerifyPresent(key.expression, input_types);
  std::shared_ptr<Node> result(new Node(NodeKind::Order));
  result->output_types_ = input_types;
  result->input_ = std::move(input);
  result->order_keys_ = std::move(keys);
  result->window_ = window;
  return result;
}

NodePointer Node::Union(NodePointer first, NodePointer second) {
  const std::vector<Type>& types = UnorderedTypes(first);
  if (types.empty() || (second && types != UnorderedTypes(second))) {
    throw std::logic_error("Node::Union: no columns, or columns of different types");
  }
  std::shared_ptr<Node> result(new Node(NodeKind::Union));
  result->output_types_ = types;
  result->input_ = std::move(first);
  result->build_ = std::move(second);
  return result;
}

std::string Node::ToString() const {
  std::string result = Line(*this);
  for (const NodePointer& input : {input_, build_}) {
    if (input == nullptr) {
      continue;
    }
    result += "\n  ";
    for (char character : input->ToString()) {
      result += character;
      if (character == '\n') {
        result += "  ";
      }
    }
  }
  return result;
}

const Node& BottomScan(const Node& node) {
  const Node* bottom = &node;
  while (bottom->Input() != nullptr) {
    bottom = bottom->Input().get();
  }
  return *bottom;
}

std::vector<const Node*> Scans(const Node& node) {
  if (node.Kind() == NodeKind::Scan) {
    return {&node};
  }
  std::vector<const Node*> scans = Scans(*node.Input());
  if (node.Build() != nullptr) {
    const std::vector<const Node*> build = Scans(*node.Build());
    scans.insert(scans.end(), build.begin(), build.end());
  }
  return scans;
}

std::vector<NodePointer> UnionInputs(const NodePointer& node) {
  if (node->Kind() != NodeKind::Union) {
    return {node};
  }
  std::vector<NodePointer> inputs = UnionInputs(node->Input());
  if (!node->Build()) {
    return inputs;
  }
  const std::vector<NodePointer> others = UnionInputs(node->Build());
  inputs.insert(inputs.end(), others.begin(), others.end());
  return inputs;
}

bool KeepsOrderOfScans(const Node& node) {
  switch (node.Kind()) {
    case NodeKind::Scan:
      return true;
    case NodeKind::Filter:
    case NodeKind::Project:
      return KeepsOrderOfScans(*node.Input());
    case NodeKind::Union:
      return KeepsOrderOfScans(*node.Input()) &&
             (!node.Build() || KeepsOrderOfScans(*node.Build()));
    case NodeKind::Order:
      return node.OrderKeys().empty() && KeepsOrderOfScans(*node.Input());
    default:
      return false;
  }
}

std::vector<ExpressionPointer> OutputColumns(const Node& node, size_t offset) {
  std::vector<ExpressionPointer> columns;
  for (const Type& type : node.OutputTypes()) {
    columns.push_back(Expression::Column(offset + columns.size(), type, {}));
  }
  return columns;
}

std::string_view JoinKindName(JoinKind kind) {
  switch (kind) {
    case JoinKind::Inner:
      return "INNER";
    case JoinKind::Left:
      return "LEFT";
    case JoinKind::Semi:
      return "SEMI";
    case JoinKind::Anti:
      return "ANTI";
  }
  throw std::logic_error("JoinKindName: unknown kind");
}

namespace {

//! Whether a dictionary function in `expression` is one that `predicate` holds for.
template <typename Predicate>
bool HoldsFunction(const Expression& expression, const Predicate& predicate) {
  if (expression.GetOperation() == Operation::Dictionary && predicate(expression.Function())) {
    return true;
  }
  return std::any_of(
      expression.Operands().begin(), expression.Operands().end(),
      [&](const ExpressionPointer& operand) { return HoldsFunction(*operand, predicate); });
}

//! Appends the expressions of `node` and below.
void AddExpressions(const Node& node, std::vector<ExpressionPointer>& expressions) {
  expressions.insert(expressions.end(), node.Expressions().begin(), node.Expressions().end());
  for (const Aggregate& aggregate : node.Aggregates()) {
    if (aggregate.argument) {
      expressions.push_back(aggregate.argument);
    }
  }
  for (const JoinKey& key : node.Keys()) {
    expressions.insert(expressions.end(), {key.probe, key.build});
  }
  if (node.Residual()) {
    expressions.push_back(node.Residual());
  }
  for (const OrderKey& key : node.OrderKeys()) {
    expressions.push_back(key.expression);
  }
  for (const NodePointer& input : {node.Input(), node.Build()}) {
    if (input) {
      AddExpressions(*input, expressions);
    }
  }
}

bool HoldsRowNumber(const Expression& expression) {
  const auto& operands = expression.Operands();
  return expression.GetOperation() == Operation::RowNumber ||
         std::any_of(operands.begin(), operands.end(),
                     [](const ExpressionPointer& operand) { return HoldsRowNumber(*operand); });
}

template <typename Predicate>
bool UsesFunction(const Node& node, const Predicate& predicate) {
  std::vector<ExpressionPointer> expressions;
  AddExpressions(node, expressions);
  return std::any_of(
      expressions.begin(), expressions.end(),
      [&](const ExpressionPointer& expression) { return HoldsFunction(*expression, predicate); });
}

bool SameOrNone(const ExpressionPointer& left, const ExpressionPointer& right) {
  return left && right ? SameExpression(*left, *right) : left == right;
}

bool SameOrNone(const NodePointer& left, const NodePointer& right) {
  return left && right ? SameNode(*left, *right) : left == right;
}

bool SameColumn(const ScanColumn& left, const ScanColumn& right) {
  return left.id == right.id && left.type == right.type;
}

bool SameAggregate(const Aggregate& left, const Aggregate& right) {
  return left.function == right.function && left.type == right.type &&
         SameOrNone(left.argument, right.argument);
}

bool SameKey(const JoinKey& left, const JoinKey& right) {
  return left.nulls_are_equal == right.nulls_are_equal && SameOrNone(left.probe, right.probe) &&
         SameOrNone(left.build, right.build);
}

bool SameOrderKey(const OrderKey& left, const OrderKey& right) {
  return left.is_descending == right.is_descending && left.nulls_first == right.nulls_first &&
         SameOrNone(left.expression, right.expression);
}

template <typename Item, typename Same>
bool AllSame(const std::vector<Item>& left, const std::vector<Item>& right, const Same& same) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), same);
}

}  // namespace

NodePointer WithInputs(const Node& node, NodePointer input, NodePointer build) {
  switch (node.Kind()) {
    case NodeKind::Scan:
      return Node::Scan(node.Table(), node.Columns());
    case NodeKind::Filter:
      return Node::Filter(std::move(input), node.Predicate());
    case NodeKind::Project:
      return Node::Project(std::move(input), node.Expressions());
    case NodeKind::Join:
      return Node::Join(node.GetJoinKind(), std::move(input), std::move(build), node.Keys(),
                        node.Residual());
    case NodeKind::Aggregate:
      return Node::GroupBy(std::move(input), node.Expressions(), node.Aggregates());
    case NodeKind::Order:
      return Node::Order(std::move(input), node.OrderKeys(), node.Window());
    case NodeKind::Union:
      return Node::Union(std::move(input), std::move(build));
  }
  throw std::logic_error("WithInputs: unknown kind of node");
}

bool SameNode(const Node& left, const Node& right) {
  if (&left == &right) {
    return true;
  }
  return left.Kind() == right.Kind() && left.Table() == right.Table() &&
         left.GetJoinKind() == right.GetJoinKind() && left.Window().limit == right.Window().limit &&
         left.Window().offset == right.Window().offset &&
         left.OutputTypes() == right.OutputTypes() &&
         AllSame(left.Columns(), right.Columns(), SameColumn) &&
         AllSame(left.Expressions(), right.Expressions(),
                 [](const auto& one, const auto& other) { return SameOrNone(one, other); }) &&
         AllSame(left.Aggregates(), right.Aggregates(), SameAggregate) &&
         AllSame(left.Keys(), right.Keys(), SameKey) &&
         AllSame(left.OrderKeys(), right.OrderKeys(), SameOrderKey) &&
         SameOrNone(left.Residual(), right.Residual()) && SameOrNone(left.Input(), right.Input()) &&
         SameOrNone(left.Build(), right.Build());
}

size_t HashOf(const Node& node) {
  // Orders, windows and kinds of aggregates rarely tell plans apart alone: equality looks at them.
  size_t hash = std::hash<std::string>()(node.Table());
  const auto mix = [&](uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
  };
  mix(static_cast<uint64_t>(node.Kind()) << 8 | static_cast<uint64_t>(node.GetJoinKind()));
  for (const ScanColumn& column : node.Columns()) {
    mix(column.id);
  }
  for (const ExpressionPointer& expression : node.Expressions()) {
    mix(HashOf(*expression));
  }
  for (const Aggregate& aggregate : node.Aggregates()) {
    mix(static_cast<uint64_t>(aggregate.function));
    mix(aggregate.argument ? HashOf(*aggregate.argument) : 0);
  }
  for (const JoinKey& key : node.Keys()) {
    mix(HashOf(*key.probe));
    mix(HashOf(*key.build));
  }
  mix(node.Residual() ? HashOf(*node.Residual()) : 0);
  for (const NodePointer& input : {node.Input(), node.Build()}) {
    mix(input ? HashOf(*input) : 0);
  }
  return hash;
}

bool UsesDictionaryFunctions(const Node& node) {
  return UsesFunction(node, [](const DictionaryFunction&) { return true; });
}

bool DependsOnSettings(const Node& node) {
  return UsesFunction(
      node, [](const DictionaryFunction& function) { return !function.DependsOnTextAlone(); });
}

bool UsesRowNumbers(const Node& node) {
  std::vector<ExpressionPointer> expressions;
  AddExpressions(node, expressions);
  return std::any_of(
      expressions.begin(), expressions.end(),
      [](const ExpressionPointer& expression) { return HoldsRowNumber(*expression); });
}

}  // namespace margay::plan
