#include "execute/join_buffers.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "kernels/slot_chains.hpp"
#include "memory/out_of_memory.hpp"

namespace margay::execute {

using compile::ArgumentKind;

namespace {

//! Bytes of the arrays of a table of a build side that is nothing but a scan.
std::vector<uint64_t> SharedArrays(const optimize::JoinTable& table) {
  std::vector<uint64_t> arrays{(table.HasHeads() ? table.slots : table.BitWords()) *
                               sizeof(uint32_t)};
  if (table.is_ranked)
    arrays.push_back(table.BitWords() * sizeof(uint32_t));
  if (table.HasNexts())
    arrays.push_back(std::max<uint64_t>(table.rows, 1) * sizeof(int32_t));
  return arrays;
}

}  // namespace

JoinBuffers::Buffers& JoinBuffers::Reset(size_t sink, const optimize::JoinTable& table) {
  if (tables_.size() <= sink)
    tables_.resize(sink + 1);
  tables_[sink] = Buffers();
  tables_[sink].slots = table.slots;
  return tables_[sink];
}

void JoinBuffers::Release(size_t sink) {
  if (sink < tables_.size())
    tables_[sink] = Buffers();
}

uint64_t JoinBuffers::SharedBytes(const optimize::JoinTable& table) {
  const std::vector<uint64_t> arrays = SharedArrays(table);
  return std::accumulate(arrays.begin(), arrays.end(), uint64_t{0});
}

void JoinBuffers::CreateShared(size_t sink, const optimize::JoinTable& table, bool is_scratch,
                               device::Queue& queue, memory::ExtentPool& pool) {
  Buffers& buffers = Reset(sink, table);
  for (const uint64_t bytes : SharedArrays(table)) {
    if (!is_scratch) {
      buffers.shared.push_back(pool.CreateZeroed(bytes));
      continue;
    }
    buffers.shared_scratch.push_back(pool.TakeScratch(bytes));
    queue.Fill(buffers.shared_scratch.back().Buffer(), 0, bytes, 0);
  }
}

void JoinBuffers::TakeShared(size_t sink, const optimize::JoinTable& table,
                             std::vector<memory::ExtentPin> extents) {
  Reset(sink, table).shared = std::move(extents);
}

void JoinBuffers::CountBits(size_t sink, const optimize::JoinTable& table,
                            device::Queue& queue) const {
  const Buffers& buffers = tables_[sink];
  std::vector<uint32_t> words(table.BitWords());
  const size_t bytes = words.size() * sizeof(uint32_t);
  queue.Read(buffers.Shared(0), 0, words.data(), bytes);
  uint32_t before = 0;
  for (uint32_t& word : words)
    before += static_cast<uint32_t>(std::popcount(std::exchange(word, before)));
  queue.Write(buffers.Shared(1), 0, words.data(), bytes);
}

double JoinBuffers::FillPartitions(size_t sink, uint64_t entries, uint32_t lanes,
                                   memory::ExtentPool& pool,
                                   const std::function<void()>& between_launches) const {
  const Buffers& buffers = tables_[sink];
  const bool is_shared = buffers.IsShared();
  return kernels::SlotChains(*pool.Device(), pool, lanes, between_launches)
      .Fill({is_shared ? buffers.Shared(0) : buffers.heads,
             is_shared ? buffers.Shared(1) : buffers.nexts.Buffer(), buffers.slots,
             static_cast<uint32_t>(std::max<uint64_t>(entries, 1))});
}

std::vector<std::shared_ptr<memory::Extent>> JoinBuffers::Extents(size_t sink) const {
  std::vector<std::shared_ptr<memory::Extent>> extents;
  for (const memory::ExtentPin& pin : tables_[sink].shared)
    extents.push_back(pin.PinnedExtent());
  return extents;
}

void JoinBuffers::Create(size_t sink, const optimize::JoinTable& table, uint64_t entries,
                         device::Queue& queue, memory::ExtentPool& pool) {
  device::Device& device = *pool.Device();
  Buffers& buffers = Reset(sink, table);
  entries = std::max<uint64_t>(entries, 1);
  buffers.slots = table.SlotsFor(entries);
  const size_t heads = table.HasHeads() ? buffers.slots * sizeof(uint32_t) : 0;
  const size_t bits = table.has_bits ? table.BitWords() * sizeof(uint32_t) : 0;
  const size_t row_bytes = entries * sizeof(int32_t);
  if (entries > optimize::kMostEntries)
    throw memory::OutOfMemory("a join table", row_bytes, optimize::kMostEntries * sizeof(int32_t),
                              0);
  buffers.capacity = static_cast<uint32_t>(entries);
  buffers.reservation = pool.Reserve(bits + (table.HasUndefinedHeads() ? 0 : heads));
  if (table.HasUndefinedHeads())
    buffers.undefined_heads = pool.TakeScratch(heads);
  else if (table.HasHeads())
    buffers.heads = device.CreateZeroedBuffer(heads, device::Access::ReadWrite, queue);
  if (table.has_bits)
    buffers.bits = device.CreateZeroedBuffer(bits, device::Access::ReadWrite, queue);
  if (table.ranged_key) {
    const KeyRange none;
    buffers.key_range = device.CreateBuffer(sizeof(none), device::Access::ReadWrite);
    queue.Write(buffers.key_range, 0, &none, sizeof(none));
  }
  if (table.is_numbered)
    buffers.entries = device.CreateZeroedBuffer(sizeof(uint32_t), device::Access::ReadWrite, queue);
  if (table.HasNexts())
    buffers.nexts = pool.TakeScratch(row_bytes);
  if (table.is_partitioned)
    queue.Fill(buffers.nexts.Buffer(), 0, row_bytes, 0);
  for (size_t i = 0; i < table.links.size(); i++)
    buffers.links.push_back(pool.TakeScratch(row_bytes));
}

void JoinBuffers::Bind(size_t sink, const optimize::JoinTable& table, size_t number,
                       const optimize::LocalNumbers& numbers, ArgumentBinder& binder) const {
  const Buffers& buffers = tables_[sink];
  if (buffers.IsShared()) {
    // Its arrays in their order.
    size_t array = 0;
    const auto bind = [&](ArgumentKind kind) {
      binder.Bind({kind, number}, buffers.Shared(array++));
    };
    bind(table.HasHeads() ? ArgumentKind::Heads : ArgumentKind::Bits);
    if (table.is_ranked)
      bind(ArgumentKind::Counts);
    if (table.HasNexts())
      bind(ArgumentKind::Nexts);
  } else {
    if (table.HasHeads()) {
      binder.Bind({ArgumentKind::Heads, number},
                  table.HasUndefinedHeads() ? buffers.undefined_heads.Buffer() : buffers.heads);
    }
    if (table.has_bits)
      binder.Bind({ArgumentKind::Bits, number}, buffers.bits);
    if (table.HasNexts())
      binder.Bind({ArgumentKind::Nexts, number}, buffers.nexts.Buffer());
    for (size_t i = 0; i < table.links.size(); i++) {
      binder.Bind({ArgumentKind::Links, number, numbers.TableOf(table.links[i])},
                  buffers.links[i].Buffer());
    }
  }
  if (!table.is_direct)
    binder.Bind({ArgumentKind::LastSlot, number}, buffers.slots - 1);
}

void JoinBuffers::BindFilled(size_t sink, const optimize::JoinTable& table, size_t number,
                             const optimize::LocalNumbers& numbers, ArgumentBinder& binder) const {
  Bind(sink, table, number, numbers, binder);
  const Buffers& buffers = tables_[sink];
  if (table.ranged_key)
    binder.Bind({ArgumentKind::KeyRange}, buffers.key_range);
  if (!table.is_numbered)
    return;
  binder.Bind({ArgumentKind::Entries}, buffers.entries);
  binder.Bind({ArgumentKind::EntryCapacity}, buffers.capacity);
}

void JoinBuffers::ReadKeyRangeLater(size_t sink, device::Queue& queue, KeyRange& range) const {
  queue.ReadLater(tables_[sink].key_range, 0, &range, sizeof(range));
}

}  // namespace margay::execute
