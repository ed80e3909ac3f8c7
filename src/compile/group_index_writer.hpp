#pragma once

#include <string>
#include <vector>

#include "compile/aggregate_layout.hpp"
#include "compile/expression_writer.hpp"

namespace margay::compile {

//! Writes the index of a row's group: see GroupDigit.
class GroupIndexWriter {
 public:
  //! `keys` are the expressions of the layout's keys. All outlive the object.
  GroupIndexWriter(const AggregateLayout& layout, const std::vector<plan::ExpressionPointer>& keys,
                   ExpressionWriter& writer, KernelContext& context)
      : layout_(layout), keys_(keys), writer_(writer), context_(context) {}

  //! Writes the index as variable `group`, a uint, or, for a shared table, as ulongs (see
  //! IndexWord).
  void Write(CodeBlock& block);

 private:
  //! The index of a table that a work-group has to itself.
  void WriteOwn(CodeBlock& block);
  void WriteShared(CodeBlock& block);
  Value WriteKey(const plan::ExpressionPointer& expression);
  //! Writes the digits of the place of `value`, of a key of a shared table.
  std::vector<std::string> WriteDigits(const GroupKey& key, const Value& value);

  const AggregateLayout& layout_;
  const std::vector<plan::ExpressionPointer>& keys_;
  ExpressionWriter& writer_;
  KernelContext& context_;
};

}  // namespace margay::compile
