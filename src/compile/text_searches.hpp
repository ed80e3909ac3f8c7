#pragma once

#include <string>
#include <vector>

#include "optimize/value/node.hpp"

namespace margay::compile {

//! Patterns that the loop shape looks for in all rows of a segment before it walks them: going
//! through the bytes of a segment as one stream is several times faster than row by row. The result
//! is a bitmap `found<i>` of the segment's rows.
//!
//! Only patterns of filters are searched for that way, which every row would have to be compared
//! with anyhow, and only a few, since bitmaps are private memory.
class TextSearches {
 public:
  //! There is room for one more.
  bool HasRoom() const;
  //! Adds a search: a call of text_like for a column of the scanned table. Each is added once.
  void Add(const optimize::Node* search);

  const std::vector<const optimize::Node*>& List() const { return searches_; }
  //! The bit of the row at hand, or nothing where the node is not searched for.
  std::string Find(const optimize::Node* node) const;

 private:
  std::vector<const optimize::Node*> searches_;
};

}  // namespace margay::compile
