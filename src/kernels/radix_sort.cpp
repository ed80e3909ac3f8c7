#include "kernels/radix_sort.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "kernels/embedded_sources.hpp"

namespace margay::kernels {

namespace {

constexpr uint32_t kDigitBits = 8;
constexpr size_t kDigits = size_t{1} << kDigitBits;

//! Work-items per compute unit. CPU: some more than one, so that a core that is disturbed does not
//! hold up the others. GPU: enough to have loads in flight, few enough that the host adds up their
//! counts quickly.
constexpr uint32_t kItemsPerCore = 4;
constexpr uint32_t kItemsPerMultiprocessor = 64;

//! Fewest elements of a work-item: many times the digits that it counts.
constexpr uint32_t kSmallestShare = 4096;

//! The bits in which not all words are equal.
uint64_t DifferingBits(const std::vector<uint64_t>& words) {
  uint64_t bits = 0;
  for (uint64_t word : words)
    bits |= word ^ words[0];
  return bits;
}

//! The buffers and kernels of one sort.
class Passes {
 public:
  Passes(device::Device& device, uint32_t elements)
      : program_(device.Programs().Get(std::string(EmbeddedSource("radix_sort.cl")))),
        queue_(device.AcquireQueue()),
        elements_(elements) {
    const device::DeviceInfo& info = device.Info();
    const uint32_t most =
        info.compute_units *
        (info.kind == device::DeviceKind::Gpu ? kItemsPerMultiprocessor : kItemsPerCore);
    share_ = std::max(kSmallestShare, (elements - 1) / most + 1);
    items_ = (elements - 1) / share_ + 1;
    counts_host_.resize(kDigits * items_);
    const auto create = [&](size_t bytes) {
      return device.CreateBuffer(bytes, device::Access::ReadWrite);
    };
    input_ = create(elements * sizeof(uint64_t));
    for (size_t i = 0; i < 2; i++) {
      words_[i] = create(elements * sizeof(uint64_t));
      rows_[i] = create(elements * sizeof(uint32_t));
    }
    counts_ = create(counts_host_.size() * sizeof(uint32_t));
    std::vector<uint32_t> numbers(elements);
    std::iota(numbers.begin(), numbers.end(), 0U);
    queue_->Write(rows_[0], 0, numbers.data(), elements * sizeof(uint32_t));
  }

  //! Makes these the words of the passes that follow.
  void Load(const std::vector<uint64_t>& words) {
    queue_->Write(input_, 0, words.data(), words.size() * sizeof(uint64_t));
    device::Kernel gather = program_->CreateKernel("radix_gather");
    gather.Argument(0, input_)
        .Argument(1, rows_[0])
        .Argument(2, elements_)
        .Argument(3, share_)
        .Argument(4, words_[0]);
    Launch(gather);
  }

  void Pass(uint32_t shift) {
    device::Kernel count = program_->CreateKernel("radix_count");
    count.Argument(0, words_[0])
        .Argument(1, elements_)
        .Argument(2, share_)
        .Argument(3, shift)
        .Argument(4, counts_);
    Launch(count);
    const size_t bytes = counts_host_.size() * sizeof(uint32_t);
    queue_->Read(counts_, 0, counts_host_.data(), bytes);
    std::exclusive_scan(counts_host_.begin(), counts_host_.end(), counts_host_.begin(), 0U);
    queue_->Write(counts_, 0, counts_host_.data(), bytes);
    device::Kernel scatter = program_->CreateKernel("radix_scatter");
    scatter.Argument(0, words_[0])
        .Argument(1, rows_[0])
        .Argument(2, elements_)
        .Argument(3, share_)
        .Argument(4, shift)
        .Argument(5, counts_)
        .Argument(6, words_[1])
        .Argument(7, rows_[1]);
    Launch(scatter);
    std::swap(words_[0], words_[1]);
    std::swap(rows_[0], rows_[1]);
  }

  std::vector<uint32_t> Rows() {
    std::vector<uint32_t> rows(elements_);
    queue_->Read(rows_[0], 0, rows.data(), rows.size() * sizeof(uint32_t));
    return rows;
  }

 private:
  void Launch(device::Kernel& kernel) { queue_->Launch(kernel, items_, 1).Wait(); }

  const std::shared_ptr<device::Program> program_;
  device::QueueLease queue_;
  const uint32_t elements_;
  uint32_t share_ = 0;  //!< elements of a work-item
  uint32_t items_ = 0;  //!< work-items
  std::vector<uint32_t> counts_host_;
  device::Buffer input_, counts_;
  device::Buffer words_[2], rows_[2];  //!< of the pass: from the first to the second
};

}  // namespace

std::vector<uint32_t> RadixSort::Sort(std::span<const std::vector<uint64_t>> words) const {
  const uint64_t elements = words.empty() ? 0 : words[0].size();
  if (elements > kMostRows)
    throw std::logic_error("RadixSort: more rows than 32 bits can number");
  if (elements == 0)
    return {};
  const memory::ScratchReservation reservation =
      pool_.Reserve(elements * (3 * sizeof(uint64_t) + 2 * sizeof(uint32_t)));
  Passes passes(device_, static_cast<uint32_t>(elements));
  for (size_t i = words.size(); i-- > 0;) {
    const uint64_t differing = DifferingBits(words[i]);
    if (differing == 0)
      continue;
    passes.Load(words[i]);
    for (uint32_t shift = 0; shift < 64; shift += kDigitBits) {
      if ((differing >> shift & (kDigits - 1)) == 0)
        continue;
      between_passes_();
      passes.Pass(shift);
    }
  }
  return passes.Rows();
}

}  // namespace margay::kernels
