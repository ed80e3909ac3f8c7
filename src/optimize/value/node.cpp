#include "optimize/value/node.hpp"

#include <bit>
#include <functional>
#include <tuple>
#include <utility>

namespace margay::optimize {

namespace {

//! A FLAG parameter has this symbol: no number in the vector dialect.
constexpr const char* kFlagSymbol = "flag";

auto Fields(const Node& node) {
  return std::tie(node.kind, node.machine, node.number, node.integer, node.symbol, node.operands);
}

bool IsFlag(const Node* node, uint64_t value) {
  return node->kind == NodeKind::Flag && node->number == value;
}

}  // namespace

size_t NodeGraph::Hash::operator()(const Node* node) const {
  size_t hash = std::hash<std::string>()(node->symbol);
  const auto mix = [&](uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
  };
  mix(static_cast<uint64_t>(node->kind) << 8 | static_cast<uint64_t>(node->machine));
  mix(node->number);
  mix(static_cast<uint64_t>(node->integer));
  for (const Node* operand : node->operands)
    mix(operand->id);
  return hash;
}

bool NodeGraph::Equal::operator()(const Node* left, const Node* right) const {
  return Fields(*left) == Fields(*right);
}

const Node* NodeGraph::Make(Node node) {
  const auto known = known_.find(&node);
  if (known != known_.end())
    return *known;
  node.id = nodes_.size();
  const Node* made = &nodes_.emplace_back(std::move(node));
  known_.insert(made);
  return made;
}

const Node* NodeGraph::Column(size_t column, Machine machine) {
  return Make({NodeKind::Column, machine, column});
}

const Node* NodeGraph::ColumnNull(size_t column) {
  return Make({NodeKind::ColumnNull, Machine::Int32, column});
}

const Node* NodeGraph::Missing(size_t table) {
  return Make({NodeKind::Missing, Machine::Int32, table});
}

const Node* NodeGraph::RowNumber(size_t table, Machine machine) {
  return Make({NodeKind::RowNumber, machine, table});
}

const Node* NodeGraph::TextRow(size_t column) {
  return Make({NodeKind::TextRow, Machine::Int32, column});
}

const Node* NodeGraph::Interned(size_t text) {
  return Make({NodeKind::Interned, Machine::Int32, text});
}

const Node* NodeGraph::GroupWord(size_t word) {
  return Make({NodeKind::GroupWord, Machine::Int64, word});
}

const Node* NodeGraph::GroupIndex(size_t word) {
  return Make({NodeKind::GroupIndex, Machine::Int64, word});
}

const Node* NodeGraph::Parameter(size_t parameter, Machine machine) {
  return Make({NodeKind::Parameter, machine, parameter});
}

const Node* NodeGraph::FlagParameter(size_t parameter) {
  return Make({NodeKind::Parameter, Machine::Int32, parameter, 0, kFlagSymbol});
}

const Node* NodeGraph::Literal(Int128 value, Machine machine) {
  return Make({NodeKind::Literal, machine, 0, value});
}

const Node* NodeGraph::Real(double value, Machine machine) {
  return Make({NodeKind::Real, machine, 0, std::bit_cast<int64_t>(value)});
}

const Node* NodeGraph::Flag(bool is_set) {
  return Make({NodeKind::Flag, Machine::Int32, is_set ? 1u : 0u});
}

const Node* NodeGraph::Table(size_t parameter, const std::string& element) {
  return Make({NodeKind::Table, Machine::Int64, parameter, 0, element});
}

const Node* NodeGraph::Convert(const Node* value, Machine machine) {
  if (value->machine == machine)
    return value;
  return Make({NodeKind::Convert, machine, 0, 0, {}, {value}});
}

const Node* NodeGraph::Wrapping(const std::string& symbol, const Node* a, const Node* b) {
  return Make({NodeKind::Wrapping, a->machine, 0, 0, symbol, {a, b}});
}

const Node* NodeGraph::Compare(const std::string& symbol, const Node* a, const Node* b) {
  return Make({NodeKind::Compare, Machine::Int32, 0, 0, symbol, {a, b}});
}

const Node* NodeGraph::And(const Node* a, const Node* b) {
  if (IsFlag(a, 1) || a == b)
    return b;
  if (IsFlag(b, 1))
    return a;
  return Make({NodeKind::And, Machine::Int32, 0, 0, {}, {a, b}});
}

const Node* NodeGraph::Or(const Node* a, const Node* b) {
  if (IsFlag(a, 0) || a == b)
    return b;
  if (IsFlag(b, 0))
    return a;
  return Make({NodeKind::Or, Machine::Int32, 0, 0, {}, {a, b}});
}

const Node* NodeGraph::Not(const Node* flag) {
  if (flag->kind == NodeKind::Flag)
    return Flag(flag->number == 0);
  if (flag->kind == NodeKind::Not)
    return flag->operands[0];
  return Make({NodeKind::Not, Machine::Int32, 0, 0, {}, {flag}});
}

const Node* NodeGraph::Select(const Node* condition, const Node* yes, const Node* no) {
  return Make({NodeKind::Select, yes->machine, 0, 0, {}, {condition, yes, no}});
}

const Node* NodeGraph::Calendar(const std::string& function, bool is_recent,
                                std::vector<const Node*> operands) {
  return Make(
      {NodeKind::Calendar, Machine::Int32, is_recent ? 1u : 0u, 0, function, std::move(operands)});
}

const Node* NodeGraph::Sign(const Node* is_above, const Node* is_below) {
  return Make({NodeKind::Sign, Machine::Int32, 0, 0, {}, {is_above, is_below}});
}

const Node* NodeGraph::InRange(const Node* value, const Node* low, const Node* count) {
  return Make({NodeKind::InRange, Machine::Int32, 0, 0, {}, {value, low, count}});
}

const Node* NodeGraph::Infix(Machine machine, const std::string& symbol, const Node* a,
                             const Node* b) {
  return Make({NodeKind::Infix, machine, 0, 0, symbol, {a, b}});
}

const Node* NodeGraph::Call(Machine machine, const std::string& function,
                            std::vector<const Node*> operands) {
  return Make({NodeKind::Call, machine, 0, 0, function, std::move(operands)});
}

const Node* NodeGraph::Like(const Node* text, const Node* pattern, bool has_needle) {
  return Make(
      {NodeKind::Call, Machine::Int32, has_needle ? 1u : 0u, 0, "text_like", {text, pattern}});
}

const Node* NodeGraph::CallOutput(Machine machine, Machine output, const std::string& function,
                                  std::vector<const Node*> operands) {
  return Make({NodeKind::CallOutput, machine, static_cast<uint64_t>(output), 0, function,
               std::move(operands)});
}

const Node* NodeGraph::Output(const Node* call) {
  return Make({NodeKind::Output, static_cast<Machine>(call->number), 0, 0, {}, {call}});
}

const Node* NodeGraph::Member(const Node* wide, const std::string& field) {
  return Make({NodeKind::Member, Machine::Int64, 0, 0, field, {wide}});
}

const Node* NodeGraph::Element(Machine machine, size_t parameter, const std::string& element,
                               const Node* entry) {
  return Make({NodeKind::Element, machine, parameter, 0, element, {entry}});
}

const Node* NodeGraph::Bit(size_t parameter, const Node* place, const Node* is_inside) {
  return Make({NodeKind::Bit, Machine::Int32, parameter, 0, {}, {place, is_inside}});
}

const Node* NodeGraph::TextColumn(size_t column) {
  Require("text.cl");
  return Make({NodeKind::TextColumn, Machine::Text, column});
}

const Node* NodeGraph::TextConstant(size_t parameter, const Node* bytes) {
  return Make({NodeKind::TextConstant, Machine::Text, parameter, 0, {}, {bytes}});
}

const Node* NodeGraph::TextSlice(const Node* text, const Node* begin, const Node* end) {
  Require("text_slice.cl");
  return Make({NodeKind::TextSlice, Machine::Text, 0, 0, {}, {text, begin, end}});
}

const Node* NodeGraph::TextTrim(const std::string& function, const Node* text,
                                const Node* characters) {
  Require("text_slice.cl");
  return Make({NodeKind::TextTrim, Machine::Text, 0, 0, function, {text, characters}});
}

const Node* NodeGraph::TextEntry(const Node* code, const Node* begin, size_t column) {
  Require("text.cl");
  return Make({NodeKind::TextEntry, Machine::Text, column, 0, {}, {code, begin}});
}

const Node* NodeGraph::TextEntry(const Node* code, const Node* begin, const Node* table) {
  Require("text.cl");
  return Make({NodeKind::TextEntry, Machine::Text, 0, 0, {}, {code, begin, table}});
}

}  // namespace margay::optimize
