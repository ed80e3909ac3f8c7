#include "compile/text_searches.hpp"

#include <algorithm>

namespace margay::compile {

namespace {

//! 64 KiB of bitmaps, on top of which the stack of a CPU runtime's thread has room.
constexpr size_t kMostSearches = 8;

}  // namespace

bool TextSearches::HasRoom() const {
  return searches_.size() < kMostSearches;
}

void TextSearches::Add(const optimize::Node* search) {
  if (std::find(searches_.begin(), searches_.end(), search) == searches_.end())
    searches_.push_back(search);
}

std::string TextSearches::Find(const optimize::Node* node) const {
  const auto search = std::find(searches_.begin(), searches_.end(), node);
  if (search == searches_.end())
    return "";
  return "(int)(found" + std::to_string(search - searches_.begin()) + "[row / 32] >> row % 32 & 1)";
}

}  // namespace margay::compile
