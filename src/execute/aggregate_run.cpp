#include "execute/aggregate_run.hpp"

#include <algorithm>

#include "execute/aggregate_result.hpp"
#include "storage/constants.hpp"

namespace margay::execute {

using optimize::Accumulator;
using optimize::Fold;

namespace {

//! Partial tables of one launch take at most this much memory; fewer work-groups then share the
//! work.
constexpr size_t kLargestPartials = size_t{256} << 20;

//! Tables that work-groups share are as many as fit here: more would cost more to read back than
//! fewer updates of the same word save.
constexpr size_t kSharedTablesBytes = size_t{1} << 20;

}  // namespace

AggregateRun::AggregateRun(RunContext& context, size_t number)
    : SinkRun(context, number),
      sink_(As<optimize::GroupSink>()),
      layout_(sink_.layout),
      shares_tables_(context.KernelOf(Sink().pipelines[0]).shares_tables) {
  words_.resize(layout_.groups * layout_.words);
  sums_.resize(layout_.groups * layout_.accumulators.size(), 0);
  for (const Accumulator& accumulator : layout_.accumulators) {
    const std::vector<int64_t> initial = optimize::InitialWords(accumulator.fold);
    for (uint64_t group = 0; group < layout_.groups; group++) {
      std::copy(initial.begin(), initial.end(),
                words_.begin() + static_cast<ptrdiff_t>(group * layout_.words + accumulator.word));
    }
  }
  if (shares_tables_)
    initial_words_ = words_;
}

size_t AggregateRun::LargestBatch() const {
  // A table takes in rows_per_table rows at most; even one work-group may have to take all rows of
  // a batch.
  return std::max<uint64_t>(layout_.rows_per_table / storage::kSegmentRows, 1);
}

uint32_t AggregateRun::Tables(const Batch& batch) const {
  if (!shares_tables_)
    return batch.work_groups;
  const size_t table = layout_.groups * layout_.words * sizeof(int64_t);
  return static_cast<uint32_t>(
      std::clamp<size_t>(kSharedTablesBytes / table, 1, batch.work_groups));
}

uint32_t AggregateRun::MostWorkGroups() const {
  if (shares_tables_)
    return UINT32_MAX;
  const size_t table = layout_.groups * layout_.words * sizeof(int64_t);
  return static_cast<uint32_t>(std::max<size_t>(kLargestPartials / table, 1));
}

void AggregateRun::Bind(ArgumentBinder& binder, const PipelineRun& /*pipeline*/,
                        const Batch& batch) {
  const size_t table = layout_.groups * layout_.words * sizeof(int64_t);
  const size_t bytes = Tables(batch) * table;
  if (partials_.IsEmpty() || partials_.Size() < bytes) {
    partials_ = device::Buffer();
    reservation_ = memory::ScratchReservation();
    reservation_ = context_.Pool().Reserve(bytes);
    Grow(partials_, context_.GetDevice(), bytes, device::Access::ReadWrite);
  }
  binder.Bind({compile::ArgumentKind::Partials}, partials_);
  if (!shares_tables_)
    return;
  binder.Bind({compile::ArgumentKind::PartialTables}, Tables(batch));
  partial_words_.clear();
  for (uint32_t i = 0; i < Tables(batch); i++)
    partial_words_.insert(partial_words_.end(), initial_words_.begin(), initial_words_.end());
  context_.Timed([&] {
    context_.Queue().Write(partials_, 0, partial_words_.data(),
                           partial_words_.size() * sizeof(int64_t));
  });
}

void AggregateRun::ReadBack(const Batch& batch) {
  partial_words_.resize(Tables(batch) * layout_.groups * layout_.words);
  context_.Queue().ReadLater(partials_, 0, partial_words_.data(),
                             partial_words_.size() * sizeof(int64_t));
}

void AggregateRun::TakeBatch(PipelineRun& /*pipeline*/, const Batch& batch) {
  const size_t table = layout_.groups * layout_.words;
  for (uint32_t i = 0; i < Tables(batch); i++)
    Merge(partial_words_.data() + i * table);
}

void AggregateRun::Merge(const int64_t* partial) {
  const size_t accumulators = layout_.accumulators.size();
  for (uint64_t group = 0; group < layout_.groups; group++) {
    const int64_t* from = partial + group * layout_.words;
    if (from[0] == 0)
      continue;  // no rows
    int64_t* into = words_.data() + group * layout_.words;
    for (size_t i = 0; i < accumulators; i++) {
      const Accumulator& accumulator = layout_.accumulators[i];
      const int64_t* words = from + accumulator.word;
      if (accumulator.fold != Fold::Sum64 && accumulator.fold != Fold::Sum128) {
        optimize::Combine(accumulator.fold, into + accumulator.word, words);
        continue;
      }
      const Int128 value =
          accumulator.fold == Fold::Sum64 ? Int128{words[0]} : JoinWords(words[0], words[1]);
      Int128& sum = sums_[group * accumulators + i];
      if (__builtin_add_overflow(sum, value, &sum)) {
        throw ArithmeticFault("a sum does not fit into 128 bits; DuckDB runs this part again");
      }
    }
  }
}

void AggregateRun::Finish() {
  ResultBatch batch = FinishAggregates(sink_, words_.data(), sums_.data());
  if (!IsMaterialised()) {
    if (batch.rows != 0)
      context_.Give(std::move(batch));
    return;
  }
  auto table = std::make_shared<MaterialisedTable>(sink_.materialised, batch.rows, context_.Queue(),
                                                   context_.Pool());
  context_.Timed([&] { table->Write(sink_.materialised, batch, context_.Queue()); });
  context_.SetMaterialised(number_, std::move(table));
}

}  // namespace margay::execute
