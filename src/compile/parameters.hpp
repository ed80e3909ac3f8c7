#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compile/code_block.hpp"
#include "compile/value.hpp"

namespace margay::compile {

//! What a kernel takes besides columns: constants and lookup tables, which change from query to
//! query while the source stays the same.
//!
//! Two buffers. `parameters`: one 8-byte word per constant (a wide takes two: low, high), read into
//! variables p0, p1, ... at the kernel's start. `lookups`: byte tables one after the other, each
//! aligned to 16 bytes; a parameter holds the offset of each.
class Parameters {
 public:
  //! Registers a constant and returns the variable that holds it in a kernel.
  std::string AddInteger(Int128 value, Machine machine);
  std::string AddReal(double value, Machine machine);
  //! Registers a lookup table and returns the variable that holds its offset in `lookups`.
  std::string AddLookup(const void* data, size_t bytes);

  //! The declarations of all variables.
  void Declare(CodeBlock& block) const;

  const std::vector<int64_t>& Words() const { return words_; }
  const std::vector<uint8_t>& LookupBytes() const { return lookups_; }

 private:
  std::string NextName();

  std::vector<std::string> declarations_;
  std::vector<int64_t> words_;
  std::vector<uint8_t> lookups_;
};

}  // namespace margay::compile
