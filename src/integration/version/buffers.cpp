#include "integration/version/buffers.hpp"

#include "duckdb/storage/buffer/block_handle.hpp"
#include "duckdb/storage/buffer/buffer_handle.hpp"
#include "duckdb/storage/buffer_manager.hpp"

namespace margay::integration {

duckdb::shared_ptr<duckdb::BlockHandle> AllocateDroppable(duckdb::BufferManager& manager,
                                                          size_t bytes) {
  return manager.AllocateTemporaryMemory(duckdb::MemoryTag::EXTENSION, bytes, true);
}

bool IsDropped(const duckdb::BlockHandle& block) {
  return block.GetMemory().IsUnloaded();
}

std::byte* AddressOf(duckdb::BufferHandle& pinned) {
  return reinterpret_cast<std::byte*>(pinned.Ptr());
}

}  // namespace margay::integration
