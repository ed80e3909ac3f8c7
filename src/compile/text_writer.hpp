#pragma once

#include <string>

#include "compile/expression_writer.hpp"
#include "kernels/like_pattern.hpp"
#include "storage/dictionary.hpp"

namespace margay::compile {

//! Writes what is computed of strings, with the functions of kernels/text*.cl. A string is some
//! bytes behind an address: those of a segment of a text column, or, of a dictionary and of the
//! query itself, in the lookup buffer, so that one compiled kernel serves all of them. A slice of a
//! string lies behind the same address, so that what takes strings takes slices.
class TextWriter {
 public:
  //! Throws NotVectorizable in the vector dialect.
  explicit TextWriter(ExpressionWriter& writer);

  //! Where a string lies behind an address: two uints.
  struct Bounds {
    std::string begin;
    std::string end;
  };

  //! Like, Prefix, Suffix, Contains, Length or ByteLength. Throws Unsupported where the operand is
  //! no text column, nor a slice of one.
  Value Write(const plan::Expression& expression);
  //! A TextHash.
  Value WriteHash(const plan::Expression& expression);
  //! A comparison of VARCHARs. Throws Unsupported.
  Value WriteComparison(const plan::Expression& expression);
  //! Whether a VARCHAR is one of `constants`. Throws Unsupported.
  Value WriteIn(const plan::Expression& operand,
                const std::vector<plan::ExpressionPointer>& constants);
  //! Most bytes of a string of the column.
  static Int128 LongestText(const InputColumn& column);
  //! The bounds of the string of the row at hand in its segment's bytes: two variables.
  Bounds WriteBounds(const InputColumn& column);
  //! The same of the string in row `row`, a variable, of the column that holds the bytes.
  Bounds WriteBoundsAt(const InputColumn& column, const std::string& row);
  //! The row of the string, an int, in the column that holds its bytes; -1 where the row at hand is
  //! missing.
  std::string WriteRow(const InputColumn& column);
  //! The same for a row that is stored: never missing, as whoever reads it looks for its place.
  std::string WriteStoredRow(const InputColumn& column) {
    return "max(" + WriteRow(column) + ", 0)";
  }
  //! The address and the bytes of the string, as two arguments of a function.
  std::string WriteBytes(const InputColumn& column);
  //! The same of the string in row `row`, a variable, of the column that holds the bytes. What it
  //! declares is good where that variable is.
  std::string WriteBytesAt(const InputColumn& column, const std::string& row);

 private:
  //! A string of a column or of the query.
  struct Text {
    std::string address;
    Bounds bounds;
    std::string null;  //!< an int that is 1 where it is NULL; empty: it never is

    //! The address and the bytes, as two arguments of a function.
    std::string Arguments() const;
  };

  InputColumn TextColumn(const plan::Expression& expression) const;
  //! Whether the bytes are those of the row at hand of the scanned table.
  bool IsScanned(const InputColumn& column) const;
  //! Of the ends of text that is not.
  GatherReader EndsReader(const InputColumn& column);
  //! A new variable of `type` with the value of `code`.
  std::string Declare(const std::string& type, const std::string& code);
  //! A variable of `type` with the value of `code`, which is the same wherever `name` is.
  std::string DeclareOnce(const std::string& type, const std::string& name,
                          const std::string& code);
  //! The bounds that `make` gives, which are the same wherever `name` is, as variables.
  template <typename Make>
  Bounds DeclareBounds(const std::string& name, const Make& make);
  //! The bounds of a whole string that `reader` reads.
  static Bounds BoundsOf(const InputColumn& column, const GatherReader& reader);
  //! The address of the bytes of the segment of the row that `reader` reads.
  static std::string SegmentText(const InputColumn& column, const GatherReader& reader);
  //! The address of the bytes of the segment of the row at hand.
  std::string WriteAddress(const InputColumn& column);
  //! The bounds of a slice; `whole` are those of what the slice is of at last.
  Bounds WriteSlice(const plan::Expression& slice, const std::string& address, Bounds whole);
  Text WriteText(const plan::Expression& expression);
  Text WriteConstant(const plan::Constant& constant);
  //! The code of the address of the packed strings (storage::PackStrings) of a dictionary: that of
  //! `column`, whose image keeps them on the device, or one that is computed.
  std::string WriteStrings(const InputColumn& column);
  std::string WriteStrings(const storage::Dictionary& computed);
  //! The string that `code` stands for in `dictionary`, whose strings are packed at `strings`.
  Text WriteEntry(const Value& code, const storage::Dictionary& dictionary,
                  const std::string& strings);
  //! A string with a dictionary, computed or not.
  Text WriteCoded(const plan::Expression& expression);
  Value WriteLength(const plan::Expression& expression);

  ExpressionWriter& writer_;
};

//! Whether `expression` is a search for a pattern in a column: Like or Contains.
bool IsLike(const plan::Expression& expression);
kernels::LikePattern LikePatternOf(const plan::Expression& like);
//! Registers the pattern of a Like or Contains; the code of its address.
std::string PatternCode(const plan::Expression& like, Parameters& parameters);

}  // namespace margay::compile
