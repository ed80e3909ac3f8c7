#pragma once

#include "memory/host_allocator.hpp"

namespace duckdb {
class BufferManager;
}  // namespace duckdb

namespace margay::integration {

//! Host memory from DuckDB's buffer manager: it counts against `memory_limit`, and blocks that are
//! not pinned are dropped where DuckDB needs the room. Neither the allocator nor its blocks may
//! outlive the database instance. Thread-safe.
class BlockAllocator : public memory::HostAllocator {
 public:
  explicit BlockAllocator(duckdb::BufferManager& manager) : manager_(manager) {}

  std::shared_ptr<memory::HostBlock> Allocate(size_t bytes) override;

 private:
  duckdb::BufferManager& manager_;
};

}  // namespace margay::integration
