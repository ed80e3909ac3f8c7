#include "compile/dialect.hpp"

#include <stdexcept>

namespace margay::compile {

const Dialect& Dialect::Row() {
  static const Dialect row(false);
  return row;
}

const Dialect& Dialect::Vector() {
  static const Dialect vector(true);
  return vector;
}

std::string Dialect::Type(Machine machine) const {
  const std::string name(MachineName(machine));
  if (!is_vector_)
    return name;
  if (machine != Machine::Int32 && machine != Machine::Int64)
    throw std::logic_error("Dialect: there are no vectors of " + name);
  return name + std::to_string(kVectorRows);
}

std::string Dialect::Convert(const std::string& code, Machine from, Machine to) const {
  if (from == to)
    return code;
  if (is_vector_)
    return "convert_" + Type(to) + "(" + code + ")";
  switch (to) {
    case Machine::Int32:
    case Machine::Int64:
      return "(" + Type(to) + ")" + code + (from == Machine::Wide ? ".low" : "");
    case Machine::Wide:
      return "wide_from_long(" + code + ")";
    default:
      throw std::logic_error("Dialect::Convert: floats are converted by casts");
  }
}

std::string Dialect::Constant(const std::string& code, Machine machine) const {
  return is_vector_ ? "(" + Type(machine) + ")(" + code + ")" : code;
}

std::string Dialect::Wrapping(Machine machine, const std::string& a, std::string_view symbol,
                              const std::string& b) const {
  const std::string type = Type(machine), infix = " " + std::string(symbol) + " ";
  if (is_vector_) {
    return "as_" + type + "(as_u" + type + "(" + a + ")" + infix + "as_u" + type + "(" + b + "))";
  }
  return "(" + type + ")((u" + type + ")" + a + infix + "(u" + type + ")" + b + ")";
}

std::string Dialect::Decode(const std::string& encoded, const std::string& base,
                            Machine machine) const {
  const std::string type = Type(machine);
  if (is_vector_)
    return "as_" + type + "(convert_u" + type + "(" + encoded + ") + " + base + ")";
  return "(" + type + ")((u" + type + ")" + encoded + " + " + base + ")";
}

std::string Dialect::DecodeCode(const std::string& encoded) const {
  return is_vector_ ? "convert_int8(" + encoded + ")" : "(int)" + encoded;
}

std::string Dialect::Unsigned(const std::string& code, Machine machine) const {
  if (is_vector_)
    return (machine == Machine::Int32 ? "as_uint8(" : "convert_uint8(") + code + ")";
  return "(uint)(" + code + ")";
}

std::string Dialect::Flag(const std::string& comparison, Machine machine) const {
  return is_vector_ && machine == Machine::Int64 ? "convert_int8(" + comparison + ")" : comparison;
}

std::string Dialect::Choose(const std::string& condition, const std::string& yes,
                            const std::string& no, Machine machine) const {
  // The condition's elements must be as wide as the values.
  const bool is_wider = is_vector_ && machine == Machine::Int64;
  return (is_wider ? "convert_long8(" + condition + ")" : condition) + " ? " + yes + " : " + no;
}

}  // namespace margay::compile
