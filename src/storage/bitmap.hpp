// Bitmaps as DuckDB and the images have them: 64-bit words, bit i of the bitmap is bit i % 64 of
// word i / 64.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace margay::storage {

constexpr size_t BitmapWords(size_t bits) {
  return (bits + 63) / 64;
}

inline bool BitAt(const uint64_t* words, size_t position) {
  return (words[position / 64] >> (position % 64) & 1) != 0;
}

inline void ClearBit(uint64_t* words, size_t position) {
  words[position / 64] &= ~(uint64_t{1} << (position % 64));
}

//! Bits [first, first + count) as the low bits of a word; `count` is 1 to 64.
inline uint64_t LoadBits(const uint64_t* words, size_t first, size_t count) {
  size_t shift = first % 64;
  uint64_t bits = words[first / 64] >> shift;
  if (shift + count > 64) {
    bits |= words[first / 64 + 1] << (64 - shift);
  }
  return count == 64 ? bits : bits & ((uint64_t{1} << count) - 1);
}

//! Sets those bits that are set in `bits`, from `first` on; `count` is 1 to 64.
inline void OrBits(uint64_t* words, size_t first, uint64_t bits, size_t count) {
  size_t shift = first % 64;
  words[first / 64] |= bits << shift;
  if (shift + count > 64) {
    words[first / 64 + 1] |= bits >> (64 - shift);
  }
}

//! Calls function(offset, bits, bits_count) for up to 64 bits at a time of [first, first + count).
template <typename Function>
void ForEachBitGroup(const uint64_t* words, size_t first, size_t count, const Function& function) {
  for (size_t offset = 0; offset < count; offset += 64) {
    size_t group = count - offset < 64 ? count - offset : 64;
    function(offset, LoadBits(words, first + offset, group), group);
  }
}

//! ORs `count` bits of `source`, from `source_first` on, into `destination`; nullptr stands for
//! ones.
inline void OrBitRange(uint64_t* destination, size_t destination_first, const uint64_t* source,
                       size_t source_first, size_t count) {
  if (source == nullptr) {
    for (size_t offset = 0; offset < count; offset += 64) {
      size_t group = count - offset < 64 ? count - offset : 64;
      OrBits(destination, destination_first + offset, ~uint64_t{0} >> (64 - group), group);
    }
    return;
  }
  ForEachBitGroup(source, source_first, count, [&](size_t offset, uint64_t bits, size_t group) {
    OrBits(destination, destination_first + offset, bits, group);
  });
}

inline size_t CountOnes(const uint64_t* words, size_t first, size_t count) {
  size_t ones = 0;
  ForEachBitGroup(words, first, count, [&](size_t, uint64_t bits, size_t) {
    ones += static_cast<size_t>(std::popcount(bits));
  });
  return ones;
}

//! Calls function(i) for every i below `count` whose bit first + i is 0, ascending.
template <typename Function>
void ForEachZero(const uint64_t* words, size_t first, size_t count, const Function& function) {
  ForEachBitGroup(words, first, count, [&](size_t offset, uint64_t bits, size_t group) {
    uint64_t zeros = ~bits & (~uint64_t{0} >> (64 - group));
    for (; zeros != 0; zeros &= zeros - 1) {
      function(offset + static_cast<size_t>(std::countr_zero(zeros)));
    }
  });
}

//! The same for the bits that are 1.
template <typename Function>
void ForEachOne(const uint64_t* words, size_t first, size_t count, const Function& function) {
  ForEachBitGroup(words, first, count, [&](size_t offset, uint64_t bits, size_t) {
    for (; bits != 0; bits &= bits - 1) {
      function(offset + static_cast<size_t>(std::countr_zero(bits)));
    }
  });
}

}  // namespace margay::storage
