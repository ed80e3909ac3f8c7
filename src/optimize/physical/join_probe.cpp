#include "optimize/physical/join_probe.hpp"

#include <algorithm>

#include "optimize/unsupported.hpp"

namespace margay::optimize {

namespace {

//! Builds the slot of an entry with some keys.
class SlotBuilder {
 public:
  //! `expressions` are what the keys are computed by. All outlive the object.
  SlotBuilder(const JoinTable& table, const std::vector<Value>& keys,
              const std::vector<plan::ExpressionPointer>& expressions, ValueBuilder& builder)
      : table_(table),
        keys_(keys),
        expressions_(expressions),
        builder_(builder),
        graph_(builder.Graph()) {}

  JoinSlot Build() {
    for (size_t i = 0; i < keys_.size(); i++) {
      if (keys_[i].CanBeNull() && !table_.holds_null[i])
        Require(graph_.Not(keys_[i].null));
    }
    if (!table_.is_direct)
      slot_.index.node = Hash();
    else
      AddDirectKeys();
    for (const Value& key : keys_)
      slot_.index.faults.insert(slot_.index.faults.end(), key.faults.begin(), key.faults.end());
    return std::move(slot_);
  }

 private:
  bool IsNullHeld(size_t key) const { return keys_[key].CanBeNull() && table_.holds_null[key]; }

  void Require(const Node* condition) {
    slot_.exists = slot_.exists == nullptr ? condition : graph_.And(slot_.exists, condition);
  }

  const Node* Hash() {
    const Node* hash = graph_.Literal(0, Machine::Int64);
    for (size_t i = 0; i < keys_.size(); i++) {
      const bool is_wide = keys_[i].GetMachine() == Machine::Wide;
      const Machine machine = is_wide ? Machine::Wide : Machine::Int64;
      const Node* word = builder_.Convert(keys_[i], machine);
      if (IsNullHeld(i))
        word = graph_.Select(keys_[i].null, graph_.Literal(0, machine), word);
      hash = graph_.Call(Machine::Int64, is_wide ? "hash_wide" : "hash_word", {hash, word});
    }
    return hash;
  }

  void AddDirectKeys() {
    for (const JoinTable::DirectKey& direct : table_.direct_keys)
      AddDirectKey(direct);
    if (table_.direct_keys.empty())
      slot_.index.node = graph_.Literal(0, Machine::Int64);
  }

  void AddDirectKey(const JoinTable::DirectKey& direct) {
    const Value& key = keys_[direct.key];
    const Node* held_null = IsNullHeld(direct.key) ? key.null : nullptr;
    const Range places = key.range - Range::Of(direct.low);
    const Range inside{0, static_cast<Int128>(direct.values) - 1, true};
    const bool is_narrow = key.GetMachine() == Machine::Int32 && places.FitsIn(32);
    const Machine machine = is_narrow ? Machine::Int32 : Machine::Int64;
    if (key.GetMachine() == Machine::Wide) {
      const Node* low = graph_.Convert(key.node, Machine::Int64);
      Require(builder_.Either(
          graph_.Call(Machine::Int32, "wide_equal", {key.node, graph_.Convert(low, Machine::Wide)}),
          held_null));
    }
    const Node* value = builder_.Convert(key, machine);
    const Node* low = builder_.Integer(direct.low, machine);
    const Node* values = builder_.Integer(static_cast<Int128>(direct.values), machine);
    // A computed value that raised a fault may lie outside of its range.
    const bool is_certain = expressions_[direct.key]->GetOperation() == plan::Operation::Column;
    if (!is_certain || !inside.Contains(places))
      Require(builder_.Either(graph_.InRange(value, low, values), held_null));
    // What is outside has no entry, so that the place counts only where it is positive.
    const Node* place = graph_.Wrapping("-", value, low);
    if (held_null != nullptr)
      place = graph_.Select(held_null, values, place);
    place = graph_.Convert(place, Machine::Int64);
    if (direct.stride != 1)
      place = graph_.Wrapping("*", place,
                              builder_.Integer(static_cast<Int128>(direct.stride), Machine::Int64));
    Value& index = slot_.index;
    index.node = index.node == nullptr ? place : graph_.Wrapping("+", index.node, place);
  }

