#include "compile/text_searches.hpp"

#include "compile/text_writer.hpp"

namespace margay::compile {

namespace {

//! 64 KiB of bitmaps, on top of which the stack of a CPU runtime's thread has room.
constexpr size_t kMostSearches = 8;

}  // namespace

TextSearches TextSearches::Of(const Pipeline& pipeline, const std::vector<InputColumn>& columns) {
  TextSearches searches;
  for (const plan::ExpressionPointer& conjunct : pipeline.conjuncts)
    searches.Collect(conjunct, columns);
  return searches;
}

void TextSearches::Collect(const plan::ExpressionPointer& expression,
                           const std::vector<InputColumn>& columns) {
  for (const plan::ExpressionPointer& operand : expression->Operands())
    Collect(operand, columns);
  if (searches_.size() == kMostSearches || !IsLike(*expression) ||
      !columns[expression->Operand(0).ColumnIndex()].HoldsText() ||
      !LikePatternOf(*expression).HasNeedle()) {
    return;
  }
  if (numbers_.emplace(expression->ToString(), searches_.size()).second)
    searches_.push_back(expression);
}

void TextSearches::Write(CodeBlock& block, Parameters& parameters) const {
  for (size_t i = 0; i < searches_.size(); i++) {
    const std::string found = "found" + std::to_string(i);
    const std::string column = std::to_string(searches_[i]->Operand(0).ColumnIndex());
    block.Line("uint " + found + "[SEGMENT_ROWS / 32];");
    block.Line("text_search(t" + column + ", c" + column + ", rows, " +
               PatternCode(*searches_[i], parameters) + ", " + found + ");");
  }
}

std::string TextSearches::Find(const plan::Expression& expression) const {
  const auto search = numbers_.find(expression.ToString());
  if (search == numbers_.end())
    return "";
  return "(int)(found" + std::to_string(search->second) + "[row / 32] >> row % 32 & 1)";
}

}  // namespace margay::compile
