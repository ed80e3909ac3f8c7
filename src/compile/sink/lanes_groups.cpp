#include "compile/sink/lanes_groups.hpp"

#include <algorithm>

#include "compile/lanes_generator.hpp"
#include "compile/sink/group_index_writer.hpp"
#include "compile/sink/lanes_reduction.hpp"
#include "optimize/unsupported.hpp"

namespace margay::compile {

namespace {

constexpr uint32_t kFewestLanes = 64;

//! Work-groups with a table per lane: more, smaller ones were faster (Q1 at scale 10 on an H200:
//! 0.27 ms with 128 lanes, 0.29 ms with 256).
constexpr uint32_t kMostTableLanes = 128;

//! Local memory for tables, leaving room for what compilers add to the profile's 48 KiB.
constexpr size_t kLocalBytes = 40 * 1024;

//! Rows that a lane's packed table takes in: so few that most sums fit into half a word, and still
//! so many that reducing the tables costs little.
constexpr uint32_t kRowsPerLane = 256;

//! More rows than fields that share a word can hold.
constexpr uint64_t kUnknownRows = uint64_t{1} << 62;

//! Lanes that share the reduction of a group: about the square root of a work-group, so that both
//! steps take the same time.
constexpr uint64_t kReductionChunks = 16;

//! Words that are reduced between two barriers; see LanesSingleResult.
constexpr size_t kRoundWords = 4;

std::string Number(size_t number) {
  return std::to_string(number);
}

std::string TableWord(size_t word) {
  return "table[group * WORDS + " + Number(word) + "]";
}

}  // namespace

std::unique_ptr<AggregateSink> MakeLanesGroups(KernelGenerator& generator) {
  const optimize::LoweredPipeline& pipeline = generator.Pipeline();
  const AggregateLayout& layout = std::get<optimize::GroupSink>(pipeline.sink).layout;
  // A row can become so many that a field of any size runs over.
  const PackedTable packed(layout, pipeline.MultipliesRows() ? kUnknownRows : kRowsPerLane);
  const size_t table_bytes = layout.groups * packed.Words() * sizeof(int64_t);
  for (uint32_t lanes = kMostTableLanes; lanes >= kFewestLanes; lanes /= 2) {
    if (table_bytes * lanes <= kLocalBytes)
      return std::make_unique<LanesLocalGroups>(generator, packed, lanes);
  }
  const bool is_atomic =
      std::none_of(layout.accumulators.begin(), layout.accumulators.end(),
                   [](const Accumulator& accumulator) { return NeedsTwoPasses(accumulator.fold); });
  if (is_atomic)
    return std::make_unique<LanesPartialGroups>(generator);
  return std::make_unique<LanesOwnedGroups>(generator);
}

LanesLocalGroups::LanesLocalGroups(KernelGenerator& generator, PackedTable packed, uint32_t lanes)
    : AggregateSink(generator), packed_(std::move(packed)) {
  generator.Source().work_group = lanes;
  generator.Source().units_per_work_group = kRowsPerLane * lanes / kLanesTileRows;
}

std::vector<std::string> LanesLocalGroups::LocalWords(const std::string& lane) const {
  std::vector<std::string> words;
  for (size_t word = 0; word < packed_.Words(); word++) {
    words.push_back("table[(group * " + Number(packed_.Words()) + " + " + Number(word) +
                    ") * LANES + " + lane + "]");
  }
  return words;
}

void LanesLocalGroups::WriteBegin(CodeBlock& block) {
  block.Line("__local long table[GROUPS * " + Number(packed_.Words()) + " * LANES];");
  block.Open("for (uint group = 0; group < GROUPS; group++) {");
  for (size_t word = 0; word < packed_.Words(); word++) {
    block.Line(LocalWords("lane")[word] + " = " +
               IntegerLiteral(packed_.InitialWords()[word], Machine::Int64) + ";");
  }
  block.Close();
}

void LanesLocalGroups::WriteRow(ExpressionWriter& writer, CodeBlock& block) {
  WriteGroupIndex(layout_, writer, block);
  for (const std::string& line : packed_.FoldCode(WriteArguments(writer), LocalWords("lane")))
    block.Line(line);
}

void LanesLocalGroups::WriteEnd(CodeBlock& block) {
  // Two steps: `chunks` lanes per group each fold a share of the lanes' tables, then one lane per
  // group folds what they got.
  const uint64_t chunks =
      std::clamp<uint64_t>(generator_.Source().work_group / layout_.groups, 1, kReductionChunks);
  block.Line("__local long reduced[" + Number(kRoundWords) + " * LANES];");
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  for (const ReductionRound& round : ReductionRound::Cut(layout_, kRoundWords)) {
    std::vector<std::string> share, other_share, partial, tables;
    for (size_t i = 0; i < round.own.size(); i++) {
      share.push_back(round.shared[i] + "]");
      other_share.push_back(round.shared[i] + " + GROUPS * chunk]");
      partial.push_back("partials[(get_group_id(0) * (ulong)GROUPS + group) * WORDS + " +
                        Number(round.table[i]) + "]");
    }
    for (size_t number : round.accumulators) {
      for (const std::string& word : packed_.Unpack(number, LocalWords("other")))
        tables.push_back(word);
    }
    const auto fold = [&](const std::string& loop, const std::vector<std::string>& from,
                          const std::vector<std::string>& places) {
      for (size_t i = 0; i < round.own.size(); i++) {
        block.Line("long " + round.own[i] + " = " +
                   IntegerLiteral(round.initial[i], Machine::Int64) + ";");
      }
      block.Open(loop);
      round.WriteCombine(layout_, block, round.own, from);
      block.Close();
      for (size_t i = 0; i < round.own.size(); i++)
        block.Line(places[i] + " = " + round.own[i] + ";");
    };
    block.Open("for (uint item = lane; item < GROUPS * " + Number(chunks) + "; item += LANES) {");
    block.Line("const uint group = item % GROUPS;");
    fold("for (uint other = item / GROUPS; other < LANES; other += " + Number(chunks) + ") {",
         tables, chunks == 1 ? partial : share);
    block.Close();
    if (chunks == 1)
      continue;
    block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
    block.Open("if (lane < GROUPS) {");
    block.Line("const uint group = lane;");
    fold("for (uint chunk = 0; chunk < " + Number(chunks) + "; chunk++) {", other_share, partial);
    block.Close();
    block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  }
}

LanesPartialGroups::LanesPartialGroups(KernelGenerator& generator) : AggregateSink(generator) {
  generator.Source().shares_tables = true;
}

void LanesPartialGroups::AddArguments(ArgumentList& arguments) const {
  arguments.Add({ArgumentKind::Partials}, "volatile __global long*");
  arguments.Add({ArgumentKind::PartialTables});
}

void LanesPartialGroups::WriteBegin(CodeBlock& block) {
  block.Line(
      "volatile __global long* table = partials + get_group_id(0) % tables * (ulong)(GROUPS * "
      "WORDS);");
}

void LanesPartialGroups::WriteRow(ExpressionWriter& writer, CodeBlock& block) {
  WriteGroupIndex(layout_, writer, block);
  const std::vector<WrittenValue> values = WriteArguments(writer);
  for (const Accumulator& accumulator : layout_.accumulators) {
    const WrittenValue value =
        accumulator.has_argument ? values[accumulator.argument] : WrittenValue{};
    const std::string fold =
        AtomicFoldCode(accumulator, "table + group * WORDS + " + Number(accumulator.word), value);
    const bool is_conditional = accumulator.has_argument && value.CanBeNull();
    block.Line((is_conditional ? "if (!" + value.null + ") " : "") + fold);
  }
}

LanesOwnedGroups::LanesOwnedGroups(KernelGenerator& generator) : AggregateSink(generator) {
  uint32_t& lanes = generator.Source().work_group;
  while (StagedBytes() * lanes > kLocalBytes) {
    lanes /= 2;
    if (lanes < kFewestLanes)
      throw optimize::Unsupported("GROUP BY with this many aggregates");
  }
}

size_t LanesOwnedGroups::StagedBytes() const {
  size_t bytes = sizeof(uint32_t);
  for (const AggregateLayout::Argument& argument : layout_.arguments) {
    bytes += argument.value.GetMachine() == Machine::Wide ? 16 : 8;
    bytes += sizeof(uint32_t);
  }
  return bytes;
}

void LanesOwnedGroups::WriteBegin(CodeBlock& block) {
  block.Line("__global long* table = partials + get_group_id(0) * (ulong)(GROUPS * WORDS);");
  block.Line("__local uint staged_group[LANES];");
  for (size_t i = 0; i < layout_.arguments.size(); i++) {
    const bool is_wide = layout_.arguments[i].value.GetMachine() == Machine::Wide;
    block.Line("__local long staged" + Number(i) + (is_wide ? "[2 * LANES];" : "[LANES];"));
    block.Line("__local int staged_null" + Number(i) + "[LANES];");
  }
  block.Open("for (uint group = lane; group < GROUPS; group += LANES) {");
  WriteInitialWords(block, "", TableWord);
  block.Close();
}

void LanesOwnedGroups::WriteRow(ExpressionWriter& writer, CodeBlock& block) {
  WriteGroupIndex(layout_, writer, block);
  const std::vector<WrittenValue> values = WriteArguments(writer);
  block.Line("staged_group[lane] = group;");
  for (size_t i = 0; i < values.size(); i++) {
    const WrittenValue& value = values[i];
    const std::string name = "staged" + Number(i);
    switch (value.machine) {
      case Machine::Wide:
        block.Line(name + "[2 * lane] = (long)" + value.code + ".low;");
        block.Line(name + "[2 * lane + 1] = " + value.code + ".high;");
        break;
      case Machine::Float32:
      case Machine::Float64:
        block.Line(name + "[lane] = as_long((double)" + value.code + ");");
        break;
      default:
        block.Line(name + "[lane] = " + value.code + ";");
    }
    block.Line("staged_null" + Number(i) + "[lane] = " + (value.CanBeNull() ? value.null : "0") +
               ";");
  }
}

void LanesOwnedGroups::WriteStagedFolds(CodeBlock& block) {
  std::vector<WrittenValue> staged;
  for (size_t i = 0; i < layout_.arguments.size(); i++) {
    WrittenValue value;
    const std::string name = "staged" + Number(i);
    switch (layout_.arguments[i].value.GetMachine()) {
      case Machine::Wide:
        value.machine = Machine::Wide;
        value.code = "wide_make((ulong)" + name + "[2 * other], " + name + "[2 * other + 1])";
        break;
      case Machine::Float32:
      case Machine::Float64:
        value.machine = Machine::Float64;
        value.code = "as_double(" + name + "[other])";
        break;
      default:
        value.machine = Machine::Int64;
        value.code = name + "[other]";
    }
    value.null = "staged_null" + Number(i) + "[other]";
    staged.push_back(value);
  }
  WriteFolds(block, staged, TableWord);
}

void LanesOwnedGroups::WriteTile(LanesGenerator& generator, CodeBlock& block) {
  block.Open("for (uint first_row = begin; first_row < end; first_row += LANES) {");
  block.Line("const uint row = first_row + lane;");
  block.Line("staged_group[lane] = GROUPS;");
  block.Open("if (row < end) {");
  {
    const DirectReader reader;
    ExpressionWriter writer(generator.Context(), reader, block);
    const std::string condition = generator.WriteFilters(writer);
    block.Open("if (" + condition + ") {");
    generator.OpenJoins(writer, block);
    WriteRow(writer, block);
    generator.CloseJoins(block);
    block.Close();
  }
  block.Close();
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  block.Open("for (uint other = 0; other < LANES; other++) {");
  block.Line("const uint group = staged_group[other];");
  block.Open("if (group < GROUPS && group % LANES == lane) {");
  WriteStagedFolds(block);
  block.Close();
  block.Close();
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  block.Close();
}

}  // namespace margay::compile
