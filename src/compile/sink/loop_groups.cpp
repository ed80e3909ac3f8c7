#include "compile/sink/loop_groups.hpp"

#include <algorithm>

#include "compile/kernel_generator.hpp"
#include "compile/sink/group_index_writer.hpp"
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

std::string Word(size_t word) {
  return "table[group * WORDS + " + std::to_string(word) + "]";
}

std::string Number(size_t number) {
  return std::to_string(number);
}

}  // namespace

LoopGroups::LoopGroups(KernelGenerator& generator) : AggregateSink(generator) {
  if (CanTile())
    packed_.emplace(layout_, FlushesTiles() ? kTileRows : storage::kSegmentRows);
}

bool LoopGroups::IsTablePrivate() const {
  return layout_.groups * layout_.words <= kLargestPrivateTableWords;
}

bool LoopGroups::FlushesTiles() const {
  return layout_.groups * layout_.words <= kLargestTableWordsPerTile;
}

bool LoopGroups::CanTile() const {
  const optimize::LoweredPipeline& pipeline = generator_.Pipeline();
  if (!IsTablePrivate() || !pipeline.joins.empty())
    return false;
  const auto has_vectors = [&](const optimize::Node* node) {
    return node == nullptr || CanVectorize(*node, [&](size_t column) {
             return generator_.Context().Column(column).form->Type().IsBoolean();
           });
  };
  const auto can_vectorize = [&](const optimize::Value& value) {
    return has_vectors(value.node) && has_vectors(value.null) &&
           std::all_of(value.faults.begin(), value.faults.end(), has_vectors);
  };
  // A flag is no number in the vector dialect.
  return std::all_of(pipeline.filters.begin(), pipeline.filters.end(), can_vectorize) &&
         std::all_of(layout_.index.begin(), layout_.index.end(), can_vectorize) &&
         std::none_of(layout_.keys.begin(), layout_.keys.end(),
                      [](const optimize::GroupKey& key) { return key.type.IsBoolean(); }) &&
         std::all_of(layout_.arguments.begin(), layout_.arguments.end(),
                     [&](const AggregateLayout::Argument& argument) {
                       return !argument.expression->GetType().IsBoolean() &&
                              can_vectorize(argument.value);
                     });
}

void LoopGroups::WriteBegin(CodeBlock& block) {
  block.Line(IsTablePrivate() ? "long table[GROUPS * WORDS];"
                              : "__global long* restrict table = partials + "
                                "get_group_id(0) * (ulong)(GROUPS * WORDS);");
  block.Open("for (uint group = 0; group < GROUPS; group++) {");
  WriteInitialWords(block, "", Word);
  block.Close();
}

void LoopGroups::WriteRow(ExpressionWriter& writer, CodeBlock& block) {
  WriteGroupIndex(layout_, writer, block);
  WriteFolds(block, WriteArguments(writer), Word);
}

void LoopGroups::WriteEnd(CodeBlock& block) {
  if (IsTiled())
    block.Line("fault |= any(vector_fault);");
  if (!IsTablePrivate())
    return;
  block.Open("for (uint word = 0; word < GROUPS * WORDS; word++) {");
  block.Line("partials[get_group_id(0) * (ulong)(GROUPS * WORDS) + word] = table[word];");
  block.Close();
}

std::vector<std::string> LoopGroups::PackedWords() const {
  std::vector<std::string> words;
  for (size_t word = 0; word < packed_->Words(); word++)
    words.push_back("packed[group * " + Number(packed_->Words()) + " + " + Number(word) + "]");
  return words;
}

void LoopGroups::WriteVector(CodeBlock& declarations, CodeBlock& block) {
  const Dialect& dialect = Dialect::Vector();
  const VectorReader reader;
  ExpressionWriter writer(generator_.Context(), reader, block, dialect);
  const std::string is_inside = writer.Declare(
      Machine::Int32, "((int8)((int)row) + (int8)(0, 1, 2, 3, 4, 5, 6, 7) < (int)rows)");
  writer.Restrict(is_inside);
  const std::string condition = generator_.WriteFilters(writer);
  const std::string passes =
      condition == "1" ? is_inside : writer.Declare(Machine::Int32, is_inside + " & " + condition);
  writer.Restrict(passes);
  WriteGroupIndex(layout_, writer, block);
  declarations.Line("uint tile_group[TILE_ROWS];");
  // Rows that don't pass go to a group of their own.
  block.Line("vstore8(" + passes + " ? group : (uint8)(GROUPS), 0, tile_group + place);");

  const std::vector<WrittenValue> values = WriteArguments(writer);
  const std::vector<std::string> sums = packed_->SharedSums(values, dialect);
  for (size_t word = 0; word < sums.size(); word++) {
    const std::string name = "tile_word" + Number(word);
    declarations.Line("long " + name + "[TILE_ROWS];");
    block.Line("vstore8(" + sums[word] + ", 0, " + name + " + place);");
  }
  kept_.assign(layout_.arguments.size(), std::nullopt);
  for (size_t i = 0; i < layout_.accumulators.size(); i++) {
    const Accumulator& accumulator = layout_.accumulators[i];
    if (packed_->IsShared(i) || kept_[accumulator.argument])
      continue;
    const size_t argument = accumulator.argument;
    WrittenValue& kept = kept_[argument].emplace();
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

void LoopGroups::WriteTileFolds(CodeBlock& block) {
  const std::vector<std::string> words = PackedWords();
  block.Line("const uint group = tile_group[place];");
  for (size_t word = 0; word < packed_->SharedWords(); word++)
    block.Line(words[word] + " += tile_word" + Number(word) + "[place];");
  std::vector<WrittenValue> values(kept_.size());
  for (size_t i = 0; i < kept_.size(); i++)
    values[i] = kept_[i].value_or(WrittenValue{});
  for (const std::string& line : packed_->FoldOthers(values, words))
    block.Line(line);
}

void LoopGroups::WriteFlush(CodeBlock& block) {
  const std::vector<std::string> words = PackedWords();
  const std::vector<int64_t> initial = packed_->InitialWords();
  block.Open("for (uint group = 0; group < GROUPS; group++) {");
  for (size_t i = 0; i < layout_.accumulators.size(); i++) {
    const Accumulator& accumulator = layout_.accumulators[i];
    std::vector<std::string> into;
    for (size_t word = 0; word < accumulator.Words(); word++)
      into.push_back(Word(accumulator.word + word));
    for (const std::string& line : CombineCode(accumulator.fold, into, packed_->Unpack(i, words))) {
      block.Line(line);
    }
  }
  for (size_t word = 0; word < words.size(); word++)
    block.Line(words[word] + " = " + IntegerLiteral(initial[word], Machine::Int64) + ";");
  block.Close();
}

void LoopGroups::WriteTiles(CodeBlock& declarations, CodeBlock& block) {
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
  if (FlushesTiles())
    WriteFlush(block);
  block.Close();
  if (!FlushesTiles())
    WriteFlush(block);
}

}  // namespace margay::compile
