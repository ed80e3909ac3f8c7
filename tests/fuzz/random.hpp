#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "plan/integer128.hpp"

namespace margay::fuzz {

//! A stream of random numbers that is the same on every machine (splitmix64).
class Random {
 public:
  //! The stream that belongs to a seed and to numbers below it, such as plan and data set. Streams
  //! with other numbers are independent, so that each can be replayed alone.
  Random(uint64_t seed, std::initializer_list<uint64_t> path = {}) : state_(seed) {
    for (const uint64_t number : path) {
      state_ = Next() ^ (number * 0xD1342543DE82EF95ULL + 1);
    }
  }

  uint64_t Next() {
    uint64_t mixed = state_ += 0x9E3779B97F4A7C15ULL;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
    return mixed ^ (mixed >> 31);
  }

  //! 0 to bound - 1.
  size_t Below(size_t bound) { return Next() % bound; }

  //! lowest to highest, both included.
  Int128 Between(Int128 lowest, Int128 highest) {
    const UInt128 bits = (static_cast<UInt128>(Next()) << 64) | Next();
    const UInt128 span = static_cast<UInt128>(highest) - static_cast<UInt128>(lowest) + 1;
    return static_cast<Int128>(static_cast<UInt128>(lowest) + (span == 0 ? bits : bits % span));
  }

  bool Percent(int percent) { return Below(100) < static_cast<size_t>(percent); }

  //! 0 up to, but not including, 1.
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

  template <typename Item>
  const Item& Pick(const std::vector<Item>& items) {
    return items[Below(items.size())];
  }
  template <typename Item>
  Item Pick(std::initializer_list<Item> items) {
    return items.begin()[Below(items.size())];
  }

  //! The number of an entry, drawn with probability proportional to its weight. Their sum is > 0.
  size_t PickByWeight(const std::vector<int>& weights) {
    int sum = 0;
    for (const int weight : weights) {
      sum += weight;
    }
    auto rest = static_cast<int>(Below(static_cast<size_t>(sum)));
    size_t chosen = 0;
    while (rest >= weights[chosen]) {
      rest -= weights[chosen++];
    }
    return chosen;
  }

 private:
  uint64_t state_;
};

}  // namespace margay::fuzz
