#pragma once

#include <cstddef>

#include "duckdb/common/shared_ptr.hpp"

namespace duckdb {
class BlockHandle;
class BufferHandle;
class BufferManager;
}  // namespace duckdb

namespace margay::integration {

//! A block of memory that counts against `memory_limit`, and that DuckDB drops where it needs the
//! room and nobody has it pinned; not before the end of a first pin. Throws DuckDB's
//! OutOfMemoryException.
duckdb::shared_ptr<duckdb::BlockHandle> AllocateDroppable(duckdb::BufferManager& manager,
                                                          size_t bytes);

//! Whether DuckDB has dropped the block: what was in it is lost.
bool IsDropped(const duckdb::BlockHandle& block);

//! Where the bytes of a pinned block are.
std::byte* AddressOf(duckdb::BufferHandle& pinned);

}  // namespace margay::integration
