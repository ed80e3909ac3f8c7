#pragma once

#include <string>
#include <vector>

#include "compile/dialect.hpp"
#include "compile/sink/fold_code.hpp"
#include "optimize/physical/aggregate_layout.hpp"

namespace margay::compile {

using optimize::AggregateLayout;

//! A group's accumulators in as few 64-bit words as possible, for tables that take in few rows.
//!
//! Counts and 64-bit sums whose total over `rows` rows needs few bits share a word: each has a
//! field of its own, wide enough that it never runs over. Only the field at the top of a word may
//! be signed. One addition then serves all fields of a word, which matters where tables live in
//! local memory:
//!
//!     63            53                32                             0
//!      +-------------+-----------------+-----------------------------+
//!      |  count      |  sum of qty     |  sum of price               |
//!      +-------------+-----------------+-----------------------------+
//!
//! All other accumulators keep words of their own.
class PackedTable {
 public:
  PackedTable(const AggregateLayout& layout, uint64_t rows);

  size_t Words() const { return words_.size(); }

  //! What the words hold before the first row.
  std::vector<int64_t> InitialWords() const;

  //! OpenCL C statements that fold a row into the words; `values` are those of the arguments.
  std::vector<std::string> FoldCode(const std::vector<WrittenValue>& values,
                                    const std::vector<std::string>& words) const;

  //! Words that are shared; they come first.
  size_t SharedWords() const { return shared_words_; }

  //! What a row, or a vector of rows, adds to each of the shared words.
  std::vector<std::string> SharedSums(const std::vector<WrittenValue>& values,
                                      const Dialect& dialect) const;

  //! OpenCL C statements that fold a row into the words that are not shared.
  std::vector<std::string> FoldOthers(const std::vector<WrittenValue>& values,
                                      const std::vector<std::string>& words) const;

  //! Whether an accumulator is in a shared word.
  bool IsShared(size_t accumulator) const { return is_packed_[accumulator]; }

  //! The words of an accumulator, taken out of the packed `words`.
  std::vector<std::string> Unpack(size_t accumulator, const std::vector<std::string>& words) const;

 private:
  struct Field {
    size_t accumulator = 0;
    int bits = 0;
    bool is_signed = false;
    size_t word = 0;
    int shift = 0;
  };
  struct Word {
    int used_bits = 0;
    bool is_closed = false;  //!< a signed field is at the top
    int64_t initial = 0;
  };

  void Place(Field field);

  const AggregateLayout& layout_;
  std::vector<Word> words_;
  size_t shared_words_ = 0;
  std::vector<Field> fields_;        //!< packed accumulators
  std::vector<size_t> first_words_;  //!< per accumulator; of those that are not packed
  std::vector<bool> is_packed_;      //!< per accumulator
};

}  // namespace margay::compile
