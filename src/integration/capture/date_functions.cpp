// Functions of dates and timestamps, as DuckDB 1.5.6 computes them (date_part.cpp, date_trunc.cpp):
//
// - Parts of a TIMESTAMP's day are those of its DATE. Infinite ones have NULL parts.
// - The optimizer turns date_part('year', x) and extract(year FROM x) into year(x), but leaves the
//   less common parts as they are.
// - epoch is a DOUBLE: the seconds of a DATE, the microseconds of a TIMESTAMP by a million.
// - date_trunc gives a TIMESTAMP, also of a DATE. A part shorter than a day leaves a DATE as it is.
// - DATE or TIMESTAMP plus or minus an INTERVAL gives a TIMESTAMP; a DATE is made one first, which
//   is an error where there is none (add.cpp). Months come first, then days and microseconds
//   (Interval::Add): a day is always 24 hours.
// - Infinite dates and timestamps stay as they are; the plan's operations leave them to DuckDB.
#include <utility>

#include "duckdb/common/enums/date_part_specifier.hpp"
#include "duckdb/common/types/interval.hpp"
#include "integration/capture/expression.hpp"
#include "integration/version/expressions.hpp"

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
std::optional<DatePartSpecifier> NamedSpecifier(const duckdb::Expression& argument) {
  if (KindOf(argument) != ExpressionKind::Constant) {
    return std::nullopt;
  }
  const duckdb::Value& value = ValueOf(argument);
  DatePartSpecifier specifier;
  if (value.IsNull() || !duckdb::TryGetDatePartSpecifier(value.ToString(), specifier)) {
    return std::nullopt;
  }
  return specifier;
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

CapturedExpression NotSupported(const std::string& name, const plan::ExpressionPointer& operand) {
  return CapturedExpression::Refuse("the function " + name + " of " +
                                    operand->GetType().ToString() + " is not supported yet");
}

bool IsTemporal(const plan::Type& type) {
  return type.kind == TypeKind::Date || type.kind == TypeKind::Timestamp;
}

//! A date or timestamp at the begin of a part, as a timestamp; none where the plan has no such
//! part.
plan::ExpressionPointer Truncate(DatePartSpecifier specifier,
                                 const plan::ExpressionPointer& operand) {
  const bool is_date = operand->GetType().kind == TypeKind::Date;
  std::optional<DatePart> part = ToDatePart(specifier);
  switch (specifier) {
    case DatePartSpecifier::YEARWEEK:
      part = DatePart::Week;
      break;
    case DatePartSpecifier::EPOCH:
      part = DatePart::Second;
      break;
    case DatePartSpecifier::MICROSECONDS:
      return CastTo(TypeKind::Timestamp, operand);
    case DatePartSpecifier::DAY:
    case DatePartSpecifier::DOW:
    case DatePartSpecifier::ISODOW:
    case DatePartSpecifier::DOY:
    case DatePartSpecifier::JULIAN_DAY:
      return CastTo(TypeKind::Timestamp, CastTo(TypeKind::Date, operand));
    default:
      break;
  }
  if (!part || !plan::IsTruncatable(*part)) {
    return nullptr;
  }
  if (plan::IsPartOfDate(*part)) {
    return CastTo(TypeKind::Timestamp,
                  plan::Expression::PartOf(Operation::DateTrunc, *part, TypeKind::Date,
                                           CastTo(TypeKind::Date, operand)));
  }
  return is_date
             ? CastTo(TypeKind::Timestamp, operand)
             : plan::Expression::PartOf(Operation::DateTrunc, *part, TypeKind::Timestamp, operand);
}

//! The constant INTERVAL among two arguments: its place.
std::optional<size_t> FindInterval(const Expressions& arguments) {
  for (size_t i = 0; i < arguments.size(); i++) {
    const duckdb::Expression& child = *arguments[i];
    if (ReturnType(child).id() == duckdb::LogicalTypeId::INTERVAL &&
        KindOf(child) == ExpressionKind::Constant && !ValueOf(child).IsNull()) {
      return i;
    }
  }
  return std::nullopt;
}

//! `operand` moved by an interval `sign` (1 or -1) times; none where its days and microseconds are
//! too many.
plan::ExpressionPointer Move(plan::ExpressionPointer operand, const duckdb::interval_t& interval,
                             int sign) {
  const Int128 months = Int128{interval.months} * sign;
  const Int128 microseconds =
      (Int128{interval.days} * duckdb::Interval::MICROS_PER_DAY + interval.micros) * sign;
  const plan::Type integer = TypeKind::Int32, bigint = TypeKind::Int64;
  if (months > integer.HighestValue() || microseconds > bigint.HighestValue() ||
      microseconds < bigint.LowestValue()) {
    return nullptr;
  }
  if (months != 0) {
    const plan::Type type = operand->GetType();
    operand =
        plan::Expression::Make(Operation::AddMonths, type,
                               {std::move(operand), plan::Expression::Integer(months, integer)});
  }
  operand = CastTo(TypeKind::Timestamp, std::move(operand));
  if (microseconds != 0) {
    operand = plan::Expression::Make(
        Operation::Add, TypeKind::Timestamp,
        {std::move(operand), plan::Expression::Integer(microseconds, bigint)});
  }
  return operand;
}

}  // namespace

