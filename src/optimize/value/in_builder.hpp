#pragma once

#include "optimize/value/value_builder.hpp"

namespace margay::optimize {

//! Builds IN. A few values are compared one by one; many constants become a look-up table, so that
//! one kernel serves all lists of one form: a bitmap where the values lie close together or the
//! operand's domain is small, else a sorted list.
class InBuilder {
 public:
  explicit InBuilder(ValueBuilder& builder) : builder_(builder), graph_(builder.Graph()) {}

  Value Build(const plan::Expression& expression);

 private:
  Value BuildComparisons(const plan::ExpressionPointer& operand,
                         const std::vector<plan::ExpressionPointer>& others);
  Value BuildConstants(const plan::ExpressionPointer& operand,
                       const std::vector<plan::ExpressionPointer>& constants);
  //! A flag: the integer `value` is one of `list`, which is sorted.
  const Node* BuildBitmap(const Value& value, const std::vector<Int128>& list);
  const Node* BuildSearch(const Value& value, std::vector<Int128> list);

  ValueBuilder& builder_;
  NodeGraph& graph_;
};

}  // namespace margay::optimize
