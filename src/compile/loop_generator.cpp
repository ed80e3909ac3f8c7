#include "compile/loop_generator.hpp"

#include "storage/constants.hpp"

namespace margay::compile {

namespace {

//! Tables up to this size live on the work-item's stack; larger ones are folded into where their
//! partial results belong.
constexpr size_t kLargestPrivateTableWords = 512;

}  // namespace

bool LoopGenerator::IsTablePrivate() const {
  return kernel_.aggregate.groups * kernel_.aggregate.words <= kLargestPrivateTableWords;
}

std::string LoopGenerator::Word(size_t word) const {
  if (kernel_.aggregate.keys.empty())
    return "a" + std::to_string(word);
  return "table[group * WORDS + " + std::to_string(word) + "]";
}

void LoopGenerator::WriteTable(CodeBlock& block) {
  const AggregateLayout& layout = kernel_.aggregate;
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
  if (kernel_.is_aggregate) {
    if (!kernel_.aggregate.keys.empty())
      WriteGroup(writer, block);
    const std::vector<Value> values = WriteArguments(writer);
    WriteFolds(block, values, [&](size_t word) { return Word(word); });
  } else {
    block.Line("const ulong position = (ulong)unit * UNIT_ROWS + produced;");
    WriteOutputs(writer, block, "position");
    block.Line("produced++;");
  }
  if (condition != "1")
    block.Close();
}

void LoopGenerator::WritePartials(CodeBlock& block) {
  const AggregateLayout& layout = kernel_.aggregate;
  if (layout.keys.empty()) {
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

void LoopGenerator::WriteBody(CodeBlock& block) {
  kernel_.work_group = 1;
  kernel_.unit_rows = storage::kSegmentRows;
  kernel_.units_per_segment = 1;
  if (kernel_.is_aggregate)
    WriteTable(block);
  block.Open("for (uint unit = get_group_id(0); unit < units; unit += get_num_groups(0)) {");
  block.Line("__global const long* segment = segments + unit * (ulong)SEGMENT_WORDS;");
  WriteSegment(block);
  if (!kernel_.is_aggregate)
    block.Line("uint produced = 0;");
  block.Open("for (uint row = 0; row < rows; row++) {");
  WriteRow(block);
  block.Close();
  if (!kernel_.is_aggregate)
    block.Line("counts[unit] = produced;");
  block.Close();
  if (kernel_.is_aggregate)
    WritePartials(block);
}

}  // namespace margay::compile
