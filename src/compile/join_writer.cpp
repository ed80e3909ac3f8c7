#include "compile/join_writer.hpp"

#include <algorithm>

#include "compile/refusal.hpp"

namespace margay::compile {

using plan::JoinKind;

namespace {

//! The variable of a found entry's number.
std::string Entry(const JoinTable& table) {
  return table.is_numbered ? "entry" + std::to_string(table.number) : JoinedRow(table.table);
}

//! The variable of the entry that the search for matches looks at next.
std::string Next(const JoinTable& table) {
  return "next" + std::to_string(table.number);
}

void AddCondition(std::string& all, const std::string& condition) {
  all += all.empty() ? condition : " & " + condition;
}

}  // namespace

std::string JoinWriter::Heads(const JoinTable& table) {
  return "heads" + std::to_string(table.number);
}

std::string JoinWriter::Bits(const JoinTable& table) {
  return "bits" + std::to_string(table.number);
}

std::string JoinWriter::Counts(const JoinTable& table) {
  return "counts" + std::to_string(table.number);
}

std::string JoinWriter::Nexts(const JoinTable& table) {
  return "nexts" + std::to_string(table.number);
}

std::string JoinWriter::Links(const JoinTable& table, size_t linked) {
  return "links" + std::to_string(table.number) + "_" + std::to_string(linked);
}

std::string JoinWriter::LastSlot(const JoinTable& table) {
  return "last_slot" + std::to_string(table.number);
}

JoinWriter::Slot JoinWriter::WriteSlot(const JoinTable& table, const std::vector<Value>& keys,
                                       const std::vector<plan::ExpressionPointer>& expressions) {
  Slot slot;
  const auto is_null_held = [&](size_t key) {
    return keys[key].CanBeNull() && table.holds_null[key];
  };
  for (size_t i = 0; i < keys.size(); i++) {
    if (keys[i].CanBeNull() && !table.holds_null[i])
      AddCondition(slot.exists, "(!" + keys[i].null + ")");
  }
  if (!table.is_direct) {
    std::string hash = "0UL";
    for (size_t i = 0; i < keys.size(); i++) {
      const bool is_wide = keys[i].machine == Machine::Wide;
      std::string code = is_wide ? keys[i].code : writer_.Convert(keys[i], Machine::Int64);
      if (is_null_held(i))
        code = "(" + keys[i].null + " ? " + (is_wide ? "wide_from_long(0)" : "0L") + " : " + code +
               ")";
      hash = is_wide ? "hash_wide(" + hash + ", " + code + ")"
                     : "hash_word(" + hash + ", (ulong)" + code + ")";
    }
    slot.code = hash + " & " + LastSlot(table);
  } else if (table.direct_keys.empty()) {
    slot.code = "0";
  } else {
    for (const JoinTable::DirectKey& direct : table.direct_keys) {
      const Value& key = keys[direct.key];
      const Range places = key.range - Range::Of(direct.low);
      const Range inside{0, static_cast<Int128>(direct.values) - 1, true};
      const bool is_narrow = key.machine == Machine::Int32 && places.FitsIn(32);
      const Machine machine = is_narrow ? Machine::Int32 : Machine::Int64;
      const std::string word = is_narrow ? "uint" : "ulong";
      const std::string or_null = is_null_held(direct.key) ? key.null + " | " : "";
      if (key.machine == Machine::Wide) {
        AddCondition(slot.exists, "(" + or_null + "wide_equal(" + key.code +
                                      ", wide_from_long((long)" + key.code + ".low)))");
      }
      std::string place = "v" + std::to_string(context_.variables++);
      block_.Line("const " + word + " " + place + " = (" + word + ")" +
                  writer_.Convert(key, machine) + " - (" + word + ")" +
                  context_.parameters.AddInteger(direct.low, machine) + ";");
      // A computed value that raised a fault may lie outside of its range.
      const bool is_certain = expressions[direct.key]->GetOperation() == plan::Operation::Column;
      if (!is_certain || !inside.Contains(places)) {
        AddCondition(
            slot.exists,
            "(" + or_null + "(" + place + " < (" + word + ")" +
                context_.parameters.AddInteger(static_cast<Int128>(direct.values), machine) + "))");
      }
      if (is_null_held(direct.key)) {
        place = "(" + key.null + " ? (" + word + ")" +
                context_.parameters.AddInteger(static_cast<Int128>(direct.values), machine) +
                " : " + place + ")";
      }
      std::string term = "(ulong)" + place;
      if (direct.stride != 1) {
        term += " * (ulong)" +
                context_.parameters.AddInteger(static_cast<Int128>(direct.stride), Machine::Int64);
      }
      slot.code += slot.code.empty() ? term : " + " + term;
    }
  }
  const std::string name = "slot" + std::to_string(table.number);
  block_.Line("const ulong " + name + " = " + slot.code + ";");
  slot.code = name;
  return slot;
}

Value JoinWriter::WriteProbeKey(const plan::JoinKey& key) {
  Value value = writer_.AsOrdered(writer_.Write(key.probe));
  if (!key.probe->GetType().IsVarchar())
    return value;
  if (key.probe->GetOperation() != plan::Operation::Column ||
      key.build->GetOperation() != plan::Operation::Column) {
    throw Unsupported("a join by the string " + key.probe->ToString());
  }
  const auto& from = context_.columns[key.probe->ColumnIndex()].form->GetDictionary();
  const auto& to = context_.columns[key.build->ColumnIndex()].form->GetDictionary();
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
  const std::string offset =
      context_.parameters.AddLookup(codes.data(), codes.size() * sizeof(int32_t));
  const std::string code =
      value.CanBeNull() ? writer_.Declare(Machine::Int32, value.null + " ? 0 : " + value.code)
                        : value.code;
  value.code = writer_.Declare(Machine::Int32,
                               "((__global const int*)(lookups + " + offset + "))[" + code + "]");
  value.range = value.domain = {-1, static_cast<Int128>(to->Size()) - 1, true};
  return value;
}

std::string JoinWriter::EqualCode(ExpressionWriter& writer, const Value& probe, const Value& build,
                                  bool holds_null) {
  const std::string equal = writer.CompareCode(plan::Operation::Equal, probe, build);
  if (!holds_null)
    return equal;
  if (!probe.CanBeNull())
    return "(!" + build.null + " & " + equal + ")";
  return "((" + probe.null + " | " + build.null + ") ? (" + probe.null + " & " + build.null +
         ") : " + equal + ")";
}

void JoinWriter::WriteStep(const JoinTable& table) {
  if (!table.keys_are_unique)
    block_.Line("steps++;");
}

void JoinWriter::WriteLinks(const JoinTable& table, bool can_be_missing) {
  const std::string entry = Entry(table);
  for (size_t linked : table.links) {
    const std::string link = Links(table, linked) + "[" + entry + "]";
    block_.Line("const int " + JoinedRow(linked) + " = " +
                (can_be_missing ? entry + " < 0 ? -1 : " + link : link) + ";");
  }
}

void JoinWriter::WriteMatch(const PipelineJoin& join, const JoinTable& table,
                            const std::vector<Value>& keys) {
  // Values that are written here are good here only.
  ExpressionWriter writer(writer_);
  const std::string is_match = "is_match" + std::to_string(table.number);
  if (!table.compared_keys.empty()) {
    std::string equal;
    for (size_t i : table.compared_keys) {
      const Value build = writer.AsOrdered(writer.Write(join.keys[i].build));
      AddCondition(equal, EqualCode(writer, keys[i], build, table.holds_null[i]));
    }
    block_.Line(is_match + " = " + equal + ";");
  }
  if (!join.residual)
    return;
  block_.Open("if (" + is_match + ") {");
  block_.Line(is_match + " = " + writer.IsTrue(writer.Write(join.residual)) + ";");
  block_.Close();
}

std::vector<Value> JoinWriter::WriteProbeKeys(const PipelineJoin& join) {
  std::vector<Value> keys;
  keys.reserve(join.keys.size());
  for (const plan::JoinKey& key : join.keys)
    keys.push_back(WriteProbeKey(key));
  return keys;
}

JoinWriter::Slot JoinWriter::WriteProbeSlot(const PipelineJoin& join, const JoinTable& table,
                                            const std::vector<Value>& keys) {
  std::vector<plan::ExpressionPointer> expressions;
  for (const plan::JoinKey& key : join.keys)
    expressions.push_back(key.probe);
  Slot slot = WriteSlot(table, keys, expressions);
  if (!table.has_bits)
    return slot;
  const std::string number = std::to_string(table.number);
  const std::string place = "place" + number, taken = "taken" + number;
  // Slot 0 in place of none, rather than a branch.
  block_.Line("const ulong " + place + " = " +
              (slot.exists.empty() ? slot.code : "(" + slot.exists + ") ? " + slot.code + " : 0") +
              ";");
  std::string is_taken =
      "(int)((" + Bits(table) + "[" + place + " >> 5] >> (uint)(" + place + " & 31)) & 1u)";
  if (!slot.exists.empty())
    AddCondition(is_taken, slot.exists);
  block_.Line("const int " + taken + " = " + is_taken + ";");
  slot.exists = taken;
  return slot;
}

std::string JoinWriter::WriteTaken(const PipelineJoin& join, const JoinTable& table) {
  return WriteProbeSlot(join, table, WriteProbeKeys(join)).exists;
}

std::string JoinWriter::HeadCode(const PipelineJoin& join, const JoinTable& table,
                                 const std::vector<Value>& keys) {
  const Slot slot = WriteProbeSlot(join, table, keys);
  if (table.is_bitmap)
    return slot.exists + " - 1";
  if (table.is_ranked) {
    const std::string place = "place" + std::to_string(table.number);
    const std::string word = "[" + place + " >> 5]";
    return slot.exists + " ? (int)(" + Counts(table) + word + " + popcount(" + Bits(table) + word +
           " & ((1u << (uint)(" + place + " & 31)) - 1u))) : -1";
  }
  if (slot.exists.empty())
    return "(int)" + Heads(table) + "[" + slot.code + "] - 1";
  // Slot 0 in place of none, rather than a branch.
  return "((" + slot.exists + ") ? (int)" + Heads(table) + "[(" + slot.exists + ") ? " + slot.code +
         " : 0] : 0) - 1";
}

std::string JoinWriter::WriteHead(const PipelineJoin& join, const JoinTable& table) {
  const std::string head = "head" + std::to_string(table.number);
  block_.Line("const int " + head + " = " + HeadCode(join, table, WriteProbeKeys(join)) + ";");
  return head;
}

std::string JoinWriter::WriteLookup(const PipelineJoin& join, const JoinTable& table) {
  const std::string entry = Entry(table);
  block_.Line("const int " + entry + " = " + HeadCode(join, table, WriteProbeKeys(join)) + ";");
  if (join.GivesBuildSide())
    WriteLinks(table, true);
  switch (join.kind) {
    case JoinKind::Left:
      return "1";
    case JoinKind::Anti:
      return "(" + entry + " < 0)";
    default:
      return "(" + entry + " >= 0)";
  }
}

void JoinWriter::WriteKnownLookup(const PipelineJoin& join, const JoinTable& table) {
  std::vector<plan::ExpressionPointer> expressions;
  for (const plan::JoinKey& key : join.keys)
    expressions.push_back(key.probe);
  const Slot slot = WriteSlot(table, WriteProbeKeys(join), expressions);
  block_.Line("const int " + Entry(table) + " = (int)" + Heads(table) + "[" + slot.code + "] - 1;");
  WriteLinks(table, false);
}

std::string JoinWriter::EndCode(const JoinTable& table) {
  return Next(table) + " = -1;";
}

size_t JoinWriter::WriteProbe(const PipelineJoin& join, const JoinTable& table,
                              const std::string& head) {
  const std::string number = std::to_string(table.number), entry = Entry(table);
  if (IsLookup(join, table)) {
    const std::string gives_row = WriteLookup(join, table);
    if (join.kind == JoinKind::Left)
      return 0;
    block_.Open("if " + gives_row + " {");
    return 1;
  }

  const std::vector<Value> keys = WriteProbeKeys(join);
  const std::string first = head.empty() ? HeadCode(join, table, keys) : head;
  const std::string next = Next(table), is_match = "is_match" + number;
  const std::string is_matched = "is_matched" + number;
  const std::string following = table.HasNexts() ? Nexts(table) + "[" + entry + "] - 1" : "-1";
  block_.Line("int " + next + " = " + first + ";");
  if (!join.GivesBuildSide()) {
    block_.Line("int " + is_matched + " = 0;");
    block_.Open("while ((" + next + " >= 0) & !" + is_matched + ") {");
    block_.Line("const int " + entry + " = " + next + ";");
    block_.Line(next + " = " + following + ";");
    WriteStep(table);
    WriteLinks(table, false);
    block_.Line("int " + is_match + " = 1;");
    WriteMatch(join, table, keys);
    block_.Line(is_matched + " = " + is_match + ";");
    block_.Close();
    block_.Open("if (" + std::string(join.kind == JoinKind::Anti ? "!" : "") + is_matched + ") {");
    return 1;
  }
  const bool is_left = join.kind == JoinKind::Left;
  if (is_left)
    block_.Line("int " + is_matched + " = 0;");
  block_.Open("while ((" + next + " >= 0)" + (is_left ? " | !" + is_matched : "") + ") {");
  block_.Line("const int " + entry + " = " + next + ";");
  block_.Line(next + " = " + (is_left ? entry + " < 0 ? -1 : " + following : following) + ";");
  WriteStep(table);
  WriteLinks(table, is_left);
  block_.Line("int " + is_match + " = 1;");
  if (is_left) {
    block_.Open("if (" + entry + " >= 0) {");
    WriteMatch(join, table, keys);
    block_.Close();
    block_.Line(is_matched + " |= " + is_match + ";");
  } else {
    WriteMatch(join, table, keys);
  }
  if (table.keys_are_unique)
    block_.Line("if (" + is_match + ") " + next + " = -1;");
  block_.Open("if (" + is_match + ") {");
  return 2;
}

void JoinWriter::WriteInsert(const std::vector<plan::ExpressionPointer>& keys,
                             const JoinTable& table, const std::string& position) {
  std::vector<Value> values;
  values.reserve(keys.size());
  for (const plan::ExpressionPointer& key : keys)
    values.push_back(writer_.AsOrdered(writer_.Write(key)));
  const Slot slot = WriteSlot(table, values, keys);
  if (!slot.exists.empty())
    block_.Open("if (" + slot.exists + ") {");
  if (table.ranged_key) {
    const std::string key = writer_.Convert(values[*table.ranged_key], Machine::Int64);
    block_.Line("least = min(least, " + key + ");");
    block_.Line("greatest = max(greatest, " + key + ");");
  }
  std::string entry = position;
  if (table.is_numbered) {
    entry = "entry";
    // Counts no further: the counter would start anew some day.
    block_.Line("const uint entry = full ? capacity : atomic_inc(entries);");
    block_.Line("full |= entry >= capacity;");
    block_.Open("if (entry < capacity) {");
  }
  const std::string head = Heads(table) + "[" + slot.code + "]";
  if (table.has_bits) {
    block_.Line("set_bit(" + Bits(table) + ", (ulong)(" + slot.code + "), &held);");
  }
  if (table.is_partitioned) {
    block_.Line(Nexts(table) + "[" + entry + "] = (int)(" + slot.code + " + 1);");
  } else if (table.HasNexts()) {
    block_.Line(Nexts(table) + "[" + entry + "] = (int)put_first(&" + head + ", (uint)(" + entry +
                " + 1));");
  } else if (table.HasHeads()) {
    block_.Line(head + " = (uint)(" + entry + " + 1);");
  }
  for (size_t linked : table.links) {
    block_.Line(Links(table, linked) + "[" + entry +
                "] = " + (linked == table.table ? "(int)" + position : JoinedRow(linked)) + ";");
  }
  if (table.is_numbered)
    block_.Close();
  if (!slot.exists.empty())
    block_.Close();
}

}  // namespace margay::compile
