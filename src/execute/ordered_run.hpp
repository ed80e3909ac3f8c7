#pragma once

#include <vector>

#include "execute/gathered_rows.hpp"
#include "execute/rows_run.hpp"

namespace margay::execute {

//! Rows that are wanted in an order, all or the first of them.
//!
//! With a limit, only the rows that may still be among the first are kept. Once there are as many
//! as are wanted, the words of the last one are the bound that later rows must be below, which the
//! kernel tests. Batches are small at first, the segments that can hold the lowest words come
//! first, and those that statistics show to be above the bound are left out.
//!
//! Of long texts (see optimize::OrderWords::LongText) the words have only the first bytes. Where
//! these are the same, the texts themselves are fetched and compared, after all rows have come;
//! until then such rows stay together, wanted or not.
class OrderedRun : public RowsRun {
 public:
  OrderedRun(RunContext& context, size_t number);

  void Run(PipelineRun& pipeline) override;
  void Bind(ArgumentBinder& binder, const PipelineRun& pipeline, const Batch& batch) override;
  void TakeBatch(PipelineRun& pipeline, const Batch& batch) override;
  void Finish() override;
  size_t LargestBatch() const override;
  void Arrange(WorkList& work) const override;
  size_t UsefulSegments(const size_t* segments, size_t count) const override;

 protected:
  void TakeRows(PipelineRun& pipeline, ResultBatch batch) override;

 private:
  bool IsLimited() const { return sink_.window.limit.has_value(); }
  const optimize::OrderWords& Order() const { return *sink_.order; }
  //! A row, and beside it the first word, by which it mostly differs from others.
  struct RowAndWord {
    uint64_t first_word;
    RowPlace place;
  };

  uint64_t Word(const RowPlace& place, size_t word) const;
  bool IsBelow(const RowAndWord& left, const RowAndWord& right) const;
  //! Has `reorder` put the rows that are kept, [begin, end) with IsBelow, into another order.
  template <typename Reorder>
  void ArrangeKept(const Reorder& reorder);
  //! Whether the words up to the end of the first long text, or all, are the same.
  bool AreTied(const RowPlace& left, const RowPlace& right) const;
  //! Keeps the rows that are wanted so far, and takes the bound from the last one.
  void KeepFirst();
  //! Puts the rows that are kept into the order of their words.
  void Sort();
  //! Puts rows that are tied into the order of their long texts.
  void SettleTies();
  //! Copies the rows that are kept out of batches that hold many others.
  void Compact();

  PipelineRun* pipeline_ = nullptr;  //!< whose rows these are
  const std::vector<optimize::OrderWords::LongText>& long_texts_;
  const size_t word_count_;
  const size_t deciding_words_;  //!< before the first long text ends
  const uint64_t wanted_;        //!< rows that decide about the window
  std::vector<ResultBatch> batches_;
  std::vector<RowPlace> kept_;  //!< rows of batches_
  uint64_t held_rows_ = 0;      //!< of batches_
  std::vector<uint64_t> bound_;
  device::Buffer bound_buffer_;
  size_t next_batch_ = 1;  //!< segments of the next batch
};

}  // namespace margay::execute
