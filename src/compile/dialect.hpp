#pragma once

#include <string>

#include "compile/value.hpp"

namespace margay::compile {

//! Rows that the vector dialect computes at once; one byte of a validity bitmap.
inline constexpr unsigned kVectorRows = 8;

//! The OpenCL C that expressions are written in: for one row, or for kVectorRows consecutive rows
//! at once. CPU compilers don't find the vectors in a loop that ends in a table lookup, so the loop
//! shape writes them out (see LoopGenerator).
//!
//! A flag is an int of 0 or 1 in the row dialect and an int8 of 0 and -1 in the vector dialect:
//! `!`,
//! `&` and `|` mean the same in both. The vector dialect knows 32- and 64-bit integers only; what
//! it has no code for throws NotVectorizable.
class Dialect {
 public:
  static const Dialect& Row();
  static const Dialect& Vector();

  bool IsVector() const { return is_vector_; }
  //! Throws NotVectorizable in the vector dialect.
  void RequireRow() const;

  //! The type of a machine value.
  std::string Type(Machine machine) const;
  //! The code of `value` as another machine type that can hold it, or cut to it.
  std::string Convert(const Value& value, Machine machine) const;
  //! `code`, a literal or a variable that is the same for all rows, as a value.
  std::string Constant(const std::string& code, Machine machine) const;
  //! `a` `symbol` `b` of a machine integer that wraps around: in rows that don't count, operands
  //! may be anything.
  std::string Wrapping(Machine machine, const std::string& a, std::string_view symbol,
                       const std::string& b) const;
  //! A narrow column's value: its encoded word above its segment's base, modulo the machine's size.
  std::string Decode(const std::string& encoded, const std::string& base, Machine machine) const;
  //! A dictionary column's code, an int.
  std::string DecodeCode(const std::string& encoded) const;
  //! An integer's bits as an unsigned int.
  std::string Unsigned(const std::string& code, Machine machine) const;

  //! The outcome of comparing values of `machine`, as a flag.
  std::string Flag(const std::string& comparison, Machine machine) const;
  //! A flag: integer code `a` of `machine` is below `b`.
  std::string Less(Machine machine, const std::string& a, const std::string& b) const;
  std::string True() const { return is_vector_ ? "(int8)(-1)" : "1"; }
  std::string False() const { return is_vector_ ? "(int8)(0)" : "0"; }
  //! `yes` where the flag `condition` is set, `no` elsewhere; both of `machine`.
  std::string Choose(const std::string& condition, const std::string& yes, const std::string& no,
                     Machine machine) const;
  //! The flag that takes up faults.
  std::string Fault() const { return is_vector_ ? "vector_fault" : "fault"; }

 private:
  explicit Dialect(bool is_vector) : is_vector_(is_vector) {}

  bool is_vector_;
};

}  // namespace margay::compile
