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
  //! Most bytes of a string of the column.
  static Int128 LongestText(const InputColumn& column);
  Bounds WriteBounds(const InputColumn& column);
  //! The same of the string in row `row`, a variable, of the column that holds the bytes.
  Bounds WriteBoundsAt(const InputColumn& column, const std::string& row);
  //! The row of the string, an int, in the column that holds its bytes; -1 where the row at hand is
  //! missing.
  std::string WriteRow(const InputColumn& column);
  //! The address and the bytes of the string, as two arguments of a function.
  std::string WriteBytes(const InputColumn& column);
  //! The same of the string in row `row`, a variable, of the column that holds the bytes.
  std::string BytesAt(const InputColumn& column, const std::string& row);

 private:
  //! A string as the arguments of a function: address and bytes.
  struct Text {
    std::string code;
    std::string null;  //!< an int that is 1 where it is NULL; empty: it never is
  };

  const InputColumn& TextColumn(const plan::Expression& expression) const;
  //! Whether the bytes are those of the row at hand of the scanned table.
  bool IsScanned(const InputColumn& column) const;
  //! Of the ends of text that is not.
  GatherReader EndsReader(const InputColumn& column);
  //! A variable of `type` with the value of `code`, which is the same wherever `name` is.
  std::string DeclareOnce(const std::string& type, const std::string& name,
                          const std::string& code);
  //! The bounds of a string that `reader` reads.
  static Bounds BoundsOf(const InputColumn& column, const GatherReader& reader);
  //! The address of the bytes of the segment of the row that `reader` reads.
  static std::string SegmentText(const InputColumn& column, const GatherReader& reader);
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
