#include "storage/dictionary_merge.hpp"

#include <algorithm>
#include <bit>
#include <queue>

namespace margay::storage {

namespace {

//! A string while it is sorted. Most comparisons end at the prefix, without a look at the string.
struct SortKey {
  //! The first 8 bytes as a number, padded with zeros.
  uint64_t prefix;
  uint32_t code;
};

uint64_t PrefixOf(std::string_view value) {
  uint64_t prefix = 0;
  std::copy_n(value.data(), std::min(value.size(), sizeof(prefix)),
              reinterpret_cast<char*>(&prefix));
  return std::endian::native == std::endian::little ? __builtin_bswap64(prefix) : prefix;
}

std::vector<SortKey> SortedKeys(const StringInterner& interner) {
  std::vector<SortKey> keys(interner.Size());
  for (uint32_t code = 0; code < keys.size(); code++) {
    keys[code] = {PrefixOf(interner.Value(code)), code};
  }
  std::sort(keys.begin(), keys.end(), [&](const SortKey& a, const SortKey& b) {
    return a.prefix != b.prefix ? a.prefix < b.prefix
                                : interner.Value(a.code) < interner.Value(b.code);
  });
  return keys;
}

//! The next string of one interner.
struct Cursor {
  uint64_t prefix;
  std::string_view value;
  size_t interner;
  size_t position;
};

//! For a heap with the smallest string on top.
struct ComesLater {
  bool operator()(const Cursor& a, const Cursor& b) const {
    return a.prefix != b.prefix ? a.prefix > b.prefix : a.value > b.value;
  }
};

}  // namespace

MergedStrings MergeStrings(const std::vector<const StringInterner*>& interners,
                           const ParallelFor& parallel_for) {
  std::vector<std::vector<SortKey>> keys(interners.size());
  parallel_for(interners.size(), [&](size_t i) { keys[i] = SortedKeys(*interners[i]); });

  MergedStrings merged;
  merged.codes.resize(interners.size());
  std::priority_queue<Cursor, std::vector<Cursor>, ComesLater> heap;
  const auto push = [&](size_t interner, size_t position) {
    if (position < keys[interner].size()) {
      const SortKey& key = keys[interner][position];
      heap.push({key.prefix, interners[interner]->Value(key.code), interner, position});
    }
  };
  for (size_t i = 0; i < interners.size(); i++) {
    merged.codes[i].resize(keys[i].size());
    push(i, 0);
  }
  while (!heap.empty()) {
    Cursor next = heap.top();
    heap.pop();
    if (merged.values.empty() || merged.values.back() != next.value) {
      merged.values.push_back(next.value);
      merged.bytes += next.value.size();
    }
    merged.codes[next.interner][keys[next.interner][next.position].code] =
        static_cast<uint32_t>(merged.values.size() - 1);
    push(next.interner, next.position + 1);
  }
  return merged;
}

}  // namespace margay::storage
