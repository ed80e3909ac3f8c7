#include "compile/join_writer.hpp"

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

std::string Heads(const JoinTable& table) {
  return Argument{ArgumentKind::Heads, table.number}.Name();
}

std::string Bits(const JoinTable& table) {
  return Argument{ArgumentKind::Bits, table.number}.Name();
}

std::string Nexts(const JoinTable& table) {
  return Argument{ArgumentKind::Nexts, table.number}.Name();
}

std::string Links(const JoinTable& table, size_t linked) {
  return Argument{ArgumentKind::Links, table.number, linked}.Name();
}

void AddCondition(std::string& all, const std::string& condition) {
  all += all.empty() ? condition : " & " + condition;
}

}  // namespace

void JoinWriter::AddArguments(const JoinTable& table, bool is_filled, ArgumentList& arguments) {
  // What is filled by several work-groups is not restricted to one pointer.
  const std::string words = is_filled ? "volatile __global uint*" : "__global const uint* restrict";
  const std::string entries = is_filled ? "__global int* restrict" : "__global const int* restrict";
  if (table.HasHeads())
    arguments.Add({ArgumentKind::Heads, table.number}, words);
  if (table.has_bits)
    arguments.Add({ArgumentKind::Bits, table.number}, words);
  if (table.is_ranked)
    arguments.Add({ArgumentKind::Counts, table.number}, words);
  if (table.HasNexts())
    arguments.Add({ArgumentKind::Nexts, table.number}, entries);
  for (size_t linked : table.links)
    arguments.Add({ArgumentKind::Links, table.number, linked}, entries);
  if (!table.is_direct)
    arguments.Add({ArgumentKind::LastSlot, table.number});
}

JoinWriter::Slot JoinWriter::WriteSlot(const optimize::JoinSlot& slot, const JoinTable& table) {
  const std::string name = "slot" + std::to_string(table.number);
  const std::string index = writer_.Write(slot.index).code;
  block_.Line(
      "const ulong " + name + " = (ulong)" + index +
      (table.is_direct ? "" : " & " + Argument{ArgumentKind::LastSlot, table.number}.Name()) + ";");
  Slot written{name, {}};
  if (slot.exists != nullptr) {
    optimize::Value exists;
    exists.node = slot.exists;
    written.exists = writer_.Write(exists).code;
  }
  return written;
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

void JoinWriter::WriteMatch(const PipelineJoin& join) {
  const JoinProbe& probe = join.probe;
  // Values that are written here are good here only.
  ExpressionWriter writer(writer_);
  const std::string is_match = "is_match" + std::to_string(join.table.number);
  if (!probe.equalities.empty()) {
    std::string equal;
    for (const optimize::Value& equality : probe.equalities)
      AddCondition(equal, writer.Write(equality).code);
    block_.Line(is_match + " = " + equal + ";");
  }
  if (!probe.residual)
    return;
  block_.Open("if (" + is_match + ") {");
  const std::string residual = writer.IsTrue(writer.Write(*probe.residual));
  block_.Line(is_match + " = " + residual + ";");
  block_.Close();
}

JoinWriter::Slot JoinWriter::WriteProbeSlot(const PipelineJoin& join) {
  const JoinTable& table = join.table;
  Slot slot = WriteSlot(join.probe.slot, table);
  if (!table.has_bits)
    return slot;
  const std::string number = std::to_string(table.number);
  const std::string place = "place" + number, taken = "taken" + number;
  // Slot 0 in place of none, rather than a branch.
  block_.Line("const ulong " + place + " = " +
              (slot.exists.empty() ? slot.code : slot.exists + " ? " + slot.code + " : 0") + ";");
  std::string is_taken =
      "(int)((" + Bits(table) + "[" + place + " >> 5] >> (uint)(" + place + " & 31)) & 1u)";
  if (!slot.exists.empty())
    AddCondition(is_taken, slot.exists);
  block_.Line("const int " + taken + " = " + is_taken + ";");
  slot.exists = taken;
  return slot;
}

std::string JoinWriter::WriteTaken(const PipelineJoin& join) {
  return WriteProbeSlot(join).exists;
}

std::string JoinWriter::HeadCode(const PipelineJoin& join) {
  const JoinTable& table = join.table;
  const Slot slot = WriteProbeSlot(join);
  if (table.is_bitmap)
    return slot.exists + " - 1";
  if (table.is_ranked) {
    const std::string place = "place" + std::to_string(table.number);
    const std::string word = "[" + place + " >> 5]";
    return slot.exists + " ? (int)(" + Argument{ArgumentKind::Counts, table.number}.Name() + word +
           " + popcount(" + Bits(table) + word + " & ((1u << (uint)(" + place +
           " & 31)) - 1u))) : -1";
  }
  if (slot.exists.empty())
    return "(int)" + Heads(table) + "[" + slot.code + "] - 1";
  // Slot 0 in place of none, rather than a branch.
  return "(" + slot.exists + " ? (int)" + Heads(table) + "[" + slot.exists + " ? " + slot.code +
         " : 0] : 0) - 1";
}

std::string JoinWriter::WriteHead(const PipelineJoin& join) {
  const std::string head = "head" + std::to_string(join.table.number);
  const std::string code = HeadCode(join);
  block_.Line("const int " + head + " = " + code + ";");
  return head;
}

std::string JoinWriter::WriteLookup(const PipelineJoin& join) {
  const JoinTable& table = join.table;
  const std::string entry = Entry(table), code = HeadCode(join);
  block_.Line("const int " + entry + " = " + code + ";");
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

void JoinWriter::WriteKnownLookup(const PipelineJoin& join) {
  const JoinTable& table = join.table;
  const Slot slot = WriteSlot(join.probe.slot, table);
  block_.Line("const int " + Entry(table) + " = (int)" + Heads(table) + "[" + slot.code + "] - 1;");
  WriteLinks(table, false);
}

std::string JoinWriter::EndCode(const JoinTable& table) {
  return Next(table) + " = -1;";
}

size_t JoinWriter::WriteProbe(const PipelineJoin& join, const std::string& head) {
  const JoinTable& table = join.table;
  const std::string number = std::to_string(table.number), entry = Entry(table);
  if (join.IsLookup()) {
    const std::string gives_row = WriteLookup(join);
    if (join.kind == JoinKind::Left)
      return 0;
    block_.Open("if " + gives_row + " {");
    return 1;
  }

  // Outside of the loop over entries.
  for (const optimize::Value& key : join.probe.keys)
    writer_.Write(key);
  const std::string first = head.empty() ? HeadCode(join) : head;
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
    WriteMatch(join);
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
    WriteMatch(join);
    block_.Close();
    block_.Line(is_matched + " |= " + is_match + ";");
  } else {
    WriteMatch(join);
  }
  if (table.keys_are_unique)
    block_.Line("if (" + is_match + ") " + next + " = -1;");
  block_.Open("if (" + is_match + ") {");
  return 2;
}

void JoinWriter::WriteInsert(const JoinInsert& insert, const JoinTable& table,
                             const std::string& position) {
  const Slot slot = WriteSlot(insert.slot, table);
  if (!slot.exists.empty())
    block_.Open("if (" + slot.exists + ") {");
  if (table.ranged_key) {
    const std::string key =
        writer_.Convert(writer_.Write(insert.keys[*table.ranged_key]), Machine::Int64);
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
