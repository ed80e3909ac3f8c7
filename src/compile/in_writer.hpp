#pragma once

#include <string>
#include <vector>

#include "compile/expression_writer.hpp"

namespace margay::compile {

//! Writes IN. A few values are compared one by one; many constants become a lookup table, so that
//! one kernel serves all lists of one form: a bitmap where the values lie close together or the
//! operand's domain is small, else a sorted list.
class InWriter {
 public:
  explicit InWriter(ExpressionWriter& writer) : writer_(writer) {}

  Value Write(const plan::Expression& expression);

 private:
  Value WriteComparisons(const plan::ExpressionPointer& operand,
                         const std::vector<plan::ExpressionPointer>& others);
  Value WriteConstants(const plan::ExpressionPointer& operand,
                       const std::vector<plan::ExpressionPointer>& constants);
  //! A flag: the integer `value` is one of `list`, which is sorted.
  std::string WriteBitmap(const Value& value, const std::vector<Int128>& list);
  std::string WriteSearch(const Value& value, std::vector<Int128> list);

  ExpressionWriter& writer_;
};

}  // namespace margay::compile
