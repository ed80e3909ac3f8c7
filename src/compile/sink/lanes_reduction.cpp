#include "compile/sink/lanes_reduction.hpp"

namespace margay::compile {

std::vector<ReductionRound> ReductionRound::Cut(const optimize::AggregateLayout& layout,
                                                size_t most_words) {
  std::vector<ReductionRound> rounds;
  for (size_t number = 0; number < layout.accumulators.size(); number++) {
    const Accumulator& accumulator = layout.accumulators[number];
    if (rounds.empty() || rounds.back().own.size() + accumulator.Words() > most_words)
      rounds.emplace_back();
    ReductionRound& round = rounds.back();
    round.accumulators.push_back(number);
    for (size_t i = 0; i < accumulator.Words(); i++) {
      const std::string place = std::to_string(round.own.size());
      round.shared.push_back("reduced[" + place + " * LANES + lane");
      round.own.push_back("r" + place);
      round.table.push_back(accumulator.word + i);
      round.initial.push_back(optimize::InitialWords(accumulator.fold)[i]);
    }
  }
  return rounds;
}

void ReductionRound::WriteCombine(const optimize::AggregateLayout& layout, CodeBlock& block,
                                  const std::vector<std::string>& into,
                                  const std::vector<std::string>& from) const {
  size_t word = 0;
  for (size_t number : accumulators) {
    const Accumulator& accumulator = layout.accumulators[number];
    const auto part = [&](const std::vector<std::string>& words) {
      const auto first = words.begin() + static_cast<ptrdiff_t>(word);
      return std::vector<std::string>(first, first + static_cast<ptrdiff_t>(accumulator.Words()));
    };
    for (const std::string& line : CombineCode(accumulator.fold, part(into), part(from)))
      block.Line(line);
    word += accumulator.Words();
  }
}

}  // namespace margay::compile