std::optional<CapturedExpression> ExpressionCapture::DateTruncation(
    const duckdb::Expression& expression) const {
  const Expressions& arguments = ArgumentsOf(expression);
  const std::string& name = FunctionName(expression);
  if ((name != "date_trunc" && name != "datetrunc") || arguments.size() != 2) {
    return std::nullopt;
  }
  const std::optional<DatePartSpecifier> specifier = NamedSpecifier(*arguments[0]);
  CapturedExpression operand = Capture(*arguments[1]);
  if (!operand) {
    return operand;
  }
  plan::ExpressionPointer truncated;
  if (specifier && IsTemporal(operand.expression->GetType())) {
    truncated = Truncate(*specifier, operand.expression);
  }
  if (truncated == nullptr) {
    return NotSupported(name, operand.expression);
  }
  return CapturedExpression{std::move(truncated), {}};
}

std::optional<CapturedExpression> ExpressionCapture::IntervalArithmetic(
    const duckdb::Expression& expression) const {
  const Expressions& arguments = ArgumentsOf(expression);
  const std::string& name = FunctionName(expression);
  const bool is_subtract = name == "-" || name == "subtract";
  if ((!is_subtract && name != "+" && name != "add") || arguments.size() != 2) {
    return std::nullopt;
  }
  const std::optional<size_t> place = FindInterval(arguments);
  if (!place || (is_subtract && *place == 0)) {
    return std::nullopt;
  }
  CapturedExpression operand = Capture(*arguments[1 - *place]);
  if (!operand) {
    return operand;
  }
  plan::ExpressionPointer moved;
  if (IsTemporal(operand.expression->GetType())) {
    const duckdb::Value& interval = ValueOf(*arguments[*place]);
    moved = Move(operand.expression, duckdb::IntervalValue::Get(interval), is_subtract ? -1 : 1);
  }
  if (moved == nullptr) {
    return NotSupported(name, operand.expression);
  }
  return CapturedExpression{std::move(moved), {}};
}

std::optional<CapturedExpression> ExpressionCapture::DateFunction(
    const duckdb::Expression& expression) const {
  if (std::optional<CapturedExpression> truncated = DateTruncation(expression)) {
    return truncated;
  }
  if (std::optional<CapturedExpression> moved = IntervalArithmetic(expression)) {
    return moved;
  }
  const Expressions& arguments = ArgumentsOf(expression);
  const std::string& name = FunctionName(expression);
  const bool is_epoch = name == "epoch" && arguments.size() == 1;
  std::optional<DatePart> part;
  if (arguments.size() == 1) {
    part = PartOfFunction(name);
  } else if (arguments.size() == 2 && (name == "date_part" || name == "datepart")) {
    if (const auto specifier = NamedSpecifier(*arguments[0])) {
      part = ToDatePart(*specifier);
    }
  }
  if (!part && !is_epoch) {
    return std::nullopt;
  }
  CapturedExpression operand = Capture(*arguments.back());
  if (!operand) {
    return operand;
  }
  const TypeKind type = operand.expression->GetType().kind;
  const bool is_timestamp = type == TypeKind::Timestamp;
  if ((!is_timestamp && type != TypeKind::Date) ||
      (!is_epoch && !is_timestamp && !plan::IsPartOfDate(*part))) {
    return NotSupported(name, operand.expression);
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
