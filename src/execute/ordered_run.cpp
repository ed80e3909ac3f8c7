#include "execute/ordered_run.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string_view>

#include "execute/pinned_block.hpp"
#include "kernels/radix_sort.hpp"

namespace margay::execute {

namespace {

//! Rows of a result batch.
constexpr size_t kRowsPerBatch = 65536;

//! A batch may have as many times the segments of the one before. A GPU's launches take longer than
//! what small ones would spare.
constexpr size_t kBatchGrowth = 4;
constexpr size_t kBatchGrowthOfGpu = kSegmentsPerRowsBatch;

//! Rows held besides those that are kept, up to which copying the latter is not worth it.
constexpr uint64_t kSpareRows = 1U << 20;

//! Rows that the host sorts by itself: the device would not be done sooner.
constexpr size_t kMostHostRows = 1U << 15;

//! Comparisons of texts between two looks for an interrupt: some 10 ms.
constexpr uint32_t kComparisonsPerLook = 1U << 16;

}  // namespace

OrderedRun::OrderedRun(RunContext& context, size_t number)
    : RowsRun(context, number),
      long_texts_(Order().LongTexts()),
      word_count_(Order().Count()),
      deciding_words_(long_texts_.empty() ? word_count_ : long_texts_[0].words),
      wanted_(sink_.window.End()),
      bound_(word_count_, optimize::OrderWords::kNoBound) {}

void OrderedRun::Run(PipelineRun& pipeline) {
  pipeline_ = &pipeline;
  RowsRun::Run(pipeline);
}

size_t OrderedRun::LargestBatch() const {
  return IsLimited() ? std::min(next_batch_, kSegmentsPerRowsBatch) : kSegmentsPerRowsBatch;
}

void OrderedRun::Arrange(WorkList& work) const {
  if (IsLimited())
    work.SortBy([&](size_t segment) { return Order().LowestFirstWord(segment); });
}

size_t OrderedRun::UsefulSegments(const size_t* segments, size_t count) const {
  if (!IsLimited() || sink_.order_can_fault)
    return count;
  if (wanted_ == 0)
    return 0;
  // The words behind the first may be 0.
  const bool rest_can_be_below =
      std::any_of(bound_.begin() + 1, bound_.end(), [](uint64_t word) { return word != 0; });
  const auto is_useless = [&](size_t segment) {
    const uint64_t lowest = Order().LowestFirstWord(segment);
    return lowest > bound_[0] || (lowest == bound_[0] && !rest_can_be_below);
  };
  return static_cast<size_t>(std::find_if(segments, segments + count, is_useless) - segments);
}

void OrderedRun::Bind(ArgumentBinder& binder, const PipelineRun& pipeline, const Batch& batch) {
  if (sink_.HasBound()) {
    bound_buffer_ = context_.Upload(bound_);
    binder.Bind({compile::ArgumentKind::Bound}, bound_buffer_);
  }
  RowsRun::Bind(binder, pipeline, batch);
}

void OrderedRun::TakeBatch(PipelineRun& pipeline, const Batch& batch) {
  RowsRun::TakeBatch(pipeline, batch);
  const bool is_gpu = context_.GetDevice().Info().kind == device::DeviceKind::Gpu;
  next_batch_ =
      std::min(next_batch_ * (is_gpu ? kBatchGrowthOfGpu : kBatchGrowth), kSegmentsPerRowsBatch);
}

uint64_t OrderedRun::Word(const RowPlace& place, size_t word) const {
  const std::vector<ResultColumn>& columns = batches_[place.batch].columns;
  const ResultColumn& column = columns[columns.size() - word_count_ + word];
  return reinterpret_cast<const uint64_t*>(column.values)[place.row];
}

bool OrderedRun::IsBelow(const RowAndWord& left, const RowAndWord& right) const {
  if (left.first_word != right.first_word)
    return left.first_word < right.first_word;
  for (size_t word = 1; word < word_count_; word++) {
    const uint64_t a = Word(left.place, word), b = Word(right.place, word);
    if (a != b)
      return a < b;
  }
  return left.place < right.place;
}

template <typename Reorder>
void OrderedRun::ArrangeKept(const Reorder& reorder) {
  std::vector<RowAndWord> rows;
  rows.reserve(kept_.size());
  for (const RowPlace& place : kept_)
    rows.push_back({Word(place, 0), place});
  reorder(rows.begin(), rows.end(),
          [&](const RowAndWord& left, const RowAndWord& right) { return IsBelow(left, right); });
  for (size_t i = 0; i < rows.size(); i++)
    kept_[i] = rows[i].place;
}

bool OrderedRun::AreTied(const RowPlace& left, const RowPlace& right) const {
  for (size_t word = 0; word < deciding_words_; word++) {
    if (Word(left, word) != Word(right, word))
      return false;
  }
  return true;
}

void OrderedRun::TakeRows(PipelineRun& /*pipeline*/, ResultBatch batch) {
  const auto number = static_cast<uint32_t>(batches_.size());
  for (uint32_t row = 0; row < batch.rows; row++)
    kept_.push_back({number, row});
  held_rows_ += batch.rows;
  batches_.push_back(std::move(batch));
  if (IsLimited() && kept_.size() >= wanted_)
    KeepFirst();
}

void OrderedRun::KeepFirst() {
  const auto last = kept_.begin() + static_cast<ptrdiff_t>(wanted_ - 1);
  ArrangeKept([&](auto begin, auto end, const auto& is_below) {
    std::nth_element(begin, begin + static_cast<ptrdiff_t>(wanted_ - 1), end, is_below);
  });
  for (size_t word = 0; word < deciding_words_; word++)
    bound_[word] = Word(*last, word);
  const auto end = long_texts_.empty()
                       ? last + 1
                       : std::partition(last + 1, kept_.end(), [&](const RowPlace& place) {
                           return AreTied(place, *last);
                         });
  kept_.erase(end, kept_.end());
  if (held_rows_ > 2 * kept_.size() + kSpareRows)
    Compact();
}

void OrderedRun::Compact() {
  std::sort(kept_.begin(), kept_.end());  // rows that came first stay first
  ResultBatch compacted = GatherRows(batches_, kept_, Widths(), *context_.Pool().Allocator());
  batches_.clear();
  batches_.push_back(std::move(compacted));
  held_rows_ = kept_.size();
  for (uint32_t row = 0; row < kept_.size(); row++)
    kept_[row] = {0, row};
}

void OrderedRun::Sort() {
  if (kept_.size() <= kMostHostRows || kept_.size() > kernels::RadixSort::kMostRows) {
    ArrangeKept(
        [](auto begin, auto end, const auto& is_below) { std::sort(begin, end, is_below); });
    return;
  }
  std::sort(kept_.begin(), kept_.end());  // of equal rows those that came first are first
  std::vector<std::vector<uint64_t>> words(word_count_);
  for (size_t word = 0; word < word_count_; word++) {
    words[word].reserve(kept_.size());
    for (const RowPlace& place : kept_)
      words[word].push_back(Word(place, word));
  }
  const kernels::RadixSort sort(context_.GetDevice(), context_.Pool(),
                                [&] { context_.ThrowIfInterrupted(); });
  std::vector<RowPlace> sorted;
  sorted.reserve(kept_.size());
  for (uint32_t number : sort.Sort(words))
    sorted.push_back(kept_[number]);
  kept_ = std::move(sorted);
}

void OrderedRun::SettleTies() {
  if (long_texts_.empty())
    return;
  const size_t end = std::min<uint64_t>(kept_.size(), wanted_);
  std::vector<size_t> ties;  // first and end of each, among kept_
  std::vector<RowPlace> rows;
  for (size_t first = 0, next = 0; first < end; first = next) {
    while (next < kept_.size() && AreTied(kept_[first], kept_[next]))
      next++;
    if (next - first == 1 || next <= sink_.window.offset)
      continue;
    ties.insert(ties.end(), {first, next});
    rows.insert(rows.end(), kept_.begin() + static_cast<ptrdiff_t>(first),
                kept_.begin() + static_cast<ptrdiff_t>(next));
  }
  if (rows.empty())
    return;

  memory::HostAllocator& allocator = *context_.Pool().Allocator();
  std::vector<std::shared_ptr<const void>> owners;
  std::vector<std::unique_ptr<PinnedBlock>> texts;
  for (size_t i = 0; i < long_texts_.size(); i++) {
    const PinnedBlock pending(allocator, rows.size() * sizeof(PendingText));
    auto* const places = reinterpret_cast<PendingText*>(pending.Address());
    const size_t output = Widths().size() - word_count_ - long_texts_.size() + i;
    for (size_t row = 0; row < rows.size(); row++) {
      const ResultColumn& column = batches_[rows[row].batch].columns[output];
      places[row] = reinterpret_cast<const PendingText*>(column.values)[rows[row].row];
    }
    texts.push_back(
        std::make_unique<PinnedBlock>(allocator, rows.size() * sizeof(std::string_view)));
    owners.push_back(FetchTexts(*pipeline_, output, {places, rows.size()},
                                reinterpret_cast<std::string_view*>(texts[i]->Address())));
  }

  uint32_t comparisons = 0;
  const auto is_below = [&](uint32_t left, uint32_t right) {
    if (++comparisons % kComparisonsPerLook == 0)
      context_.ThrowIfInterrupted();
    size_t word = deciding_words_;
    for (size_t i = 0; i <= long_texts_.size(); i++) {
      const size_t last = i == long_texts_.size() ? word_count_ : long_texts_[i].words;
      for (; word < last; word++) {
        const uint64_t a = Word(rows[left], word), b = Word(rows[right], word);
        if (a != b)
          return a < b;
      }
      if (i == long_texts_.size())
        break;
      const auto* strings = reinterpret_cast<const std::string_view*>(texts[i]->Address());
      const int difference = strings[left].compare(strings[right]);
      if (difference != 0)
        return (difference < 0) != long_texts_[i].is_descending;
    }
    return rows[left] < rows[right];
  };
  std::vector<uint32_t> order;  // of the rows of a tie
  uint32_t row = 0;
  for (size_t tie = 0; tie < ties.size(); tie += 2) {
    order.resize(ties[tie + 1] - ties[tie]);
    std::iota(order.begin(), order.end(), row);
    std::sort(order.begin(), order.end(), is_below);
    for (size_t i = 0; i < order.size(); i++)
      kept_[ties[tie] + i] = rows[order[i]];
    row += static_cast<uint32_t>(order.size());
  }
}

void OrderedRun::Finish() {
  const plan::RowWindow& window = sink_.window;
  RowsRun::Finish();
  if (kept_.size() <= window.offset)
    return;
  Sort();
  SettleTies();
  std::vector<size_t> widths = Widths();
  widths.resize(widths.size() - word_count_ - long_texts_.size());
  const size_t end = std::min<uint64_t>(kept_.size(), wanted_);
  for (size_t first = window.offset; first < end; first += kRowsPerBatch) {
    const size_t rows = std::min(kRowsPerBatch, end - first);
    ResultBatch batch =
        GatherRows(batches_, {kept_.data() + first, rows}, widths, *context_.Pool().Allocator());
    FetchTexts(*pipeline_, batch);
    context_.Give(std::move(batch));
  }
  batches_.clear();
}

}  // namespace margay::execute