  const JoinTable& table_;
  const std::vector<Value>& keys_;
  const std::vector<plan::ExpressionPointer>& expressions_;
  ValueBuilder& builder_;
  NodeGraph& graph_;
  JoinSlot slot_;
};

//! A key of the probe side as the build side would hold it. Throws Unsupported.
Value BuildProbeKey(const plan::JoinKey& key, ValueBuilder& builder) {
  Value value = builder.AsOrdered(builder.Build(key.probe));
  if (!key.probe->GetType().IsVarchar())
    return value;
  if (key.probe->GetOperation() != plan::Operation::Column ||
      key.build->GetOperation() != plan::Operation::Column) {
    throw Unsupported("a join by the string " + key.probe->ToString());
  }
  const auto& columns = builder.Context().columns;
  const auto& from = columns[key.probe->ColumnIndex()].form->GetDictionary();
  const auto& to = columns[key.build->ColumnIndex()].form->GetDictionary();
  if (from == to)
    return value;
  // The code of the same string in the other dictionary, or -1. Both are sorted.
  std::vector<int32_t> codes(std::max<size_t>(from->Size(), 1), -1);
  for (size_t i = 0, j = 0; i < from->Size(); i++) {
    while (j < to->Size() && to->Value(j) < from->Value(i))
      j++;
    if (j < to->Size() && to->Value(j) == from->Value(i))
      codes[i] = static_cast<int32_t>(j);
  }
  NodeGraph& graph = builder.Graph();
  const Node* code = value.CanBeNull()
                         ? graph.Select(value.null, graph.Literal(0, Machine::Int32), value.node)
                         : value.node;
  value.node = graph.Element(Machine::Int32, builder.GetParameters().AddTable(std::move(codes)),
                             "int", code);
  value.range = value.domain = {-1, static_cast<Int128>(to->Size()) - 1, true};
  return value;
}

//! See JoinProbe::equalities; `holds_null`: entries may have NULL, which matches NULL.
Value BuildEquality(const Value& probe, const Value& build, bool holds_null,
                    ValueBuilder& builder) {
  NodeGraph& graph = builder.Graph();
  Value equal;
  equal.faults = build.faults;
  equal.node = builder.Compare(plan::Operation::Equal, probe, build);
  if (!holds_null)
    return equal;
  if (!probe.CanBeNull())
    equal.node = graph.And(graph.Not(build.null), equal.node);
  else
    equal.node = graph.Select(graph.Or(probe.null, build.null), graph.And(probe.null, build.null),
                              equal.node);
  return equal;
}

}  // namespace

JoinInsert JoinInsert::Of(const std::vector<plan::ExpressionPointer>& keys, const JoinTable& table,
                          ValueBuilder& builder) {
  JoinInsert insert;
  for (const plan::ExpressionPointer& key : keys)
    insert.keys.push_back(builder.AsOrdered(builder.Build(key)));
  insert.slot = SlotBuilder(table, insert.keys, keys, builder).Build();
  return insert;
}

JoinProbe JoinProbe::Of(const PipelineJoin& join, const JoinTable& table, ValueBuilder& builder) {
  JoinProbe probe;
  std::vector<plan::ExpressionPointer> expressions;
  for (const plan::JoinKey& key : join.keys) {
    probe.keys.push_back(BuildProbeKey(key, builder));
    expressions.push_back(key.probe);
  }
  probe.slot = SlotBuilder(table, probe.keys, expressions, builder).Build();
  for (size_t i : table.compared_keys) {
    const Value build = builder.AsOrdered(builder.Build(join.keys[i].build));
    probe.equalities.push_back(BuildEquality(probe.keys[i], build, table.holds_null[i], builder));
  }
  if (join.residual)
    probe.residual = builder.Build(join.residual);
  for (const plan::ExpressionPointer& conjunct : join.conjuncts)
    probe.conjuncts.push_back(builder.Build(conjunct));
  return probe;
}

}  // namespace margay::optimize
