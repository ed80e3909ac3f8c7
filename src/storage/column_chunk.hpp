#pragma once

#include <cstddef>
#include <cstdint>

namespace margay::storage {

//! A run of consecutive rows of one column, as a view of the source's memory, in the shape of
//! DuckDB's UnifiedVectorFormat. Only read during the call it is given to.
//!
//!   row i -> index k = selection ? selection[i] : i -> values[k], NULL where bit k of validity is
//!   0
struct ColumnChunk {
  //! In DuckDB's physical layout for the type: int8_t .. int64_t, uint8_t .. uint64_t, 16 bytes
  //! (low word, high word) for 128 bits, float, double, one byte 0 or 1 for booleans;
  //! std::string_view for Varchar. Values of NULL rows are never looked at (they may be dangling
  //! views).
  const void* values = nullptr;
  //! nullptr: row i is values[i].
  const uint32_t* selection = nullptr;
  //! nullptr: no NULLs.
  const uint64_t* validity = nullptr;
  //! Rows.
  size_t count = 0;

  //! Varchar only: not 0 where `values` is a dictionary of `dictionary_size` strings and
  //! `selection` the codes. Each string is then hashed once, as long as chunks with the same id
  //! follow one another in one batch. Chunks of one batch with the same id have the same strings.
  uint64_t dictionary_id = 0;
  size_t dictionary_size = 0;
};

}  // namespace margay::storage
