#include "execute/join_buffers.hpp"

#include <algorithm>

namespace margay::execute {

void JoinBuffers::Create(const compile::JoinTable& table, device::Device& device,
                         memory::ExtentPool& pool) {
  if (tables_.size() <= table.number)
    tables_.resize(table.number + 1);
  Buffers& buffers = tables_[table.number];
  const size_t heads = table.slots * sizeof(uint32_t);
  const size_t rows = std::max<uint64_t>(table.rows, 1) * sizeof(int32_t);
  const size_t row_arrays = (table.HasNexts() ? 1 : 0) + table.links.size();
  buffers.reservation = pool.Reserve(heads + row_arrays * rows);
  buffers.heads = device.CreateZeroedBuffer(heads, device::Access::ReadWrite);
  if (table.HasNexts())
    buffers.nexts = device.CreateBuffer(rows, device::Access::ReadWrite);
  for (size_t i = 0; i < table.links.size(); i++)
    buffers.links.push_back(device.CreateBuffer(rows, device::Access::ReadWrite));
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

}  // namespace margay::execute
