#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "optimize/value/machine.hpp"
#include "plan/integer128.hpp"

namespace margay::optimize {

//! What a kernel takes besides columns: constants and look-up tables. They differ from query to
//! query, and from one state of the data to the next, while the kernel stays the same.
//!
//! Two buffers. `parameters`: one 8-byte word per number (a Wide takes two: low, high), each a
//! variable of the kernel. `lookups`: tables of bytes one after the other, each aligned to 16
//! bytes; a parameter holds the place of each.
class Parameters {
 public:
  //! Where a parameter lies and what it is.
  struct Slot {
    Machine machine = Machine::Int64;
    size_t word = 0;  //!< its first one
  };

  //! Adds a number and returns the number of its slot.
  size_t AddInteger(Int128 value, Machine machine);
  size_t AddReal(double value, Machine machine);
  //! Adds a table of `bytes` bytes, which `write` fills when they are asked for; returns the slot
  //! of its place. What `write` refers to outlives this object.
  size_t AddTable(size_t bytes, std::function<void(uint8_t*)> write);
  //! The same for a table that is at hand.
  template <typename Entry>
  size_t AddTable(std::vector<Entry> entries);

  const std::vector<Slot>& Slots() const { return slots_; }
  const std::vector<int64_t>& Words() const { return words_; }
  //! Bytes of all tables.
  size_t TableBytes() const { return table_bytes_; }
  //! All tables.
  std::vector<uint8_t> Tables() const;

 private:
  struct Table {
    size_t begin = 0;
    std::function<void(uint8_t*)> write;
  };

  std::vector<Slot> slots_;
  std::vector<int64_t> words_;
  std::vector<Table> tables_;
  size_t table_bytes_ = 0;
};

template <typename Entry>
size_t Parameters::AddTable(std::vector<Entry> entries) {
  const size_t bytes = entries.size() * sizeof(Entry);
  return AddTable(bytes, [entries = std::move(entries), bytes](uint8_t* into) {
    const auto* from = reinterpret_cast<const uint8_t*>(entries.data());
    std::copy(from, from + bytes, into);
  });
}

}  // namespace margay::optimize
