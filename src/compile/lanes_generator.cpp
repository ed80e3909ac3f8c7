#include "compile/lanes_generator.hpp"

#include <algorithm>

#include "compile/refusal.hpp"
#include "storage/constants.hpp"

namespace margay::compile {

namespace {

constexpr uint32_t kMostLanes = 256;
constexpr uint32_t kFewestLanes = 64;

//! Work-groups with a table per lane: more, smaller ones were faster (Q1 at scale 10 on an H200:
//! 0.27 ms with 128 lanes, 0.29 ms with 256).
constexpr uint32_t kMostTableLanes = 128;

//! Local memory for tables, leaving room for what compilers add to the profile's 48 KiB.
constexpr size_t kLocalBytes = 40 * 1024;

//! Rows of a tile: enough to hide the start of a tile, small enough that a table of a few million
//! rows keeps a large GPU busy.
constexpr uint32_t kTileRows = 8192;

//! Rows that a lane's packed table takes in: so few that most sums fit into half a word, and still
//! so many that reducing the tables costs little.
constexpr uint32_t kRowsPerLane = 256;

//! More rows than fields that share a word can hold.
constexpr uint64_t kUnknownRows = uint64_t{1} << 62;

//! Lanes that share the reduction of a group: about the square root of a work-group, so that both
//! steps take the same time.
constexpr uint64_t kReductionChunks = 16;

//! Words that are reduced between two barriers. Each round costs compilers of CPU runtimes about as
//! much as the rest of a small kernel, so the fewer the better; local memory sets the limit.
constexpr size_t kPrivateRoundWords = 16;
constexpr size_t kLocalRoundWords = 4;

//! Rows that a lane loads at once, so that narrow columns are read in words of 4 bytes and more.
constexpr int kQuad = 4;

//! Entries of join tables that a lane looks at before it lets go: some 10 ms for a work-group on a
//! CPU's core.
constexpr uint32_t kMostSteps = 1U << 13;

std::string Number(size_t number) {
  return std::to_string(number);
}

//! Reads row `k` of the four rows that have been loaded into `quad<n>`.
class QuadReader : public DirectReader {
 public:
  std::string Encoded(const InputColumn& column, int word) const override {
    if (column.form->GetEncoding() == storage::Encoding::Wide) {
      return DirectReader::Encoded(column, word);
    }
    return "quad" + Number(column.number) + "[k]";
  }
};

}  // namespace

size_t LanesGenerator::StagedBytes() const {
  size_t bytes = sizeof(uint32_t);
  for (Machine machine : kernel_.aggregate.argument_machines) {
    bytes += machine == Machine::Wide ? 16 : 8;
    bytes += sizeof(uint32_t);
  }
  return bytes;
}

void LanesGenerator::ChooseTable() {
  const AggregateLayout& layout = kernel_.aggregate;
  kernel_.work_group = kMostLanes;
  if (group_table_) {
    table_ = Table::Global;
    return;
  }
  if (layout.keys.empty()) {
    table_ = Table::Private;
    return;
  }
  // A row can become so many that a field of any size runs over.
  packed_.emplace(layout, MultipliesRows() ? kUnknownRows : kRowsPerLane);
  const size_t table_bytes = layout.groups * packed_->Words() * sizeof(int64_t);
  for (uint32_t lanes = kMostTableLanes; lanes >= kFewestLanes; lanes /= 2) {
    if (table_bytes * lanes <= kLocalBytes) {
      table_ = Table::Local;
      kernel_.work_group = lanes;
      kernel_.units_per_work_group = kRowsPerLane * lanes / kTileRows;
      return;
    }
  }
  const bool is_atomic =
      std::none_of(layout.accumulators.begin(), layout.accumulators.end(),
                   [](const Accumulator& accumulator) { return NeedsTwoPasses(accumulator.fold); });
  if (is_atomic) {
    table_ = Table::Shared;
    kernel_.shares_tables = true;
    return;
  }
  table_ = Table::Owned;
  while (StagedBytes() * kernel_.work_group > kLocalBytes) {
    kernel_.work_group /= 2;
    if (kernel_.work_group < kFewestLanes)
      throw Unsupported("GROUP BY with this many aggregates");
  }
}

std::vector<std::string> LanesGenerator::LocalWords(const std::string& lane) const {
  std::vector<std::string> words;
  for (size_t word = 0; word < packed_->Words(); word++) {
    words.push_back("table[(group * " + Number(packed_->Words()) + " + " + Number(word) +
                    ") * LANES + " + lane + "]");
  }
  return words;
}

void LanesGenerator::WriteBody(CodeBlock& block) {
  if (kernel_.is_aggregate) {
    ChooseTable();
  } else {
    kernel_.work_group = kMostLanes;
  }
  kernel_.unit_rows = kTileRows;
  kernel_.units_per_segment = storage::kSegmentRows / kTileRows;
  // The other sinks wait for all lanes of a tile.
  if (kernel_.build || (kernel_.is_aggregate && table_ != Table::Owned) ||
      kernel_.multiplies_result)
    MakeResumable(kMostSteps);
  block.Line("const uint lane = get_local_id(0);");
  if (kernel_.is_aggregate) {
    WriteInitialTable(block);
  } else if (kernel_.multiplies_result) {
    block.Line("__local uint produced;");
  } else if (!kernel_.build) {
    block.Line("__local uint places[LANES];");
  }
  block.Open("for (uint unit = get_group_id(0); unit < units; unit += get_num_groups(0)) {");
  block.Line(
      "__global const long* segment = segments + unit / UNITS_PER_SEGMENT * (ulong)SEGMENT_WORDS;");
  WriteSegment(block);
  block.Line("const uint begin = unit % UNITS_PER_SEGMENT * UNIT_ROWS;");
  block.Line("const uint end = min(begin + UNIT_ROWS, rows);");
  WriteTile(block);
  block.Close();
  if (kernel_.is_aggregate)
    WriteReduction(block);
}

void LanesGenerator::WriteInitialTable(CodeBlock& block) {
  const AggregateLayout& layout = kernel_.aggregate;
  const auto initialize = [&](const std::string& declaration, const auto& word) {
    for (const Accumulator& accumulator : layout.accumulators) {
      const std::vector<int64_t> words = InitialWords(accumulator.fold);
      for (size_t i = 0; i < words.size(); i++) {
        block.Line(declaration + word(accumulator.word + i) + " = " +
                   IntegerLiteral(words[i], Machine::Int64) + ";");
      }
    }
  };
  switch (table_) {
    case Table::Private:
      initialize("long ", [](size_t word) { return "a" + Number(word); });
      return;
    case Table::Local:
      block.Line("__local long table[GROUPS * " + Number(packed_->Words()) + " * LANES];");
      block.Open("for (uint group = 0; group < GROUPS; group++) {");
      for (size_t word = 0; word < packed_->Words(); word++) {
        block.Line(LocalWords("lane")[word] + " = " +
                   IntegerLiteral(packed_->InitialWords()[word], Machine::Int64) + ";");
      }
      block.Close();
      return;
    case Table::Global:
      if (FoldsOnce())
        group_table_->WriteDeclarations(block);
      return;
    case Table::Shared:
      block.Line(
          "volatile __global long* table = partials + get_group_id(0) % tables * (ulong)(GROUPS * "
          "WORDS);");
      return;
    case Table::Owned:
      block.Line("__global long* table = partials + get_group_id(0) * (ulong)(GROUPS * WORDS);");
      block.Line("__local uint staged_group[LANES];");
      for (size_t i = 0; i < layout.arguments.size(); i++) {
        const bool is_wide = layout.argument_machines[i] == Machine::Wide;
        block.Line("__local long staged" + Number(i) + (is_wide ? "[2 * LANES];" : "[LANES];"));
        block.Line("__local int staged_null" + Number(i) + "[LANES];");
      }
      block.Open("for (uint group = lane; group < GROUPS; group += LANES) {");
      initialize("", [](size_t word) { return "table[group * WORDS + " + Number(word) + "]"; });
      block.Close();
      return;
  }
}

void LanesGenerator::WriteTile(CodeBlock& block) {
  if (kernel_.multiplies_result) {
    WriteMultipliedTile(block);
  } else if (!kernel_.build && !kernel_.is_aggregate) {
    WriteRowsTile(block);
  } else if (table_ == Table::Owned) {
    WriteOwnedTile(block);
  } else {
    WriteQuads(block);
  }
}

void LanesGenerator::WriteLoads(CodeBlock& block, const std::set<size_t>& numbers,
                                std::set<size_t>& loaded) {
  for (const InputColumn& column : kernel_.columns) {
    if (column.form->GetEncoding() == storage::Encoding::Wide || column.HoldsText())
      continue;
    if (numbers.count(column.number) == 0 || !loaded.insert(column.number).second)
      continue;
    const std::string type = EncodedType(column), name = "quad" + Number(column.number);
    block.Line("const " + type + "4 load" + Number(column.number) + " = *(__global const " + type +
               "4*)(" + ColumnPointer(column) + " + first_row);");
    std::string elements;
    for (int i = 0; i < kQuad; i++) {
      elements += (i == 0 ? "load" : ", load") + Number(column.number) + ".s" + Number(i);
    }
    block.Line("const " + type + " " + name + "[" + Number(kQuad) + "] = {" + elements + "};");
  }
}

void LanesGenerator::WriteQuads(CodeBlock& block) {
  std::set<size_t> filter_columns, sink_columns, loaded;
  for (const auto& conjunct : pipeline_.conjuncts)
    VisitColumns(*conjunct, [&](size_t column) { filter_columns.insert(column); });
  for (const InputColumn& column : kernel_.columns)
    sink_columns.insert(column.number);
  const QuadReader reader;

  if (kernel_.is_resumable) {
    block.Line("__global uint* next = resume + (unit * LANES + lane) * " +
               Number(kernel_.resume_words) + ";");
    block.Line("uint stride = next[0];");
    if (kernel_.multiplies_result) {
      block.Line("uint given = next[1];");
      block.Line("uint has_room = 1;");
    }
    block.Open("for (; " + WhileSteps("begin + (stride * LANES + lane) * 4 < end") +
               "; stride++) {");
    block.Line("const uint first_row = begin + (stride * LANES + lane) * 4;");
  } else {
    block.Open(
        "for (uint first_row = begin + lane * 4; first_row < end; first_row += LANES * 4) {");
  }
  if (kernel_.multiplies_result)
    OpenGiving(block);
  WriteLoads(block, filter_columns, loaded);
  block.Line("uint passed = 0;");
  block.Line("#pragma unroll");
  block.Open("for (uint k = 0; k < 4; k++) {");
  block.Line("const uint row = first_row + k;");
  block.Open("if (row < end) {");
  {
    ExpressionWriter writer(context_, reader, block);
    block.Line("passed |= (uint)(" + WriteFilters(writer) + ") << k;");
  }
  block.Close();
  block.Close();
  block.Open("if (passed) {");
  WriteLoads(block, sink_columns, loaded);
  block.Line("#pragma unroll");
  block.Open("for (uint k = 0; k < 4; k++) {");
  block.Open("if (passed >> k & 1) {");
  block.Line("const uint row = first_row + k;");
  {
    ExpressionWriter writer(context_, reader, block);
    OpenJoins(writer, block);
    WriteQuadSink(writer, block);
    CloseJoins(block);
  }
  block.Close();
  block.Close();
  block.Close();
  if (kernel_.multiplies_result)
    CloseGiving(block);
  block.Close();
  if (kernel_.is_resumable) {
    block.Line("next[0] = stride;");
    if (kernel_.multiplies_result)
      block.Line("next[1] = given;");
    block.Line("unfinished |= begin + (stride * LANES + lane) * 4 < end;");
  }
}

void LanesGenerator::WriteQuadSink(ExpressionWriter& writer, CodeBlock& block) {
  if (kernel_.build) {
    WriteInsert(writer, block);
    return;
  }
  if (kernel_.multiplies_result) {
    WriteGive(writer, block, "atomic_inc(&produced)");
    return;
  }
  if (table_ != Table::Private && !FoldsOnce())
    WriteGroup(writer, block);
  const std::vector<Value> values = WriteArguments(writer);
  if (table_ == Table::Global && !FoldsOnce()) {
    group_table_->WriteDeclarations(block);
    group_table_->WriteRows(block);
  }
  if (table_ == Table::Local) {
    for (const std::string& line : packed_->FoldCode(values, LocalWords("lane")))
      block.Line(line);
  } else if (table_ == Table::Shared) {
    WriteAtomicFolds(block, values);
  } else {
    WriteFolds(block, values, [](size_t word) { return "a" + Number(word); });
  }
  if (table_ == Table::Global && !FoldsOnce())
    group_table_->WriteFold(context_, block, "group");
}

void LanesGenerator::WriteAtomicFolds(CodeBlock& block, const std::vector<Value>& values) {
  for (const Accumulator& accumulator : kernel_.aggregate.accumulators) {
    const Value value = accumulator.has_argument ? values[accumulator.argument] : Value{};
    const std::string fold =
        AtomicFoldCode(accumulator, "table + group * WORDS + " + Number(accumulator.word), value);
    const bool is_conditional = accumulator.has_argument && value.CanBeNull();
    block.Line((is_conditional ? "if (!" + value.null + ") " : "") + fold);
  }
}

void LanesGenerator::WriteOwnedTile(CodeBlock& block) {
  const DirectReader reader;
  const AggregateLayout& layout = kernel_.aggregate;
  block.Open("for (uint first_row = begin; first_row < end; first_row += LANES) {");
  block.Line("const uint row = first_row + lane;");
  block.Line("staged_group[lane] = GROUPS;");
  block.Open("if (row < end) {");
  {
    ExpressionWriter writer(context_, reader, block);
    block.Open("if (" + WriteFilters(writer) + ") {");
    OpenJoins(writer, block);
    WriteGroup(writer, block);
    const std::vector<Value> values = WriteArguments(writer);
    block.Line("staged_group[lane] = group;");
    for (size_t i = 0; i < values.size(); i++) {
      const Value& value = values[i];
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
    CloseJoins(block);
    block.Close();
  }
  block.Close();
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  block.Open("for (uint other = 0; other < LANES; other++) {");
  block.Line("const uint group = staged_group[other];");
  block.Open("if (group < GROUPS && group % LANES == lane) {");
  std::vector<Value> staged;
  for (size_t i = 0; i < layout.arguments.size(); i++) {
    Value value;
    const std::string name = "staged" + Number(i);
    switch (layout.argument_machines[i]) {
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
  WriteFolds(block, staged,
             [](size_t word) { return "table[group * WORDS + " + Number(word) + "]"; });
  block.Close();
  block.Close();
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  block.Close();
}

void LanesGenerator::WriteMultipliedTile(CodeBlock& block) {
  block.Line("if (lane == 0) produced = 0;");
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  WriteQuads(block);
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  block.Line("if (lane == 0) counts[unit] = min(produced, (uint)UNIT_ROWS);");
}

void LanesGenerator::WriteRowsTile(CodeBlock& block) {
  const DirectReader reader;
  block.Line("uint produced = 0;");
  block.Open("for (uint first_row = begin; first_row < end; first_row += LANES) {");
  block.Line("const uint row = first_row + lane;");
  // Filters are computed twice rather than kept: what passes may need values of any type.
  block.Line("uint passes = 0;");
  block.Open("if (row < end) {");
  {
    ExpressionWriter writer(context_, reader, block);
    const std::string condition = WriteFilters(writer);
    if (pipeline_.joins.empty()) {
      block.Line("passes = (uint)(" + condition + ");");
    } else {
      block.Open("if (" + condition + ") {");
      OpenJoins(writer, block);
      block.Line("passes = (uint)" + WriteLastFilter(writer) + ";");
      CloseJoins(block);
      block.Close();
    }
  }
  block.Close();
  block.Line("places[lane] = passes;");
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  block.Open("for (uint distance = 1; distance < LANES; distance *= 2) {");
  block.Line("const uint left = lane >= distance ? places[lane - distance] : 0;");
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  block.Line("places[lane] += left;");
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  block.Close();
  block.Open("if (passes) {");
  block.Line("const ulong position = (ulong)unit * UNIT_ROWS + produced + places[lane] - 1;");
  {
    ExpressionWriter writer(context_, reader, block);
    OpenJoins(writer, block);
    WriteOutputs(writer, block, "position");
    CloseJoins(block);
  }
  block.Close();
  block.Line("produced += places[LANES - 1];");
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  block.Close();
  block.Line("if (lane == 0) counts[unit] = produced;");
}

void LanesGenerator::WriteReduction(CodeBlock& block) {
  switch (table_) {
    case Table::Private:
      WritePrivateReduction(block);
      return;
    case Table::Local:
      WriteLocalReduction(block);
      return;
    case Table::Global:
      if (FoldsOnce()) {
        block.Line("const ulong group = 0;");
        group_table_->WriteFold(context_, block, "group");
      }
      return;
    case Table::Owned:
    case Table::Shared:
      return;  // The table lies where the partial results belong.
  }
}

std::vector<std::vector<size_t>> LanesGenerator::ReductionRounds(size_t most_words) const {
  std::vector<std::vector<size_t>> rounds;
  size_t words = most_words;
  const auto& accumulators = kernel_.aggregate.accumulators;
  for (size_t number = 0; number < accumulators.size(); number++) {
    words += accumulators[number].Words();
    if (words > most_words) {
      rounds.emplace_back();
      words = accumulators[number].Words();
    }
    rounds.back().push_back(number);
  }
  return rounds;
}

LanesGenerator::ReducedWords LanesGenerator::WordsInRound(const std::vector<size_t>& round) const {
  ReducedWords words;
  for (size_t number : round) {
    const Accumulator& accumulator = kernel_.aggregate.accumulators[number];
    for (size_t i = 0; i < accumulator.Words(); i++) {
      const std::string place = Number(words.own.size());
      words.shared.push_back("reduced[" + place + " * LANES + lane");
      words.own.push_back("r" + place);
      words.table.push_back(accumulator.word + i);
      words.initial.push_back(InitialWords(accumulator.fold)[i]);
    }
  }
  return words;
}

void LanesGenerator::WriteCombine(CodeBlock& block, const std::vector<size_t>& round,
                                  const std::vector<std::string>& into,
                                  const std::vector<std::string>& from) {
  size_t word = 0;
  for (size_t number : round) {
    const Accumulator& accumulator = kernel_.aggregate.accumulators[number];
    const auto part = [&](const std::vector<std::string>& words) {
      const auto first = words.begin() + static_cast<ptrdiff_t>(word);
      return std::vector<std::string>(first, first + static_cast<ptrdiff_t>(accumulator.Words()));
    };
    for (const std::string& line : CombineCode(accumulator.fold, part(into), part(from))) {
      block.Line(line);
    }
    word += accumulator.Words();
  }
}

void LanesGenerator::WritePrivateReduction(CodeBlock& block) {
  const size_t most_words = std::min(kernel_.aggregate.words, kPrivateRoundWords);
  block.Line("__local long reduced[" + Number(most_words) + " * LANES];");
  for (const std::vector<size_t>& round : ReductionRounds(most_words)) {
    const ReducedWords words = WordsInRound(round);
    std::vector<std::string> into, from;
    for (size_t i = 0; i < words.own.size(); i++) {
      into.push_back(words.shared[i] + "]");
      from.push_back(words.shared[i] + " + distance]");
      block.Line(into[i] + " = a" + Number(words.table[i]) + ";");
    }
    block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
    block.Open("for (uint distance = LANES / 2; distance > 0; distance /= 2) {");
    block.Open("if (lane < distance) {");
    WriteCombine(block, round, into, from);
    block.Close();
    block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
    block.Close();
    block.Open("if (lane == 0) {");
    for (size_t i = 0; i < words.own.size(); i++) {
      block.Line("partials[get_group_id(0) * WORDS + " + Number(words.table[i]) + "] = " + into[i] +
                 ";");
    }
    block.Close();
    block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  }
}

void LanesGenerator::WriteLocalReduction(CodeBlock& block) {
  // Two steps: `chunks` lanes per group each fold a share of the lanes' tables, then one lane per
  // group folds what they got.
  const uint64_t groups = kernel_.aggregate.groups;
  const uint64_t chunks = std::clamp<uint64_t>(kernel_.work_group / groups, 1, kReductionChunks);
  block.Line("__local long reduced[" + Number(kLocalRoundWords) + " * LANES];");
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  for (const std::vector<size_t>& round : ReductionRounds(kLocalRoundWords)) {
    const ReducedWords words = WordsInRound(round);
    std::vector<std::string> share, other_share, partial, tables;
    for (size_t i = 0; i < words.own.size(); i++) {
      share.push_back(words.shared[i] + "]");
      other_share.push_back(words.shared[i] + " + GROUPS * chunk]");
      partial.push_back("partials[(get_group_id(0) * (ulong)GROUPS + group) * WORDS + " +
                        Number(words.table[i]) + "]");
    }
    for (size_t number : round) {
      for (const std::string& word : packed_->Unpack(number, LocalWords("other"))) {
        tables.push_back(word);
      }
    }
    const auto fold = [&](const std::string& loop, const std::vector<std::string>& from,
                          const std::vector<std::string>& places) {
      for (size_t i = 0; i < words.own.size(); i++) {
        block.Line("long " + words.own[i] + " = " +
                   IntegerLiteral(words.initial[i], Machine::Int64) + ";");
      }
      block.Open(loop);
      WriteCombine(block, round, words.own, from);
      block.Close();
      for (size_t i = 0; i < words.own.size(); i++) {
        block.Line(places[i] + " = " + words.own[i] + ";");
      }
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

}  // namespace margay::compile
