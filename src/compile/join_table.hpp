#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compile/expression_writer.hpp"
#include "compile/pipeline.hpp"

namespace margay::compile {

//! The rows of a build side by their keys. Filled by the build side's pipeline, read by the
//! pipelines that join with it; lives for one execution.
//!
//!   heads   slots x uint   row + 1 of the first row with a key of this slot, 0 for none
//!   nexts   rows x int     row + 1 of the next row of the same slot, 0 at the end; only where
//!                          several rows can have one slot
//!   links   rows x int     per linked table: its row that was joined with this row, or -1
//!
//! The slot of a row is the place of its keys in the product of their domains (direct: no two keys
//! share a slot), or a hash of them (the keys are then compared).
struct JoinTable {
  //! A key of a direct table: slot = sum over keys of (value - low) * stride.
  struct DirectKey {
    Int128 low = 0;
    uint64_t values = 1;
    uint64_t stride = 1;
  };

  size_t number = 0;  //!< of the build side
  size_t table = 0;   //!< whose rows it holds
  uint64_t rows = 0;  //!< of that table
  bool is_direct = false;
  std::vector<DirectKey> direct_keys;  //!< is_direct
  uint64_t slots = 1;                  //!< a power of two unless is_direct
  bool keys_are_unique = false;        //!< no two rows have equal keys
  std::vector<size_t> links;           //!< tables

  bool HasNexts() const { return !(is_direct && keys_are_unique); }

  //! Chooses the form of the table for a build side over `columns`. `rows` are those of the tables.
  //! Throws Unsupported.
  static JoinTable Of(const Program& program, size_t build, KernelContext scratch,
                      const std::vector<uint64_t>& rows);
};

}  // namespace margay::compile
