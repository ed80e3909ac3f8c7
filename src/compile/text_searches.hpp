#pragma once

#include <map>
#include <string>
#include <vector>

#include "compile/code_block.hpp"
#include "compile/parameters.hpp"
#include "compile/pipeline.hpp"
#include "compile/row_reader.hpp"

namespace margay::compile {

//! Patterns that the loop shape looks for in all rows of a segment before it walks them: going
//! through the bytes of a segment as one stream is several times faster than row by row. The result
//! is a bitmap `found<i>` of the segment's rows.
//!
//! Only patterns of filters are searched for that way, which every row would have to be compared
//! with anyhow, and only a few, since bitmaps are private memory.
class TextSearches {
 public:
  //! Those of a pipeline whose texts are resolved.
  static TextSearches Of(const Pipeline& pipeline, const std::vector<InputColumn>& columns);

  //! Writes the search of one segment, whose columns are declared.
  void Write(CodeBlock& block, Parameters& parameters) const;

  //! The bit of the row at hand, or nothing where the expression is not searched for.
  std::string Find(const plan::Expression& expression) const;

 private:
  void Collect(const plan::ExpressionPointer& expression, const std::vector<InputColumn>& columns);

  std::vector<plan::ExpressionPointer> searches_;
  std::map<std::string, size_t> numbers_;
};

}  // namespace margay::compile
