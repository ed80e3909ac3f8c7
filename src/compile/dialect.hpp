#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/written_value.hpp"
#include "optimize/value/node.hpp"

namespace margay::compile {

//! Rows that the vector dialect computes at once; one byte of a validity bitmap.
inline constexpr unsigned kVectorRows = 8;

//! The OpenCL C that values are written in: for one row, or for kVectorRows consecutive rows
//! at once. CPU compilers don't find the vectors in a loop that ends in a table lookup, so the loop
//! shape writes them out (see LoopGenerator).
//!
//! A flag is an int of 0 or 1 in the row dialect and an int8 of 0 and -1 in the vector dialect:
//! `!`,
//! `&` and `|` mean the same in both. The vector dialect knows 32- and 64-bit integers only: see
//! CanVectorize.
class Dialect {
 public:
  static const Dialect& Row();
  static const Dialect& Vector();

  bool IsVector() const { return is_vector_; }

  //! The type of a machine value.
  std::string Type(Machine machine) const;
  //! The code of a value of machine `from` as another machine type that can hold it, or cut to it.
  std::string Convert(const std::string& code, Machine from, Machine to) const;
  std::string Convert(const WrittenValue& value, Machine machine) const {
    return Convert(value.code, value.machine, machine);
  }
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

//! Whether the vector dialect has code for `node` and all that it is computed from. `is_flag` tells
//! of a column, by its number, whether it is a BOOLEAN: a flag, but 0 and 1 in the column.
template <typename IsFlag>
bool CanVectorize(const optimize::Node& node, const IsFlag& is_flag) {
  using optimize::NodeKind;
  if (node.machine != Machine::Int32 && node.machine != Machine::Int64)
    return false;
  switch (node.kind) {
    case NodeKind::Column:
      return !is_flag(node.number);
    case NodeKind::Parameter:
      return node.symbol.empty();
    case NodeKind::ColumnNull:
    case NodeKind::Literal:
    case NodeKind::Flag:
      return true;
    case NodeKind::Convert:
    case NodeKind::Wrapping:
    case NodeKind::Compare:
    case NodeKind::And:
    case NodeKind::Or:
    case NodeKind::Not:
    case NodeKind::Select:
    case NodeKind::Calendar:
    case NodeKind::Sign:
    case NodeKind::InRange:
      break;
    default:
      return false;
  }
  for (const optimize::Node* operand : node.operands) {
    if (!CanVectorize(*operand, is_flag))
      return false;
  }
  return true;
}

}  // namespace margay::compile
