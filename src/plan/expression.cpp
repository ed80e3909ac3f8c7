#include "plan/expression.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "plan/calendar.hpp"

namespace margay::plan {

namespace {

constexpr int64_t kMicrosecondsPerSecond = 1'000'000;
constexpr int64_t kMicrosecondsPerDay = 86'400 * kMicrosecondsPerSecond;

void RequireOperands(Operation operation, const std::vector<ExpressionPointer>& operands) {
  for (const ExpressionPointer& operand : operands) {
    if (operand == nullptr) {
      throw std::logic_error("Expression: an operand of " + std::string(OperationName(operation)) +
                             " is missing");
    }
  }
}

std::string Quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (char character : text) {
    if (character == quote) {
      result += quote;
    }
    result += character;
  }
  return result + quote;
}

//! Names that could be read as something else are quoted, so that no column looks like a constant.
std::string ColumnText(const std::string& name, size_t column) {
  if (name.empty()) {
    return "#" + std::to_string(column);
  }
  bool plain = std::isdigit(static_cast<unsigned char>(name[0])) == 0;
  std::string lower;
  for (char character : name) {
    const auto byte = static_cast<unsigned char>(character);
    plain = plain && (std::isalnum(byte) != 0 || character == '_');
    lower += static_cast<char>(std::tolower(byte));
  }
  const bool literal = lower == "true" || lower == "false" || lower == "null";
  return plain && !literal ? name : Quoted(name, '"');
}

std::string UnsignedText(UInt128 value) {
  const UInt128 tens = value / 10;
  const char digit = static_cast<char>('0' + static_cast<int>(value % 10));
  return (tens == 0 ? "" : ToString(static_cast<Int128>(tens))) + digit;
}

std::string DecimalText(Int128 value, int scale) {
  if (scale == 0) {
    return ToString(value);
  }
  std::string digits = ToString(value);
  const bool negative = digits[0] == '-';
  digits.erase(0, negative ? 1 : 0);
  const auto after_point = static_cast<size_t>(scale);
  if (digits.size() <= after_point) {
    digits.insert(0, after_point + 1 - digits.size(), '0');
  }
  digits.insert(digits.size() - after_point, 1, '.');
  return (negative ? "-" : "") + digits;
}

//! Proleptic Gregorian calendar, as DuckDB writes it; the year before 1 is `0001 ... (BC)`.
std::string CalendarText(int64_t days) {
  const auto [year, month, day] = ToCalendar(days);
  std::array<char, 64> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%04lld-%02lld-%02lld%s",
                static_cast<long long>(year > 0 ? year : 1 - year), static_cast<long long>(month),
                static_cast<long long>(day), year > 0 ? "" : " (BC)");
  return buffer.data();
}

//! DuckDB's infinities are the largest value of the type and its negative.
std::string InfinityText(Int128 value, const Type& type) {
  if (value == type.HighestValue()) {
    return "infinity";
  }
  return value == -type.HighestValue() ? "-infinity" : "";
}

std::string DateText(Int128 value) {
  const std::string infinity = InfinityText(value, TypeKind::Date);
  return infinity.empty() ? CalendarText(static_cast<int64_t>(value)) : infinity;
}

