#include "storage/dictionary.hpp"

namespace margay::storage {

Dictionary::Dictionary(const std::vector<std::string_view>& values) {
  offsets_.reserve(values.size() + 1);
  offsets_.push_back(0);
  for (std::string_view value : values) {
    offsets_.push_back(offsets_.back() + value.size());
  }
  bytes_.reserve(offsets_.back());
  for (std::string_view value : values) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
}

std::optional<uint32_t> Dictionary::Find(std::string_view value) const {
  uint32_t code = LowerBound(value);
  if (code < Size() && Value(code) == value) {
    return code;
  }
  return std::nullopt;
}

uint32_t Dictionary::LowerBound(std::string_view value) const {
  // char_traits<char> compares as unsigned bytes, which is the order of the codes.
  size_t first = 0;
  for (size_t count = Size(); count > 0;) {
    size_t half = count / 2;
    if (Value(static_cast<uint32_t>(first + half)) < value) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return static_cast<uint32_t>(first);
}

size_t Dictionary::Bytes() const {
  return offsets_.capacity() * sizeof(uint64_t) + bytes_.capacity();
}

}  // namespace margay::storage
