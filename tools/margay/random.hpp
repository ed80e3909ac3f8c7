#pragma once

#include <cstddef>
#include <cstdint>

namespace margay::tool {

//! A stream of random numbers that is the same on every machine (splitmix64).
class Random {
 public:
  //! The stream of one item of one kind. Streams of other items are independent, so that items can
  //! be made in any order and by any number of threads.
  Random(uint64_t seed, uint64_t kind, uint64_t item) : state_(seed) {
    state_ = Next() ^ kind;
    state_ = Next() ^ item;
  }

  uint64_t Next() {
    uint64_t mixed = state_ += 0x9E3779B97F4A7C15ULL;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
    return mixed ^ (mixed >> 31);
  }

  //! lowest to highest, both included; they are less than 2^32 apart.
  int64_t Between(int64_t lowest, int64_t highest) {
    auto span = static_cast<uint64_t>(highest - lowest) + 1;
    return lowest + static_cast<int64_t>(((Next() >> 32) * span) >> 32);
  }

  //! One of the items of an array.
  template <typename Items>
  const auto& Pick(const Items& items) {
    return items[static_cast<size_t>(Between(0, static_cast<int64_t>(items.size()) - 1))];
  }

 private:
  uint64_t state_;
};

}  // namespace margay::tool
