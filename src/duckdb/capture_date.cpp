// Functions of dates and timestamps, as DuckDB 1.5.6 computes them (date_part.cpp, date_trunc.cpp):
//
// - Parts of a TIMESTAMP's day are those of its DATE. Infinite ones have NULL parts.
// - The optimizer turns date_part('year', x) and extract(year FROM x) into year(x), but leaves the
//   less common parts as they are.
// - epoch is a DOUBLE: the seconds of a DATE, the microseconds of a TIMESTAMP by a million.
#include <utility>

#include "duckdb/capture_expression.hpp"
#include "duckdb/common/enums/date_part_specifier.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"

namespace margay::integration {

namespace {

using duckdb::DatePartSpecifier;
using plan::DatePart;
using plan::Operation;
using plan::TypeKind;

std::optional<DatePart> ToDatePart(DatePartSpecifier specifier) {
  switch (specifier) {
    case DatePartSpecifier::YEAR:
      return DatePart::Year;
    case DatePartSpecifier::ISOYEAR:
      return DatePart::IsoYear;
    case DatePartSpecifier::QUARTER:
      return DatePart::Quarter;
    case DatePartSpecifier::MONTH:
      return DatePart::Month;
    case DatePartSpecifier::WEEK:
      return DatePart::Week;
    case DatePartSpecifier::DAY:
      return DatePart::Day;
    case DatePartSpecifier::DOW:
      return DatePart::DayOfWeek;
    case DatePartSpecifier::ISODOW:
      return DatePart::IsoDayOfWeek;
    case DatePartSpecifier::DOY:
      return DatePart::DayOfYear;
    case DatePartSpecifier::HOUR:
      return DatePart::Hour;
    case DatePartSpecifier::MINUTE:
      return DatePart::Minute;
    case DatePartSpecifier::SECOND:
      return DatePart::Second;
    case DatePartSpecifier::MILLISECONDS:
      return DatePart::Millisecond;
    case DatePartSpecifier::MICROSECONDS:
      return DatePart::Microsecond;
    default:
      return std::nullopt;
  }
}

//! The part that a function of one argument gives.
std::optional<DatePart> PartOfFunction(const std::string& name) {
  for (const auto& [other, part] :
       {std::pair("weekday", DatePart::DayOfWeek), std::pair("weekofyear", DatePart::Week),
        std::pair("dayofmonth", DatePart::Day),
        std::pair("epoch_us", DatePart::EpochMicrosecond)}) {
    if (name == other) {
      return part;
    }
  }
  for (DatePart part : {DatePart::Year, DatePart::IsoYear, DatePart::Quarter, DatePart::Month,
                        DatePart::Week, DatePart::Day, DatePart::DayOfWeek, DatePart::IsoDayOfWeek,
                        DatePart::DayOfYear, DatePart::Hour, DatePart::Minute, DatePart::Second,
                        DatePart::Millisecond, DatePart::Microsecond}) {
    if (name == plan::DatePartName(part)) {
      return part;
    }
  }
  return std::nullopt;
}

//! The part that the first of two arguments names.
std::optional<DatePart> NamedPart(const duckdb::Expression& argument) {
  if (argument.GetExpressionClass() != duckdb::ExpressionClass::BOUND_CONSTANT) {
    return std::nullopt;
  }
  const duckdb::Value& value = argument.Cast<duckdb::BoundConstantExpression>().value;
  DatePartSpecifier specifier;
  if (value.IsNull() || !duckdb::TryGetDatePartSpecifier(value.ToString(), specifier)) {
    return std::nullopt;
  }
  return ToDatePart(specifier);
}

plan::ExpressionPointer PartOf(DatePart part, plan::ExpressionPointer operand) {
  return plan::Expression::PartOf(Operation::DatePart, part, TypeKind::Int64, std::move(operand));
}

plan::ExpressionPointer CastTo(TypeKind type, plan::ExpressionPointer operand) {
  if (operand->GetType().kind == type) {
    return operand;
  }
  return plan::Expression::Make(Operation::Cast, type, {std::move(operand)});
}

//! Seconds since 1970 as DOUBLE.
plan::ExpressionPointer EpochOf(const plan::ExpressionPointer& operand) {
  if (operand->GetType().kind == TypeKind::Date) {
    return CastTo(TypeKind::Float64, PartOf(DatePart::EpochSecond, operand));
  }
  plan::Constant million;
  million.real = 1'000'000;
  return plan::Expression::Make(
      Operation::Divide, TypeKind::Float64,
      {CastTo(TypeKind::Float64, PartOf(DatePart::EpochMicrosecond, operand)),
       plan::Expression::MakeConstant(million, TypeKind::Float64)});
}

}  // namespace

std::optional<CapturedExpression> ExpressionCapture::DateFunction(
    const duckdb::Expression& expression) const {
  const auto& function = expression.Cast<duckdb::BoundFunctionExpression>();
  const std::string& name = function.function.name;
  const bool is_epoch = name == "epoch" && function.children.size() == 1;
  std::optional<DatePart> part;
  if (function.children.size() == 1) {
    part = PartOfFunction(name);
  } else if (function.children.size() == 2 && (name == "date_part" || name == "datepart")) {
    part = NamedPart(*function.children[0]);
  }
  if (!part && !is_epoch) {
    return std::nullopt;
  }
  CapturedExpression operand = Capture(*function.children.back());
  if (!operand) {
    return operand;
  }
  const TypeKind type = operand.expression->GetType().kind;
  const bool is_timestamp = type == TypeKind::Timestamp;
  if ((!is_timestamp && type != TypeKind::Date) ||
      (!is_epoch && !is_timestamp && !plan::IsPartOfDate(*part))) {
    return CapturedExpression::Refuse("the function " + name + " of " +
                                      operand.expression->GetType().ToString() +
                                      " is not supported yet");
  }
  if (is_epoch) {
    return CapturedExpression{EpochOf(operand.expression), {}};
  }
  if (plan::IsPartOfDate(*part)) {
    operand.expression = CastTo(TypeKind::Date, std::move(operand.expression));
  }
  return CapturedExpression{PartOf(*part, std::move(operand.expression)), {}};
}

}  // namespace margay::integration
