// Distinct strings, numbered in the order of their first appearance:
//
//   slots    open addressing, linear probing, at most half full: { hash, code + 1 }, 0 = free
//   entries  by code: { address, length }
//   arena    the bytes
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "memory/host_allocator.hpp"
#include "storage/short_string_cache.hpp"
#include "storage/staging_arena.hpp"
#include "storage/staging_array.hpp"

namespace margay::storage {

//! Not thread-safe; once nobody adds strings, any thread may read.
class StringInterner {
 public:
  //! `staged_bytes` counts the memory and outlives the interner.
  StringInterner(const std::shared_ptr<memory::HostAllocator>& allocator,
                 std::atomic<size_t>& staged_bytes);

  //! The code of `value`, which is copied where it is new. Throws memory::OutOfMemory.
  uint32_t Intern(std::string_view value);

  size_t Size() const { return entries_.Size(); }
  //! Of all strings together.
  size_t Bytes() const { return bytes_; }
  std::string_view Value(uint32_t code) const {
    return {entries_[code].data, entries_[code].length};
  }

 private:
  struct Slot {
    uint32_t hash;
    uint32_t code_plus_one;
  };
  struct Entry {
    const char* data;
    size_t length;
  };

  uint32_t FindOrAdd(std::string_view value);
  uint32_t Add(std::string_view value, Slot& slot, uint32_t hash);
  void Grow();

  const std::shared_ptr<memory::HostAllocator> allocator_;
  std::atomic<size_t>& staged_bytes_;
  StagingArena arena_;
  StagingArray<Entry> entries_;
  StagingArray<Slot> slots_;
  size_t bytes_ = 0;
  ShortStringCache recent_;
};

}  // namespace margay::storage
