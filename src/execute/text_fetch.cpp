#include "execute/text_fetch.hpp"

#include <cstring>
#include <limits>

#include "execute/pinned_block.hpp"
#include "kernels/embedded_sources.hpp"
#include "storage/constants.hpp"

namespace margay::execute {

namespace {

//! Work-items of a work-group that gathers strings, one each.
constexpr size_t kGatherGroup = 64;

}  // namespace

PendingText::PendingText(const TextRow& text) {
  if (text.row < 0)
    return;
  place = text.place;
  segment = static_cast<size_t>(text.row) / storage::kSegmentRows;
}

std::shared_ptr<const void> TextFetch::Fetch(device::Queue& queue,
                                             std::span<const PendingText> pending,
                                             std::string_view* texts) const {
  std::vector<std::vector<size_t>> numbers(image_.TextExtents().size());  // of strings, by extent
  for (size_t i = 0; i < pending.size(); i++) {
    texts[i] = {};
    if (pending[i].place.begin != pending[i].place.end)
      numbers[image_.TextExtentOf(pending[i].segment)].push_back(i);
  }
  const bool is_limited = part_.Pool().Limit() != std::numeric_limits<uint64_t>::max();
  auto owners = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  for (size_t extent = 0; extent < numbers.size(); extent++) {
    if (numbers[extent].empty())
      continue;
    auto pin = std::make_shared<memory::ExtentPin>(pin_(extent));
    if (is_limited || pin->HostAddress() == nullptr) {
      owners->push_back(Gather(queue, *pin, numbers[extent], pending, texts));
      continue;
    }
    const auto* bytes = reinterpret_cast<const char*>(pin->HostAddress());
    for (size_t i : numbers[extent]) {
      const TextPlace& place = pending[i].place;
      texts[i] = {bytes + Begin(pending[i]), place.end - place.begin};
    }
    owners->push_back(std::move(pin));
  }
  return owners;
}

std::shared_ptr<const void> TextFetch::Gather(device::Queue& queue, const memory::ExtentPin& pin,
                                              const std::vector<size_t>& numbers,
                                              std::span<const PendingText> pending,
                                              std::string_view* texts) const {
  std::vector<uint64_t> begins, ends;
  uint64_t bytes = 0;
  for (size_t i : numbers) {
    begins.push_back(Begin(pending[i]));
    bytes += pending[i].place.end - pending[i].place.begin;
    ends.push_back(bytes);
  }
  auto block = std::make_shared<PinnedBlock>(*part_.Pool().Allocator(), bytes);
  const auto* address = reinterpret_cast<const char*>(block->Address());
  for (size_t i = 0; i < numbers.size(); i++) {
    const uint64_t begin = i == 0 ? 0 : ends[i - 1];
    texts[numbers[i]] = {address + begin, ends[i] - begin};
    if (pin.HostAddress() != nullptr)
      std::memcpy(block->Address() + begin, pin.HostAddress() + begins[i], ends[i] - begin);
  }
  if (pin.HostAddress() != nullptr)
    return block;

  device::Device& device = part_.GetDevice();
  const size_t place_bytes = begins.size() * sizeof(uint64_t);
  const memory::ScratchReservation reservation = part_.Pool().Reserve(2 * place_bytes + bytes);
  const device::Buffer begin_buffer = device.CreateBuffer(place_bytes, device::Access::ReadOnly);
  const device::Buffer end_buffer = device.CreateBuffer(place_bytes, device::Access::ReadOnly);
  const device::Buffer gathered = device.CreateBuffer(bytes, device::Access::WriteOnly);
  queue.Write(begin_buffer, 0, begins.data(), place_bytes);
  queue.Write(end_buffer, 0, ends.data(), place_bytes);
  const auto program =
      device.Programs().Get(std::string(kernels::EmbeddedSource("text_gather.cl")));
  device::Kernel kernel = program->CreateKernel("text_gather");
  kernel.Argument(0, pin.Buffer())
      .Argument(1, begin_buffer)
      .Argument(2, end_buffer)
      .Argument(3, static_cast<uint64_t>(begins.size()))
      .Argument(4, gathered);
  const size_t groups = (begins.size() + kGatherGroup - 1) / kGatherGroup;
  queue.Launch(kernel, groups * kGatherGroup, kGatherGroup);
  queue.Read(gathered, 0, block->Address(), bytes);
  return block;
}

}  // namespace margay::execute
