#pragma once

#include "compile/sink/fold_code.hpp"
#include "compile/sink/sink.hpp"
#include "optimize/physical/aggregate_layout.hpp"

namespace margay::compile {

using optimize::AggregateLayout;

//! What the sinks share that fold rows into accumulators.
class AggregateSink : public Sink {
 public:
  explicit AggregateSink(KernelGenerator& generator);

  void AddArguments(ArgumentList& arguments) const override;
  void WriteDefinitions(CodeBlock& block) const override;

 protected:
  //! Writes the values of the arguments for a row.
  std::vector<WrittenValue> WriteArguments(ExpressionWriter& writer) const;
  //! Writes the folding of values (one per argument) into the table; `word` names a word of the
  //! row's group.
  template <typename Word>
  void WriteFolds(CodeBlock& block, const std::vector<WrittenValue>& values, const Word& word);
  //! Writes what all words of a group, which `word` names, hold before the first row; each line
  //! begins with `declaration`.
  template <typename Word>
  void WriteInitialWords(CodeBlock& block, const std::string& declaration, const Word& word) const;

  const AggregateLayout& layout_;

 private:
  //! Writes the folding of the string of word `from` (see TextExtreme) into the variable `into`.
  void WriteTextFold(CodeBlock& block, const Accumulator& accumulator, const std::string& into,
                     const std::string& from);
};

template <typename Word>
void AggregateSink::WriteFolds(CodeBlock& block, const std::vector<WrittenValue>& values,
                               const Word& word) {
  for (const Accumulator& accumulator : layout_.accumulators) {
    std::vector<std::string> words;
    for (size_t i = 0; i < accumulator.Words(); i++)
      words.push_back(word(accumulator.word + i));
    const WrittenValue value =
        accumulator.has_argument ? values[accumulator.argument] : WrittenValue{};
    const bool is_conditional = accumulator.has_argument && value.CanBeNull();
    if (is_conditional)
      block.Open("if (!" + value.null + ") {");
    if (IsText(accumulator.fold)) {
      WriteTextFold(block, accumulator, words[0], value.code);
    } else {
      for (const std::string& line : FoldCode(accumulator, words, value))
        block.Line(line);
    }
    if (is_conditional)
      block.Close();
  }
}

template <typename Word>
void AggregateSink::WriteInitialWords(CodeBlock& block, const std::string& declaration,
                                      const Word& word) const {
  for (const Accumulator& accumulator : layout_.accumulators) {
    const std::vector<int64_t> words = optimize::InitialWords(accumulator.fold);
    for (size_t i = 0; i < words.size(); i++) {
      block.Line(declaration + word(accumulator.word + i) + " = " +
                 IntegerLiteral(words[i], Machine::Int64) + ";");
    }
  }
}

}  // namespace margay::compile
