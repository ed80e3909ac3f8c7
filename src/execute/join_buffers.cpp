#include "execute/join_buffers.hpp"

#include <algorithm>

#include "memory/out_of_memory.hpp"

namespace margay::execute {

void JoinBuffers::Create(const compile::JoinTable& table, uint64_t entries, device::Device& device,
                         memory::ExtentPool& pool) {
  if (tables_.size() <= table.number)
    tables_.resize(table.number + 1);
  Buffers& buffers = tables_[table.number];
  buffers = Buffers();
  entries = std::max<uint64_t>(entries, 1);
  const size_t heads = table.slots * sizeof(uint32_t);
  const size_t row_bytes = entries * sizeof(int32_t);
  const size_t row_arrays = (table.HasNexts() ? 1 : 0) + table.links.size();
  if (entries > compile::kMostEntries)
    throw memory::OutOfMemory("a join table", row_bytes, compile::kMostEntries * sizeof(int32_t),
                              0);
  buffers.reservation = pool.Reserve(heads + row_arrays * row_bytes);
  buffers.capacity = static_cast<uint32_t>(entries);
  buffers.heads = device.CreateZeroedBuffer(heads, device::Access::ReadWrite);
  if (table.is_numbered)
    buffers.entries = device.CreateZeroedBuffer(sizeof(uint32_t), device::Access::ReadWrite);
  if (table.HasNexts())
    buffers.nexts = device.CreateBuffer(row_bytes, device::Access::ReadWrite);
  for (size_t i = 0; i < table.links.size(); i++)
    buffers.links.push_back(device.CreateBuffer(row_bytes, device::Access::ReadWrite));
}

uint32_t JoinBuffers::Bind(const compile::JoinTable& table, device::Kernel& kernel,
                           uint32_t argument) const {
  const Buffers& buffers = tables_[table.number];
  kernel.Argument(argument++, buffers.heads);
  if (table.HasNexts())
    kernel.Argument(argument++, buffers.nexts);
  for (const device::Buffer& links : buffers.links)
    kernel.Argument(argument++, links);
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
