#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace margay::storage {

//! Remembers the codes of recently seen strings of up to kLongest bytes, which most columns with
//! few values consist of. A string is compared as two words, without a hash function or a look
//! elsewhere (measured by encode_rate_test.cpp, 25 strings of 10 bytes: 180 M values per second of
//! one core instead of 115 M with the hash table alone). Not thread-safe.
class ShortStringCache {
 public:
  static constexpr size_t kLongest = 16;

  //! Where a string is or would be.
  struct Entry {
    uint64_t first = 0;
    uint64_t last = 0;
    //! Length + 1; 0 = free.
    uint32_t length_plus_one = 0;
    uint32_t code = 0;
  };

  //! The place for `value`, which is at most kLongest bytes long. Where `found` is true, its code
  //! is there; else the place is made out to `value` and the caller writes the code.
  Entry& Find(std::string_view value, bool& found) {
    const Entry key = KeyOf(value);
    const uint64_t mixed =
        (key.first ^ key.last * 0x9E3779B97F4A7C15u ^ key.length_plus_one) * 0xD6E8FEB86659FD93u;
    Entry& entry = entries_[mixed >> (64 - kEntriesLog2)];
    found = entry.first == key.first && entry.last == key.last &&
            entry.length_plus_one == key.length_plus_one;
    if (!found) {
      entry = key;
    }
    return entry;
  }

 private:
  //! 12 KiB: leaves room for the column itself in the first-level cache.
  static constexpr size_t kEntriesLog2 = 9;

  //! All bytes of the string are in `first` or `last`, which may overlap.
  static Entry KeyOf(std::string_view value) {
    Entry key;
    const size_t length = value.size();
    key.length_plus_one = static_cast<uint32_t>(length + 1);
    if (length >= 8) {
      std::memcpy(&key.first, value.data(), 8);
      std::memcpy(&key.last, value.data() + length - 8, 8);
    } else if (length >= 4) {
      std::memcpy(&key.first, value.data(), 4);
      std::memcpy(&key.last, value.data() + length - 4, 4);
    } else if (length > 0) {
      key.first = static_cast<unsigned char>(value[0]);
      key.last = static_cast<uint64_t>(static_cast<unsigned char>(value[length / 2])) << 8 |
                 static_cast<unsigned char>(value[length - 1]);
    }
    return key;
  }

  std::array<Entry, size_t{1} << kEntriesLog2> entries_{};
};

}  // namespace margay::storage
