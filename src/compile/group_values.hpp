#pragma once

#include <vector>

#include "compile/aggregate_layout.hpp"
#include "compile/expression_writer.hpp"
#include "plan/node.hpp"

namespace margay::compile {

//! Writes the finished values of one group of a shared table: of its keys, from the words of the
//! group's index, and of its aggregates, from the words of its accumulators.
class GroupValues {
 public:
  //! `index` are ulongs and `words` points to the group's words, in the code. All outlive the
  //! object.
  GroupValues(const AggregateLayout& layout, ExpressionWriter& writer, Parameters& parameters,
              std::vector<std::string> index, std::string words)
      : layout_(layout),
        writer_(writer),
        parameters_(parameters),
        index_(std::move(index)),
        words_(std::move(words)) {}

  //! The value of a key that is not dependent; of a string: its code.
  Value Key(const GroupKey& key);
  //! The value of aggregate number `number`, which is `aggregate`; of a string its code, or, if it
  //! is text, its row in the column that holds the bytes. Throws Unsupported.
  Value Aggregate(size_t number, const plan::Aggregate& aggregate);

 private:
  std::string Word(size_t word) const { return words_ + "[" + std::to_string(word) + "]"; }
  //! `value` modulo 2^64, as a ulong.
  std::string Unsigned(Int128 value);
  //! A variable with what the group's index has of `digit`.
  std::string Digit(const GroupDigit& digit);
  //! The value of `key` at the place of these digits.
  Value Placed(const GroupKey& key, const std::vector<std::string>& digits);
  //! The same of a key whose values are listed.
  Value Listed(const GroupKey& key, const std::string& place);
  Value Sum(const Accumulator& accumulator);
  Value Average(const Accumulator& accumulator, const std::string& count,
                const plan::Aggregate& aggregate);
  //! Of one word or of two.
  Value Extreme(const Accumulator& accumulator, const plan::Aggregate& aggregate);

  const AggregateLayout& layout_;
  ExpressionWriter& writer_;
  Parameters& parameters_;
  const std::vector<std::string> index_;
  const std::string words_;
};

}  // namespace margay::compile