std::string TimestampText(Int128 value) {
  const std::string infinity = InfinityText(value, TypeKind::Timestamp);
  if (!infinity.empty()) {
    return infinity;
  }
  const auto microseconds = static_cast<int64_t>(value);
  int64_t days = microseconds / kMicrosecondsPerDay;
  int64_t rest = microseconds % kMicrosecondsPerDay;
  if (rest < 0) {
    days--;
    rest += kMicrosecondsPerDay;
  }
  const auto seconds = static_cast<int>(rest / kMicrosecondsPerSecond);
  std::array<char, 32> time;
  std::snprintf(time.data(), time.size(), " %02d:%02d:%02d", seconds / 3600, seconds / 60 % 60,
                seconds % 60);
  std::string text = CalendarText(days) + time.data();
  if (const auto fraction = static_cast<int>(rest % kMicrosecondsPerSecond); fraction != 0) {
    std::snprintf(time.data(), time.size(), ".%06d", fraction);
    text += time.data();
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

//! The shortest text that reads back as the same number of that type.
std::string FloatText(double value, const Type& type) {
  if (!std::isfinite(value)) {
    const char* name = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    return Quoted(name, '\'') + "::" + type.ToString();
  }
  std::array<char, 64> buffer;
  char* const end = buffer.data() + buffer.size();
  const std::to_chars_result result =
      type.kind == TypeKind::Float32 ? std::to_chars(buffer.data(), end, static_cast<float>(value))
                                     : std::to_chars(buffer.data(), end, value);
  std::string text(buffer.data(), result.ptr);
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text;
}

std::string ConstantText(const Constant& constant, const Type& type) {
  if (constant.is_null) {
    return "NULL::" + type.ToString();
  }
  switch (type.kind) {
    case TypeKind::Boolean:
      return constant.integer != 0 ? "true" : "false";
    case TypeKind::UInt128:
      return UnsignedText(static_cast<UInt128>(constant.integer));
    case TypeKind::Decimal:
      return DecimalText(constant.integer, type.scale);
    case TypeKind::Date:
      return "DATE " + Quoted(DateText(constant.integer), '\'');
    case TypeKind::Timestamp:
      return "TIMESTAMP " + Quoted(TimestampText(constant.integer), '\'');
    case TypeKind::Float32:
    case TypeKind::Float64:
      return FloatText(constant.real, type);
    case TypeKind::Varchar:
      return Quoted(constant.text, '\'');
    default:
      return ToString(constant.integer);
  }
}

//! To how many digits is part of the type.
bool IsRoundedDecimal(const Expression& expression) {
  const Operation operation = expression.GetOperation();
  return expression.GetType().kind == TypeKind::Decimal &&
         (operation == Operation::Floor || operation == Operation::Ceiling ||
          operation == Operation::Truncate);
}

bool SameConstant(const Constant& left, const Constant& right) {
  if (left.is_null || right.is_null) {
    return left.is_null == right.is_null;
  }
  return left.integer == right.integer && left.text == right.text &&
         std::bit_cast<uint64_t>(left.real) == std::bit_cast<uint64_t>(right.real);
}

}  // namespace

ExpressionPointer Expression::Column(size_t column, Type type, std::string name) {
  std::shared_ptr<Expression> result(new Expression(Operation::Column, type));
  result->column_ = column;
  result->name_ = std::move(name);
  return result;
}

ExpressionPointer Expression::MakeConstant(Constant constant, Type type) {
  std::shared_ptr<Expression> result(new Expression(Operation::Constant, type));
  result->constant_ = std::move(constant);
  return result;
}

ExpressionPointer Expression::Integer(Int128 value, Type type) {
  Constant constant;
  constant.integer = value;
  return MakeConstant(std::move(constant), type);
}

ExpressionPointer Expression::Null(Type type) {
  Constant constant;
  constant.is_null = true;
  return MakeConstant(std::move(constant), type);
}

ExpressionPointer Expression::Make(Operation operation, Type type,
                                   std::vector<ExpressionPointer> operands) {
  if (operation == Operation::Column || operation == Operation::Constant ||
      operation == Operation::Dictionary || operation == Operation::DatePart ||
      operation == Operation::DateTrunc) {
    throw std::logic_error("Expression::Make: " + std::string(OperationName(operation)) +
                           " has a factory of its own");
  }
  RequireOperands(operation, operands);
  std::shared_ptr<Expression> result(new Expression(operation, type));
  result->operands_ = std::move(operands);
  return result;
}

ExpressionPointer Expression::Dictionary(std::shared_ptr<const DictionaryFunction> function,
                                         ExpressionPointer argument, ExpressionPointer by_row) {
  if (function == nullptr) {
    throw std::logic_error("Expression::Dictionary: the function is missing");
  }
  std::shared_ptr<Expression> result(new Expression(Operation::Dictionary, function->ResultType()));
  result->function_ = std::move(function);
  result->operands_.push_back(std::move(argument));
  if (by_row != nullptr) {
    result->operands_.push_back(std::move(by_row));
  }
  RequireOperands(Operation::Dictionary, result->operands_);
  return result;
}

ExpressionPointer Expression::PartOf(Operation operation, DatePart part, Type type,
                                     ExpressionPointer operand) {
  if (operation != Operation::DatePart && operation != Operation::DateTrunc) {
    throw std::logic_error("Expression::PartOf: " + std::string(OperationName(operation)) +
                           " has no part");
  }
  std::shared_ptr<Expression> result(new Expression(operation, type));
  result->part_ = part;
  result->operands_.push_back(std::move(operand));
  RequireOperands(operation, result->operands_);
  return result;
}

std::string Expression::ToString() const {
  const std::string name(OperationName(operation_));
  const auto text = [this](size_t i) { return operands_[i]->ToString(); };
  const auto joined = [&](size_t first, const std::string& separator) {
    std::string result;
    for (size_t i = first; i < operands_.size(); i++) {
      result += (i == first ? "" : separator) + text(i);
    }
    return result;
  };

  switch (operation_) {
    case Operation::Column:
      return ColumnText(name_, column_);
    case Operation::Constant:
      return ConstantText(constant_, type_);
    case Operation::Negate:
      return "(-" + joined(0, ", ") + ")";
    case Operation::Not:
      return "(NOT " + joined(0, ", ") + ")";
    case Operation::IsNull:
    case Operation::IsNotNull:
      return "(" + joined(0, ", ") + " " + name + ")";
    case Operation::Case: {
      std::string result = "CASE";
      for (size_t i = 0; i + 1 < operands_.size(); i += 2) {
        result += " WHEN " + text(i) + " THEN " + text(i + 1);
      }
      return operands_.empty() ? result : result + " ELSE " + text(operands_.size() - 1) + " END";
    }
    case Operation::Coalesce:
      return "COALESCE(" + joined(0, ", ") + ")";
    case Operation::In:
      return "(" + (operands_.empty() ? "" : text(0)) + " IN (" + joined(1, ", ") + "))";
    case Operation::Cast:
    case Operation::TryCast:
    case Operation::Compress:
      return name + "(" + joined(0, ", ") + " AS " + type_.ToString() + ")";
    case Operation::Prefix:
    case Operation::Suffix:
    case Operation::Contains:
    case Operation::Length:
    case Operation::ByteLength:
    case Operation::TextHash:
    case Operation::Slice:
    case Operation::TrimBegin:
    case Operation::TrimEnd:
      return name + "(" + joined(0, ", ") + ")";
    case Operation::DatePart:
      return std::string(DatePartName(part_)) + "(" + text(0) + ")";
    case Operation::DateTrunc:
      return "date_trunc(" + Quoted(DatePartName(part_), '\'') + ", " + text(0) + ")";
    case Operation::Absolute:
    case Operation::Sign:
    case Operation::Round:
    case Operation::Floor:
    case Operation::Ceiling:
    case Operation::Truncate:
    case Operation::Greatest:
    case Operation::Least:
    case Operation::AddMonths:
    case Operation::RowNumber:
    case Operation::Fault:
      return name + "(" + joined(0, ", ") + ")" +
             (IsRoundedDecimal(*this) ? "::" + type_.ToString() : "");
    case Operation::Dictionary:
      return function_->ToString(text(0));
    default:
      return "(" + joined(0, " " + name + " ") + ")";
  }
}

bool SameExpression(const Expression& left, const Expression& right) {
  if (&left == &right) {
    return true;
  }
  if (left.GetOperation() != right.GetOperation() || left.GetType() != right.GetType() ||
      left.Operands().size() != right.Operands().size()) {
    return false;
  }
  for (size_t i = 0; i < left.Operands().size(); i++) {
    if (!SameExpression(left.Operand(i), right.Operand(i))) {
      return false;
    }
  }
  switch (left.GetOperation()) {
    case Operation::Column:
      return left.ColumnIndex() == right.ColumnIndex();
    case Operation::Constant:
      return SameConstant(left.GetConstant(), right.GetConstant());
    case Operation::DatePart:
    case Operation::DateTrunc:
      return left.Part() == right.Part();
    case Operation::Dictionary:
      return left.Function().Equals(right.Function());
    default:
      return true;
  }
}

size_t HashOf(const Expression& expression) {
  size_t hash = 0;
  const auto mix = [&](uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
  };
  const Type& type = expression.GetType();
  mix(static_cast<uint64_t>(expression.GetOperation()) << 24 |
      static_cast<uint64_t>(type.kind) << 16 | uint64_t{type.width} << 8 | type.scale);
  for (const ExpressionPointer& operand : expression.Operands())
    mix(HashOf(*operand));
  switch (expression.GetOperation()) {
    case Operation::Column:
      mix(expression.ColumnIndex());
      break;
    case Operation::Constant: {
      const Constant& constant = expression.GetConstant();
      mix(static_cast<uint64_t>(constant.integer) + (constant.is_null ? 1 : 0));
      mix(std::hash<std::string>()(constant.text));
      break;
    }
    case Operation::DatePart:
    case Operation::DateTrunc:
      mix(static_cast<uint64_t>(expression.Part()));
      break;
    case Operation::Dictionary:
      mix(expression.Function().Hash());
      break;
    default:
      break;
  }
  return hash;
}

ExpressionPointer Substitute(const ExpressionPointer& expression,
                             const std::vector<ExpressionPointer>& replacements) {
  if (expression->GetOperation() == Operation::Column) {
    const size_t column = expression->ColumnIndex();
    if (column >= replacements.size() || replacements[column] == nullptr) {
      throw std::logic_error("Substitute: nothing replaces column " + expression->ToString());
    }
    if (replacements[column]->GetType() != expression->GetType()) {
      throw std::logic_error("Substitute: column " + expression->ToString() + " of type " +
                             expression->GetType().ToString() + " is replaced by " +
                             replacements[column]->ToString() + " of type " +
                             replacements[column]->GetType().ToString());
    }
    return replacements[column];
  }

  std::vector<ExpressionPointer> operands;
  operands.reserve(expression->Operands().size());
  for (const ExpressionPointer& operand : expression->Operands()) {
    operands.push_back(Substitute(operand, replacements));
  }
  if (operands == expression->Operands()) {
    return expression;
  }
  return WithOperands(*expression, std::move(operands));
}

ExpressionPointer WithOperands(const Expression& expression,
                               std::vector<ExpressionPointer> operands) {
  switch (expression.GetOperation()) {
    case Operation::Dictionary:
      return Expression::Dictionary(expression.FunctionPointer(), operands[0],
                                    operands.size() > 1 ? operands[1] : nullptr);
    case Operation::DatePart:
    case Operation::DateTrunc:
      return Expression::PartOf(expression.GetOperation(), expression.Part(), expression.GetType(),
                                operands[0]);
    default:
      return Expression::Make(expression.GetOperation(), expression.GetType(), std::move(operands));
  }
}

void SplitConjunction(const ExpressionPointer& expression,
                      std::vector<ExpressionPointer>& conjuncts) {
  if (expression->GetOperation() != Operation::And) {
    conjuncts.push_back(expression);
    return;
  }
  for (const ExpressionPointer& operand : expression->Operands()) {
    SplitConjunction(operand, conjuncts);
  }
}

ExpressionPointer Conjunction(std::vector<ExpressionPointer> conjuncts) {
  if (conjuncts.size() < 2) {
    return conjuncts.empty() ? nullptr : conjuncts[0];
  }
  return Expression::Make(Operation::And, TypeKind::Boolean, std::move(conjuncts));
}

bool IsSlice(Operation operation) {
  return operation == Operation::Slice || operation == Operation::TrimBegin ||
         operation == Operation::TrimEnd;
}

std::string_view OperationName(Operation operation) {
  switch (operation) {
    case Operation::Column:
      return "COLUMN";
    case Operation::Constant:
      return "CONSTANT";
    case Operation::Add:
      return "+";
    case Operation::Subtract:
    case Operation::Negate:
      return "-";
    case Operation::Multiply:
      return "*";
    case Operation::Divide:
      return "/";
    case Operation::IntegerDivide:
      return "//";
    case Operation::Modulo:
      return "%";
    case Operation::Absolute:
      return "abs";
    case Operation::Sign:
      return "sign";
    case Operation::Round:
      return "round";
    case Operation::Floor:
      return "floor";
    case Operation::Ceiling:
      return "ceil";
    case Operation::Truncate:
      return "trunc";
    case Operation::Greatest:
      return "greatest";
    case Operation::Least:
      return "least";
    case Operation::Equal:
      return "=";
    case Operation::NotEqual:
      return "<>";
    case Operation::Less:
      return "<";
    case Operation::LessOrEqual:
      return "<=";
    case Operation::Greater:
      return ">";
    case Operation::GreaterOrEqual:
      return ">=";
    case Operation::DistinctFrom:
      return "IS DISTINCT FROM";
    case Operation::NotDistinctFrom:
      return "IS NOT DISTINCT FROM";
    case Operation::And:
      return "AND";
    case Operation::Or:
      return "OR";
    case Operation::Not:
      return "NOT";
    case Operation::IsNull:
      return "IS NULL";
    case Operation::IsNotNull:
      return "IS NOT NULL";
    case Operation::Case:
      return "CASE";
    case Operation::Coalesce:
      return "COALESCE";
    case Operation::In:
      return "IN";
    case Operation::Cast:
      return "CAST";
    case Operation::TryCast:
      return "TRY_CAST";
    case Operation::Compress:
      return "COMPRESS";
    case Operation::Like:
      return "LIKE";
    case Operation::Prefix:
      return "PREFIX";
    case Operation::Suffix:
      return "SUFFIX";
    case Operation::Contains:
      return "CONTAINS";
    case Operation::Length:
      return "LENGTH";
    case Operation::ByteLength:
      return "STRLEN";
    case Operation::TextHash:
      return "TEXT_HASH";
    case Operation::Slice:
      return "SLICE";
    case Operation::TrimBegin:
      return "LTRIM";
    case Operation::TrimEnd:
      return "RTRIM";
    case Operation::DatePart:
      return "DATE_PART";
    case Operation::DateTrunc:
      return "DATE_TRUNC";
    case Operation::AddMonths:
      return "add_months";
    case Operation::Dictionary:
      return "DICTIONARY";
    case Operation::RowNumber:
      return "row_number";
    case Operation::Fault:
      return "fault";
  }
  throw std::logic_error("OperationName: unknown operation");
}

}  // namespace margay::plan
