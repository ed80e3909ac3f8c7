#pragma once

#include <optional>

#include "optimize/value/value_builder.hpp"
#include "storage/dictionary.hpp"

namespace margay::optimize {

//! Builds what is computed of strings, with the functions of kernels/text*.cl. A string is some
//! bytes behind an address: those of a segment of a text column, or, of a dictionary and of the
//! query itself, in a look-up table, so that one compiled kernel serves all of them. A slice of a
//! string lies behind the same address, so that what takes strings takes slices.
class TextBuilder {
 public:
  explicit TextBuilder(ValueBuilder& builder) : builder_(builder), graph_(builder.Graph()) {}

  //! Like, Prefix, Suffix, Contains, Length or ByteLength. Throws Unsupported where the operand is
  //! no text column, nor a slice of one.
  Value Build(const plan::Expression& expression);
  //! A TextHash.
  Value BuildHash(const plan::Expression& expression);
  //! A comparison of VARCHARs. Throws Unsupported.
  Value BuildComparison(const plan::Expression& expression);
  //! Whether a VARCHAR is one of `constants`. Throws Unsupported.
  Value BuildIn(const plan::ExpressionPointer& operand,
                const std::vector<plan::ExpressionPointer>& constants);
  //! See ValueBuilder::Text.
  Value BuildText(const plan::Expression& expression);
  //! `whole`, as `slice` slices it.
  const Node* BuildSlice(const plan::Expression& slice, const Node* whole);
  //! A constant string.
  const Node* BuildConstant(const plan::Constant& constant);

 private:
  InputColumn TextColumn(const plan::Expression& expression) const;
  //! The string that `code` stands for in `dictionary`: that of `column`, whose image has the
  //! strings on the device, or one that is computed.
  Value BuildEntry(const Value& code, const storage::Dictionary& dictionary,
                   std::optional<size_t> column);
  //! A string with a dictionary, computed or not.
  Value BuildCoded(const plan::Expression& expression);
  Value BuildLength(const plan::Expression& expression);
  Value BuildLike(const plan::Expression& expression);

  ValueBuilder& builder_;
  NodeGraph& graph_;
};

}  // namespace margay::optimize
