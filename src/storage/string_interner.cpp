#include "storage/string_interner.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

namespace margay::storage {

namespace {

constexpr size_t kFirstSlots = 1024;

}  // namespace

StringInterner::StringInterner(const std::shared_ptr<memory::HostAllocator>& allocator,
                               std::atomic<size_t>& staged_bytes)
    : allocator_(allocator),
      staged_bytes_(staged_bytes),
      arena_(allocator, staged_bytes),
      entries_(allocator, staged_bytes),
      slots_(allocator, staged_bytes) {
  slots_.Reset(kFirstSlots);
}

uint32_t StringInterner::Intern(std::string_view value) {
  if (value.size() > ShortStringCache::kLongest) {
    return FindOrAdd(value);
  }
  bool found;
  ShortStringCache::Entry& recent = recent_.Find(value, found);
  if (!found) {
    recent.code = FindOrAdd(value);
  }
  return recent.code;
}

uint32_t StringInterner::FindOrAdd(std::string_view value) {
  const auto hash = static_cast<uint32_t>(XXH3_64bits(value.data(), value.size()));
  const size_t mask = slots_.Size() - 1;
  for (size_t position = hash & mask;; position = (position + 1) & mask) {
    Slot& slot = slots_[position];
    if (slot.code_plus_one == 0) {
      return Add(value, slot, hash);
    }
    if (slot.hash == hash && Value(slot.code_plus_one - 1) == value) {
      return slot.code_plus_one - 1;
    }
  }
}

uint32_t StringInterner::Add(std::string_view value, Slot& slot, uint32_t hash) {
  const auto code = static_cast<uint32_t>(entries_.Size());
  auto* copy = reinterpret_cast<char*>(arena_.Allocate(value.size()));
  std::copy(value.begin(), value.end(), copy);
  entries_.Append({copy, value.size()});
  bytes_ += value.size();
  slot = {hash, code + 1};
  if (2 * entries_.Size() > slots_.Size()) {
    Grow();
  }
  return code;
}

void StringInterner::Grow() {
  StagingArray<Slot> old(allocator_, staged_bytes_);
  old.Swap(slots_);
  slots_.Reset(2 * old.Size());
  const size_t mask = slots_.Size() - 1;
  for (size_t i = 0; i < old.Size(); i++) {
    if (old[i].code_plus_one != 0) {
      size_t position = old[i].hash & mask;
      while (slots_[position].code_plus_one != 0) {
        position = (position + 1) & mask;
      }
      slots_[position] = old[i];
    }
  }
}

}  // namespace margay::storage
