#include "compile/sink/single_result.hpp"

#include <algorithm>

#include "compile/sink/lanes_reduction.hpp"

namespace margay::compile {

namespace {

//! Words that are reduced between two barriers. Each round costs compilers of CPU runtimes about as
//! much as the rest of a small kernel, so the fewer the better; local memory sets the limit.
constexpr size_t kRoundWords = 16;

std::string Accumulated(size_t word) {
  return "a" + std::to_string(word);
}

}  // namespace

void LoopSingleResult::WriteBegin(CodeBlock& block) {
  WriteInitialWords(block, "long ", Accumulated);
}

void LoopSingleResult::WriteRow(ExpressionWriter& writer, CodeBlock& block) {
  WriteFolds(block, WriteArguments(writer), Accumulated);
}

void LoopSingleResult::WriteEnd(CodeBlock& block) {
  for (size_t word = 0; word < layout_.words; word++) {
    block.Line("partials[get_group_id(0) * WORDS + " + std::to_string(word) +
               "] = " + Accumulated(word) + ";");
  }
}

void LanesSingleResult::WriteBegin(CodeBlock& block) {
  WriteInitialWords(block, "long ", Accumulated);
}

void LanesSingleResult::WriteRow(ExpressionWriter& writer, CodeBlock& block) {
  WriteFolds(block, WriteArguments(writer), Accumulated);
}

void LanesSingleResult::WriteEnd(CodeBlock& block) {
  const size_t most_words = std::min(layout_.words, kRoundWords);
  block.Line("__local long reduced[" + std::to_string(most_words) + " * LANES];");
  for (const ReductionRound& round : ReductionRound::Cut(layout_, most_words)) {
    std::vector<std::string> into, from;
    for (size_t i = 0; i < round.own.size(); i++) {
      into.push_back(round.shared[i] + "]");
      from.push_back(round.shared[i] + " + distance]");
      block.Line(into[i] + " = " + Accumulated(round.table[i]) + ";");
    }
    block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
    block.Open("for (uint distance = LANES / 2; distance > 0; distance /= 2) {");
    block.Open("if (lane < distance) {");
    round.WriteCombine(layout_, block, into, from);
    block.Close();
    block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
    block.Close();
    block.Open("if (lane == 0) {");
    for (size_t i = 0; i < round.own.size(); i++) {
      block.Line("partials[get_group_id(0) * WORDS + " + std::to_string(round.table[i]) +
                 "] = " + into[i] + ";");
    }
    block.Close();
    block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  }
}

}  // namespace margay::compile
