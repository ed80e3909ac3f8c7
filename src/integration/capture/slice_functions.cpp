#include <string_view>

#include "integration/capture/expression.hpp"
#include "integration/version/expressions.hpp"

// Functions that give a slice of a string. DuckDB's substring has an implementation for columns
// that its statistics know to be ASCII, and one for all others (src/function/scalar/string/
// substring.cpp). They differ where a place lies beyond the string's other end: those calls are
// refused. left and right always count by the second one.

namespace margay::integration {

namespace {

using plan::Operation;
using plan::TypeKind;

//! The place behind all characters.
constexpr int64_t kEnd = INT64_MAX;

//! Beyond, DuckDB's substring is an error.
constexpr int64_t kMostCharacters = UINT32_MAX;

//! All characters of the category "space separator", which trim takes away by itself.
constexpr std::string_view kSpaces =
    " \u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u202F\u205F"
    "\u3000";

//! Places of a slice, as Operation::Slice has them.
struct Places {
  int64_t begin = 0;
  int64_t end = 0;
};

std::optional<Places> SubstringPlaces(int64_t offset, int64_t length) {
  if (length == 0 || (length < 0 && (offset == 0 || offset == 1))) {
    return Places{0, 0};
  }
  if (offset >= 0) {
    // Character 0 is one before the first.
    return length < 0 ? std::nullopt
                      : std::optional(Places{offset == 0 ? 0 : offset - 1, offset - 1 + length});
  }
  if (length < 0) {
    return Places{offset + length, offset};
  }
  return length < -offset ? std::nullopt : std::optional(Places{offset, kEnd});
}

Places LeftPlaces(int64_t count) {
  return {0, count};
}

Places RightPlaces(int64_t count) {
  return count == 0 ? Places{0, 0} : Places{-count, kEnd};
}

//! The constant integers behind the first argument; none if they are something else.
std::optional<std::vector<int64_t>> Integers(const std::vector<plan::ExpressionPointer>& operands) {
  std::vector<int64_t> integers;
  for (size_t i = 1; i < operands.size(); i++) {
    const plan::Expression& operand = *operands[i];
    if (operand.GetOperation() != Operation::Constant || operand.GetConstant().is_null ||
        operand.GetType().kind != TypeKind::Int64) {
      return std::nullopt;
    }
    const auto integer = static_cast<int64_t>(operand.GetConstant().integer);
    if (integer < -kMostCharacters || integer > kMostCharacters) {
      return std::nullopt;
    }
    integers.push_back(integer);
  }
  return integers;
}

std::optional<Places> PlacesOf(std::string_view name,
                               const std::vector<plan::ExpressionPointer>& operands) {
  const std::optional<std::vector<int64_t>> integers = Integers(operands);
  if (!integers || integers->empty()) {
    return std::nullopt;
  }
  if (name == "left") {
    return LeftPlaces((*integers)[0]);
  }
  if (name == "right") {
    return RightPlaces((*integers)[0]);
  }
  return SubstringPlaces((*integers)[0], integers->size() == 1 ? kMostCharacters : (*integers)[1]);
}

plan::ExpressionPointer MakeSlice(const plan::ExpressionPointer& text, const Places& places) {
  return plan::Expression::Make(Operation::Slice, TypeKind::Varchar,
                                {text, plan::Expression::Integer(places.begin, TypeKind::Int64),
                                 plan::Expression::Integer(places.end, TypeKind::Int64)});
}

//! `operands` are the string and, where they are not spaces, the characters to take away; null if
//! these are not constant.
plan::ExpressionPointer MakeTrim(std::string_view name,
                                 const std::vector<plan::ExpressionPointer>& operands) {
  plan::Constant spaces;
  spaces.text = kSpaces;
  const plan::ExpressionPointer characters =
      operands.size() == 1 ? plan::Expression::MakeConstant(spaces, TypeKind::Varchar)
                           : operands[1];
  if (characters->GetOperation() != Operation::Constant || characters->GetConstant().is_null) {
    return nullptr;
  }
  plan::ExpressionPointer text = operands[0];
  if (name != "ltrim") {
    text = plan::Expression::Make(Operation::TrimEnd, TypeKind::Varchar, {text, characters});
  }
  if (name != "rtrim") {
    text = plan::Expression::Make(Operation::TrimBegin, TypeKind::Varchar, {text, characters});
  }
  return text;
}

}  // namespace

std::optional<CapturedExpression> ExpressionCapture::SliceFunction(
    const duckdb::Expression& expression) const {
  const std::string& name = FunctionName(expression);
  const bool is_trim = name == "trim" || name == "ltrim" || name == "rtrim";
  if (!is_trim && name != "substring" && name != "substr" && name != "left" && name != "right") {
    return std::nullopt;
  }
  std::vector<plan::ExpressionPointer> operands;
  if (auto refused = CaptureOperands(ArgumentsOf(expression), operands)) {
    return refused;
  }
  plan::ExpressionPointer slice;
  if (is_trim) {
    slice = MakeTrim(name, operands);
  } else if (const std::optional<Places> places = PlacesOf(name, operands)) {
    slice = MakeSlice(operands[0], *places);
  }
  if (!slice) {
    return CapturedExpression::Refuse("the function " + name + " with these arguments (" +
                                      expression.ToString() + ") is not supported yet");
  }
  return CapturedExpression{std::move(slice), {}};
}

}  // namespace margay::integration
