#include "execute/join_buffers.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/slot_chains.hpp"
#include "memory/out_of_memory.hpp"

namespace margay::execute {

JoinBuffers::Buffers& JoinBuffers::Reset(const compile::JoinTable& table) {
  if (tables_.size() <= table.number)
    tables_.resize(table.number + 1);
  tables_[table.number] = Buffers();
  tables_[table.number].slots = table.slots;
  return tables_[table.number];
}

void JoinBuffers::CreateShared(const compile::JoinTable& table, memory::ExtentPool& pool) {
  Buffers& buffers = Reset(table);
  buffers.shared.push_back(
      pool.CreateZeroed((table.HasHeads() ? table.slots : table.BitWords()) * sizeof(uint32_t)));
  if (table.is_ranked)
    buffers.shared.push_back(pool.CreateZeroed(table.BitWords() * sizeof(uint32_t)));
  if (table.HasNexts())
    buffers.shared.push_back(
        pool.CreateZeroed(std::max<uint64_t>(table.rows, 1) * sizeof(int32_t)));
}

void JoinBuffers::TakeShared(const compile::JoinTable& table,
                             std::vector<memory::ExtentPin> extents) {
  Reset(table).shared = std::move(extents);
}

void JoinBuffers::CountBits(const compile::JoinTable& table, device::Queue& queue) const {
  const std::vector<memory::ExtentPin>& shared = tables_[table.number].shared;
  std::vector<uint32_t> words(table.BitWords());
  const size_t bytes = words.size() * sizeof(uint32_t);
  queue.Read(shared[0].Buffer(), 0, words.data(), bytes);
  uint32_t before = 0;
  for (uint32_t& word : words)
    before += static_cast<uint32_t>(std::popcount(std::exchange(word, before)));
  queue.Write(shared[1].Buffer(), 0, words.data(), bytes);
}

double JoinBuffers::FillPartitions(const compile::JoinTable& table, uint64_t entries,
                                   uint32_t lanes, memory::ExtentPool& pool,
                                   const std::function<void()>& between_launches) const {
  const Buffers& buffers = tables_[table.number];
  const bool is_shared = !buffers.shared.empty();
  return kernels::SlotChains(*pool.Device(), pool, lanes, between_launches)
      .Fill({is_shared ? buffers.shared[0].Buffer() : buffers.heads,
             is_shared ? buffers.shared[1].Buffer() : buffers.nexts.Buffer(), buffers.slots,
             static_cast<uint32_t>(std::max<uint64_t>(entries, 1))});
}

std::vector<std::shared_ptr<memory::Extent>> JoinBuffers::Extents(
    const compile::JoinTable& table) const {
  std::vector<std::shared_ptr<memory::Extent>> extents;
  for (const memory::ExtentPin& pin : tables_[table.number].shared)
    extents.push_back(pin.PinnedExtent());
  return extents;
}

void JoinBuffers::Create(const compile::JoinTable& table, uint64_t entries, device::Queue& queue,
                         memory::ExtentPool& pool) {
  device::Device& device = *pool.Device();
  Buffers& buffers = Reset(table);
  entries = std::max<uint64_t>(entries, 1);
  buffers.slots = table.SlotsFor(entries);
  const size_t heads = table.HasHeads() ? buffers.slots * sizeof(uint32_t) : 0;
  const size_t bits = table.has_bits ? table.BitWords() * sizeof(uint32_t) : 0;
  const size_t row_bytes = entries * sizeof(int32_t);
  if (entries > compile::kMostEntries)
    throw memory::OutOfMemory("a join table", row_bytes, compile::kMostEntries * sizeof(int32_t),
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

uint32_t JoinBuffers::Bind(const compile::JoinTable& table, device::Kernel& kernel,
                           uint32_t argument) const {
  const Buffers& buffers = tables_[table.number];
  for (const memory::ExtentPin& pin : buffers.shared)
    kernel.Argument(argument++, pin.Buffer());
  if (buffers.shared.empty()) {
    if (table.HasHeads())
      kernel.Argument(argument++,
                      table.HasUndefinedHeads() ? buffers.undefined_heads.Buffer() : buffers.heads);
    if (table.has_bits)
      kernel.Argument(argument++, buffers.bits);
    if (table.HasNexts())
      kernel.Argument(argument++, buffers.nexts.Buffer());
    for (const memory::ScratchExtent& links : buffers.links)
      kernel.Argument(argument++, links.Buffer());
  }
  if (!table.is_direct)
    kernel.Argument(argument++, buffers.slots - 1);
  return argument;
}

void JoinBuffers::BindFilled(const compile::JoinTable& table, device::Kernel& kernel,
                             uint32_t argument) const {
  argument = Bind(table, kernel, argument);
  const Buffers& buffers = tables_[table.number];
  if (table.ranged_key)
    kernel.Argument(argument++, buffers.key_range);
  if (!table.is_numbered)
    return;
  kernel.Argument(argument, buffers.entries).Argument(argument + 1, buffers.capacity);
}

KeyRange JoinBuffers::ReadKeyRange(const compile::JoinTable& table, device::Queue& queue) const {
  KeyRange range;
  queue.Read(tables_[table.number].key_range, 0, &range, sizeof(range));
  return range;
}

}  // namespace margay::execute
