#pragma once

#include <string>

#include "compile/expression_writer.hpp"
#include "kernels/like_pattern.hpp"

namespace margay::compile {

//! Writes what is computed of text columns, with the functions of kernels/text.cl. The strings of a
//! query reach the kernel in the lookup buffer, so that one compiled kernel serves all of them.
class TextWriter {
 public:
  //! Throws NotVectorizable in the vector dialect.
  explicit TextWriter(ExpressionWriter& writer) : writer_(writer) {
    writer.GetDialect().RequireRow();
  }

  //! Where the string of the row at hand lies in its segment's bytes: two variables of type uint.
  struct Bounds {
    std::string begin;
    std::string end;
  };

  //! Like, Prefix, Suffix, Contains, Length or ByteLength. Throws Unsupported where the operand is
  //! not a text column.
  Value Write(const plan::Expression& expression);
  //! A comparison of VARCHARs: text columns with each other or with constants. Throws Unsupported.
  Value WriteComparison(const plan::Expression& expression);
  //! Whether a text column is one of `constants`. Throws Unsupported where `operand` is none.
  Value WriteIn(const plan::Expression& operand,
                const std::vector<plan::ExpressionPointer>& constants);
  Bounds WriteBounds(const InputColumn& column);

 private:
  //! A string as the arguments of a function: address and bytes.
  struct Text {
    std::string code;
    std::string null;  //!< an int that is 1 where it is NULL; empty: it never is
  };

  const InputColumn& TextColumn(const plan::Expression& expression) const;
  //! Of a column of a joined table.
  GatherReader JoinedReader(const InputColumn& column) const;
  //! The address of the bytes of the segment of the row at hand.
  std::string SegmentText(const InputColumn& column);
  Text WriteText(const plan::Expression& expression);
  Value WriteLength(const plan::Expression& expression);

  ExpressionWriter& writer_;
};

//! Whether `expression` is a search for a pattern in a column: Like or Contains.
bool IsLike(const plan::Expression& expression);
kernels::LikePattern LikePatternOf(const plan::Expression& like);
//! Registers the pattern of a Like or Contains; the code of its address.
std::string PatternCode(const plan::Expression& like, Parameters& parameters);

}  // namespace margay::compile
