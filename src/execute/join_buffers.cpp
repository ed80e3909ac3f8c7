#include "execute/join_buffers.hpp"

#include <algorithm>

#include "memory/out_of_memory.hpp"

namespace margay::execute {

JoinBuffers::Buffers& JoinBuffers::Reset(const compile::JoinTable& table) {
  if (tables_.size() <= table.number)
    tables_.resize(table.number + 1);
  tables_[table.number] = Buffers();
  return tables_[table.number];
}

void JoinBuffers::CreateShared(const compile::JoinTable& table, memory::ExtentPool& pool) {
  Buffers& buffers = Reset(table);
  buffers.shared.push_back(pool.CreateZeroed(table.slots * sizeof(uint32_t)));
  if (table.HasNexts())
    buffers.shared.push_back(
        pool.CreateZeroed(std::max<uint64_t>(table.rows, 1) * sizeof(int32_t)));
}

void JoinBuffers::TakeShared(const compile::JoinTable& table,
                             std::vector<memory::ExtentPin> extents) {
  Reset(table).shared = std::move(extents);
}

std::vector<std::shared_ptr<memory::Extent>> JoinBuffers::Extents(
    const compile::JoinTable& table) const {
  std::vector<std::shared_ptr<memory::Extent>> extents;
  for (const memory::ExtentPin& pin : tables_[table.number].shared)
    extents.push_back(pin.PinnedExtent());
  return extents;
}

void JoinBuffers::Create(const compile::JoinTable& table, uint64_t entries, device::Device& device,
                         memory::ExtentPool& pool) {
  Buffers& buffers = Reset(table);
  entries = std::max<uint64_t>(entries, 1);
  const size_t heads = table.slots * sizeof(uint32_t);
  const size_t bits = table.has_bits ? table.BitWords() * sizeof(uint32_t) : 0;
  const size_t row_bytes = entries * sizeof(int32_t);
  if (entries > compile::kMostEntries)
    throw memory::OutOfMemory("a join table", row_bytes, compile::kMostEntries * sizeof(int32_t),
                              0);
  buffers.capacity = static_cast<uint32_t>(entries);
  buffers.reservation = pool.Reserve(bits + (table.HasUndefinedHeads() ? 0 : heads));
  if (table.HasUndefinedHeads())
    buffers.undefined_heads = pool.TakeScratch(heads);
  else
    buffers.heads = device.CreateZeroedBuffer(heads, device::Access::ReadWrite);
  if (table.has_bits)
    buffers.bits = device.CreateZeroedBuffer(bits, device::Access::ReadWrite);
  if (table.is_numbered)
    buffers.entries = device.CreateZeroedBuffer(sizeof(uint32_t), device::Access::ReadWrite);
  if (table.HasNexts())
    buffers.nexts = pool.TakeScratch(row_bytes);
  for (size_t i = 0; i < table.links.size(); i++)
    buffers.links.push_back(pool.TakeScratch(row_bytes));
}

uint32_t JoinBuffers::Bind(const compile::JoinTable& table, device::Kernel& kernel,
                           uint32_t argument) const {
  const Buffers& buffers = tables_[table.number];
  if (!buffers.shared.empty()) {
    for (const memory::ExtentPin& pin : buffers.shared)
      kernel.Argument(argument++, pin.Buffer());
    return argument;
  }
  kernel.Argument(argument++,
                  table.HasUndefinedHeads() ? buffers.undefined_heads.Buffer() : buffers.heads);
  if (table.has_bits)
    kernel.Argument(argument++, buffers.bits);
  if (table.HasNexts())
    kernel.Argument(argument++, buffers.nexts.Buffer());
  for (const memory::ScratchExtent& links : buffers.links)
    kernel.Argument(argument++, links.Buffer());
  return argument;
}

void JoinBuffers::BindFilled(const compile::JoinTable& table, device::Kernel& kernel,
                             uint32_t argument) const {
  argument = Bind(table, kernel, argument);
  if (!table.is_numbered)
    return;
  const Buffers& buffers = tables_[table.number];
  kernel.Argument(argument, buffers.entries).Argument(argument + 1, buffers.capacity);
}

}  // namespace margay::execute
