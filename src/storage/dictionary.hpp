// The distinct strings of a column, in binary order (unsigned bytes, a prefix before its
// extensions), so that codes compare as the strings do:
//
//   offsets  [ 0 | 3 | 3+n1 | ... | total ]      Size() + 1 entries of 8 bytes
//   bytes    [ value 0 | value 1 | ... ]         one heap, no terminators
//
//   value c = bytes[offsets[c] .. offsets[c + 1])
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace margay::storage {

//! Immutable, so thread-safe.
class Dictionary {
 public:
  //! `values` are sorted and distinct.
  explicit Dictionary(const std::vector<std::string_view>& values);

  size_t Size() const { return offsets_.size() - 1; }

  //! Lives as long as the dictionary. `code` is below Size().
  std::string_view Value(uint32_t code) const {
    return {bytes_.data() + offsets_[code],
            static_cast<size_t>(offsets_[code + 1] - offsets_[code])};
  }

  //! The code of `value`, if it is there.
  std::optional<uint32_t> Find(std::string_view value) const;

  //! The first code whose value is not less than `value`; Size() where there is none.
  uint32_t LowerBound(std::string_view value) const;

  //! Host memory.
  size_t Bytes() const;

  bool operator==(const Dictionary&) const = default;

 private:
  std::vector<uint64_t> offsets_;
  std::vector<char> bytes_;
};

//! Whether both have the same strings, or are null.
inline bool AreEqual(const std::shared_ptr<const Dictionary>& left,
                     const std::shared_ptr<const Dictionary>& right) {
  return left == right || (left && right && *left == *right);
}

}  // namespace margay::storage
