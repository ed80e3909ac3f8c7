#include "compile/loop_generator.hpp"

#include "compile/join_writer.hpp"
#include "compile/refusal.hpp"
#include "storage/constants.hpp"

namespace margay::compile {

namespace {

//! Tables up to this size live on the work-item's stack; larger ones are folded into where their
//! partial results belong.
constexpr size_t kLargestPrivateTableWords = 512;

//! Rows of a tile: what they add stays in the first-level cache.
constexpr uint32_t kTileRows = 256;

//! Tables up to this size are emptied after every tile, which lets more accumulators share a word;
//! larger ones after every segment.
constexpr size_t kLargestTableWordsPerTile = 128;

//! Rows that take a join together: enough that waiting for memory overlaps, few enough that what is
//! kept of them stays in the first-level cache.
constexpr uint32_t kStagedRows = 1024;

//! Entries of join tables that a work-item looks at before it lets go: some 20 ms.
constexpr uint32_t kMostSteps = 1U << 22;

std::string Number(size_t number) {
  return std::to_string(number);
}

//! The tables whose rows a join makes known.
std::vector<size_t> JoinedTables(const PipelineJoin& join, const JoinTable& table) {
  if (!join.GivesBuildSide() || table.is_bitmap)
    return {};
  std::vector<size_t> tables{table.table};
  tables.insert(tables.end(), table.links.begin(), table.links.end());
  return tables;
}

}  // namespace

bool LoopGenerator::IsTablePrivate() const {
  return !group_table_ &&
         kernel_.aggregate.groups * kernel_.aggregate.words <= kLargestPrivateTableWords;
}

std::string LoopGenerator::Word(size_t word) const {
  if (kernel_.aggregate.keys.empty() || group_table_)
    return "a" + std::to_string(word);
  return "table[group * WORDS + " + std::to_string(word) + "]";
}

void LoopGenerator::WriteTable(CodeBlock& block) {
  const AggregateLayout& layout = kernel_.aggregate;
  if (group_table_) {
    group_table_->WriteDeclarations(block);
    group_table_->WriteRunDeclaration(block);
    return;
  }
  if (layout.keys.empty()) {
    for (const Accumulator& accumulator : layout.accumulators) {
      const std::vector<int64_t> words = InitialWords(accumulator.fold);
      for (size_t i = 0; i < words.size(); i++) {
        block.Line("long " + Word(accumulator.word + i) + " = " +
                   IntegerLiteral(words[i], Machine::Int64) + ";");
      }
    }
    return;
  }
  block.Line(IsTablePrivate() ? "long table[GROUPS * WORDS];"
                              : "__global long* restrict table = partials + "
                                "get_group_id(0) * (ulong)(GROUPS * WORDS);");
  block.Open("for (uint group = 0; group < GROUPS; group++) {");
  for (const Accumulator& accumulator : layout.accumulators) {
    const std::vector<int64_t> words = InitialWords(accumulator.fold);
    for (size_t i = 0; i < words.size(); i++) {
      block.Line(Word(accumulator.word + i) + " = " + IntegerLiteral(words[i], Machine::Int64) +
                 ";");
    }
  }
  block.Close();
}

void LoopGenerator::WriteRow(CodeBlock& block) {
  const DirectReader reader;
  ExpressionWriter writer(context_, reader, block);
  const std::string condition = WriteFilters(writer);
  if (condition != "1")
    block.Open("if (" + condition + ") {");
  WriteSink(writer, block);
  if (condition != "1")
    block.Close();
}

void LoopGenerator::WriteSink(ExpressionWriter& writer, CodeBlock& block) {
  if (kernel_.build) {
    WriteInsert(writer, block);
  } else if (kernel_.is_aggregate) {
    if (!kernel_.aggregate.keys.empty() || group_table_)
      WriteGroup(writer, block);
    if (group_table_)
      WriteRun(block);
    const std::vector<Value> values = WriteArguments(writer);
    WriteFolds(block, values, [&](size_t word) { return Word(word); });
  } else if (kernel_.multiplies_result) {
    WriteGive(writer, block, "produced++");
  } else {
    const std::string condition = WriteLastFilter(writer);
    if (condition != "1")
      block.Open("if (" + condition + ") {");
    block.Line("const ulong position = (ulong)unit * UNIT_ROWS + produced;");
    WriteOutputs(writer, block, "position");
    block.Line("produced++;");
    if (condition != "1")
      block.Close();
  }
}

void LoopGenerator::WriteRun(CodeBlock& block) {
  block.Open("if (" + group_table_->DiffersFromRun() + ") {");
  if (kernel_.aggregate.shared->is_clustered) {
    // Only the first and the last run of a unit can go on in others.
    block.Open("if (runs > 1) {");
    group_table_->WriteStore(block, "run_group");
    block.Line("run_group = ~0UL;");
    block.Close();
    block.Line("runs++;");
  }
  WriteRunEnd(block);
  group_table_->WriteRunStart(block);
  group_table_->WriteReset(block);
  group_table_->WriteRows(block);
  block.Close();
}

void LoopGenerator::WriteRunEnd(CodeBlock& block) {
  block.Open("if (run_group != ~0UL) {");
  group_table_->WriteFold(context_, block, "run_group");
  block.Close();
}

void LoopGenerator::WritePartials(CodeBlock& block) {
  const AggregateLayout& layout = kernel_.aggregate;
  if (group_table_) {
    WriteRunEnd(block);
  } else if (layout.keys.empty()) {
    for (size_t word = 0; word < layout.words; word++) {
      block.Line("partials[get_group_id(0) * WORDS + " + std::to_string(word) +
                 "] = " + Word(word) + ";");
    }
  } else if (IsTablePrivate()) {
    block.Open("for (uint word = 0; word < GROUPS * WORDS; word++) {");
    block.Line("partials[get_group_id(0) * (ulong)(GROUPS * WORDS) + word] = table[word];");
    block.Close();
  }
}

void LoopGenerator::WriteRows(CodeBlock& block) {
  block.Open("for (uint row = 0; row < rows; row++) {");
  WriteRow(block);
  block.Close();
}

void LoopGenerator::WriteStaged(CodeBlock& block, const std::vector<size_t>& tables) {
  block.Line("const uint row = staged_row[place];");
  for (size_t table : tables)
    block.Line("const int " + JoinedRow(table) + " = staged_" + JoinedRow(table) + "[place];");
}

void LoopGenerator::OpenStage(CodeBlock& block, const std::vector<size_t>& tables) {
  block.Open("{");
  block.Line("uint kept = 0;");
  block.Open("for (uint place = 0; place < count; place++) {");
  WriteStaged(block, tables);
}

void LoopGenerator::CloseStage(CodeBlock& block, const std::vector<size_t>& tables,
                               const std::string& condition) {
  block.Line("staged_row[kept] = row;");
  for (size_t table : tables)
    block.Line("staged_" + JoinedRow(table) + "[kept] = " + JoinedRow(table) + ";");
  block.Line("kept += " + condition + ";");
  block.Close();
  WriteLeft(block, "kept");
  block.Close();
}

void LoopGenerator::WriteLeft(CodeBlock& block, const std::string& rows) {
  block.Line("left = " + rows + ";");
  block.Line("count = left;");
}

bool LoopGenerator::TestsBits() const {
  if (pipeline_.joins.empty() || FiltersByBound())
    return false;
  const plan::JoinKind kind = pipeline_.joins[0].kind;
  return pipeline_.conjuncts.empty() && kernel_.joins[0].has_bits && !kernel_.joins[0].is_ranked &&
         (kind == plan::JoinKind::Inner || kind == plan::JoinKind::Semi);
}

void LoopGenerator::WriteStages(CodeBlock& declarations, CodeBlock& block) {
  const DirectReader reader;
  declarations.Line("#define STAGED_ROWS " + Number(kStagedRows));
  // With room for eight more: where few rows pass, eight at a time are left out.
  declarations.Line("uchar passes[STAGED_ROWS + 8];");
  declarations.Line("uint staged_row[STAGED_ROWS + 8];");
  declarations.Line("volatile uint left;");
  if (kernel_.is_resumable)
    block.Line("__global uint* next = resume + unit * " + Number(kernel_.resume_words) + ";");
  block.Line("uint begin = " + std::string(kernel_.is_resumable ? "next[0];" : "0;"));
  if (kernel_.multiplies_result) {
    block.Line("uint given = next[1];");
    block.Line("uint has_room = 1;");
  }
  block.Open("while (" + WhileSteps("begin < rows") + ") {");
  block.Line("const uint end = min(begin + STAGED_ROWS, rows);");
  // Two loops: compilers find vectors in the first, which keeps nothing from row to row.
  block.Open("for (uint row = begin; row < end; row++) {");
  {
    ExpressionWriter writer(context_, reader, block);
    const std::string condition =
        TestsBits()
            ? JoinWriter(writer, context_, block).WriteTaken(pipeline_.joins[0], kernel_.joins[0])
            : WriteFilters(writer);
    block.Line("passes[row - begin] = (uchar)(" + condition + ");");
  }
  block.Close();
  block.Line("uint count = 0;");
  block.Line("vstore8((uchar8)(0), 0, passes + (end - begin));");
  block.Open("for (uint place = 0; place < end - begin; place += 8) {");
  block.Line("if (as_ulong(vload8(0, passes + place)) == 0) continue;");
  block.Open("for (uint next = place; next < place + 8; next++) {");
  block.Line("staged_row[count] = begin + next;");
  block.Line("count += passes[next];");
  block.Close();
  block.Close();
  WriteLeft(block, "count");

  std::vector<size_t> tables;  // of which rows are known
  size_t next = 0;
  std::string head;
  for (; next < pipeline_.joins.size(); next++) {
    const PipelineJoin& join = pipeline_.joins[next];
    const JoinTable& table = kernel_.joins[next];
    if (!JoinWriter::IsLookup(join, table)) {
      OpenStage(block, tables);
      ExpressionWriter writer(context_, reader, block);
      JoinWriter join_writer(writer, context_, block);
      // The search for further entries has branches; the first one is at hand then.
      const std::string first = join_writer.WriteHead(join, table);
      head = "staged_" + first + "[place]";
      declarations.Line("int staged_" + first + "[STAGED_ROWS];");
      block.Line("staged_" + first + "[kept] = " + first + ";");
      const bool needs_entry =
          join.kind == plan::JoinKind::Inner || join.kind == plan::JoinKind::Semi;
      CloseStage(block, tables, needs_entry ? "(" + first + " >= 0)" : "1");
      break;
    }
    const bool is_taken = next == 0 && TestsBits();
    // What the bits left is all that a semi join asks for, or a join with a bitmap.
    if (!is_taken || (join.GivesBuildSide() && !table.is_bitmap)) {
      OpenStage(block, tables);
      ExpressionWriter writer(context_, reader, block);
      JoinWriter join_writer(writer, context_, block);
      std::string gives_row = "1";
      if (is_taken)
        join_writer.WriteKnownLookup(join, table);
      else
        gives_row = join_writer.WriteLookup(join, table);
      for (size_t joined : JoinedTables(join, table)) {
        tables.push_back(joined);
        declarations.Line("int staged_" + JoinedRow(joined) + "[STAGED_ROWS];");
      }
      CloseStage(block, tables, gives_row);
    }
    if (join.conjuncts.empty())
      continue;
    OpenStage(block, tables);
    ExpressionWriter filter(context_, reader, block);
    const std::string condition = WriteConjunction(filter, join.conjuncts);
    CloseStage(block, tables, condition);
  }

  block.Line("uint place = 0;");
  block.Open("for (; " + WhileSteps("place < count") + "; place++) {");
  WriteStaged(block, tables);
  if (kernel_.multiplies_result)
    OpenGiving(block);
  ExpressionWriter writer(context_, reader, block);
  OpenJoins(writer, block, next, head);
  WriteSink(writer, block);
  CloseJoins(block);
  if (kernel_.multiplies_result)
    CloseGiving(block);
  block.Close();
  block.Line("begin = place < count ? staged_row[place] : end;");
  block.Close();
  if (kernel_.is_resumable) {
    block.Line("next[0] = begin;");
    if (kernel_.multiplies_result)
      block.Line("next[1] = given;");
    block.Line("unfinished |= begin < rows;");
  }
}

std::vector<std::string> LoopGenerator::PackedWords() const {
  std::vector<std::string> words;
  for (size_t word = 0; word < packed_->Words(); word++) {
    words.push_back("packed[group * " + Number(packed_->Words()) + " + " + Number(word) + "]");
  }
  return words;
}

void LoopGenerator::WriteVector(CodeBlock& declarations, CodeBlock& block) {
  const Dialect& dialect = Dialect::Vector();
  const VectorReader reader;
  ExpressionWriter writer(context_, reader, block, dialect);
  const std::string is_inside = writer.Declare(
      Machine::Int32, "((int8)((int)row) + (int8)(0, 1, 2, 3, 4, 5, 6, 7) < (int)rows)");
  writer.Restrict(is_inside);
  const std::string condition = WriteFilters(writer);
  const std::string passes =
      condition == "1" ? is_inside : writer.Declare(Machine::Int32, is_inside + " & " + condition);
  writer.Restrict(passes);
  WriteGroup(writer, block);
  declarations.Line("uint tile_group[TILE_ROWS];");
  // Rows that don't pass go to a group of their own.
  block.Line("vstore8(" + passes + " ? group : (uint8)(GROUPS), 0, tile_group + place);");

  const std::vector<Value> values = WriteArguments(writer);
  const std::vector<std::string> sums = packed_->SharedSums(values, dialect);
  for (size_t word = 0; word < sums.size(); word++) {
    const std::string name = "tile_word" + Number(word);
    declarations.Line("long " + name + "[TILE_ROWS];");
    block.Line("vstore8(" + sums[word] + ", 0, " + name + " + place);");
  }
  const AggregateLayout& layout = kernel_.aggregate;
  kept_.assign(layout.arguments.size(), std::nullopt);
  for (size_t i = 0; i < layout.accumulators.size(); i++) {
    const Accumulator& accumulator = layout.accumulators[i];
    if (packed_->IsShared(i) || kept_[accumulator.argument])
      continue;
    const size_t argument = accumulator.argument;
    Value& kept = kept_[argument].emplace();
    kept.machine = values[argument].machine;
    const auto keep = [&](const std::string& name, Machine machine, const std::string& code) {
      declarations.Line(std::string(MachineName(machine)) + " " + name + "[TILE_ROWS];");
      block.Line("vstore8(" + code + ", 0, " + name + " + place);");
      return name + "[place]";
    };
    kept.code = keep("tile_value" + Number(argument), kept.machine, values[argument].code);
    if (values[argument].CanBeNull())
      kept.null = keep("tile_null" + Number(argument), Machine::Int32, values[argument].null);
  }
}

void LoopGenerator::WriteTileFolds(CodeBlock& block) {
  const std::vector<std::string> words = PackedWords();
  block.Line("const uint group = tile_group[place];");
  for (size_t word = 0; word < packed_->SharedWords(); word++)
    block.Line(words[word] + " += tile_word" + Number(word) + "[place];");
  std::vector<Value> values(kept_.size());
  for (size_t i = 0; i < kept_.size(); i++)
    values[i] = kept_[i].value_or(Value{});
  const std::vector<std::string> others = packed_->FoldOthers(values, words);
  for (const std::string& line : others)
    block.Line(line);
}

void LoopGenerator::WriteFlush(CodeBlock& block) {
  const std::vector<std::string> words = PackedWords();
  const std::vector<int64_t> initial = packed_->InitialWords();
  block.Open("for (uint group = 0; group < GROUPS; group++) {");
  const auto& accumulators = kernel_.aggregate.accumulators;
  for (size_t i = 0; i < accumulators.size(); i++) {
    std::vector<std::string> into;
    for (size_t word = 0; word < accumulators[i].Words(); word++)
      into.push_back(Word(accumulators[i].word + word));
    for (const std::string& line :
         CombineCode(accumulators[i].fold, into, packed_->Unpack(i, words))) {
      block.Line(line);
    }
  }
  for (size_t word = 0; word < words.size(); word++)
    block.Line(words[word] + " = " + IntegerLiteral(initial[word], Machine::Int64) + ";");
  block.Close();
}

void LoopGenerator::WriteTiles(CodeBlock& declarations, CodeBlock& block) {
  const AggregateLayout& layout = kernel_.aggregate;
  const bool flush_tiles = layout.groups * layout.words <= kLargestTableWordsPerTile;
  packed_.emplace(layout, flush_tiles ? kTileRows : storage::kSegmentRows);
  declarations.Line("#define TILE_ROWS " + Number(kTileRows));
  declarations.Line("int8 vector_fault = (int8)(0);");
  declarations.Line("long packed[(GROUPS + 1) * " + Number(packed_->Words()) + "];");
  declarations.Open("for (uint group = 0; group <= GROUPS; group++) {");
  const std::vector<int64_t> initial = packed_->InitialWords();
  for (size_t word = 0; word < initial.size(); word++) {
    declarations.Line(PackedWords()[word] + " = " + IntegerLiteral(initial[word], Machine::Int64) +
                      ";");
  }
  declarations.Close();

  block.Open("for (uint tile = 0; tile < rows; tile += TILE_ROWS) {");
  block.Line("const uint tile_rows = min((uint)TILE_ROWS, rows - tile);");
  block.Open("for (uint place = 0; place < tile_rows; place += 8) {");
  block.Line("const uint row = tile + place;");
  WriteVector(declarations, block);
  block.Close();
  block.Open("for (uint place = 0; place < tile_rows; place++) {");
  WriteTileFolds(block);
  block.Close();
  if (flush_tiles)
    WriteFlush(block);
  block.Close();
  if (!flush_tiles)
    WriteFlush(block);
}

void LoopGenerator::WriteBody(CodeBlock& block) {
  kernel_.work_group = 1;
  kernel_.unit_rows = storage::kSegmentRows;
  kernel_.units_per_segment = 1;
  // Other rows keep the table's order, in batches that are the same in all runs.
  if (kernel_.build || kernel_.is_aggregate || kernel_.multiplies_result)
    MakeResumable(kMostSteps);
  if (kernel_.is_aggregate)
    WriteTable(block);

  CodeBlock segment(block.Indentation() + 1);
  bool is_tiled = false;
  if (kernel_.is_aggregate && !kernel_.aggregate.keys.empty() && IsTablePrivate() &&
      pipeline_.joins.empty()) {
    const Parameters parameters = context_.parameters;
    CodeBlock declarations(block.Indentation()), tiles(segment.Indentation());
    try {
      WriteTiles(declarations, tiles);
      block.Append(declarations);
      segment.Append(tiles);
      is_tiled = true;
    } catch (const NotVectorizable&) {
      context_.parameters = parameters;
    }
  }
  // Where rows pass at random, a branch for each costs more than to note which of them do.
  // Compilers make vectors of folds without groups.
  const bool is_one_group = kernel_.is_aggregate && kernel_.aggregate.keys.empty() && !group_table_;
  const bool has_branches = !pipeline_.conjuncts.empty() && !is_one_group && !is_tiled;
  if (!pipeline_.joins.empty() || FiltersByBound() || has_branches) {
    CodeBlock declarations(block.Indentation());
    WriteStages(declarations, segment);
    block.Append(declarations);
  } else if (!is_tiled) {
    WriteRows(segment);
  }

  block.Open("for (uint unit = get_group_id(0); unit < units; unit += get_num_groups(0)) {");
  block.Line("__global const long* segment = segments + unit * (ulong)SEGMENT_WORDS;");
  WriteSegment(block);
  if (group_table_ && kernel_.aggregate.shared->is_clustered)
    block.Line("uint runs = 0;");
  const bool gives_rows = !kernel_.is_aggregate && !kernel_.build;
  if (gives_rows)
    block.Line("uint produced = 0;");
  block.Append(segment);
  if (gives_rows)
    block.Line("counts[unit] = min(produced, (uint)UNIT_ROWS);");
  block.Close();
  if (is_tiled)
    block.Line("fault |= any(vector_fault);");
  if (kernel_.is_aggregate)
    WritePartials(block);
}

}  // namespace margay::compile
