#include "compile/date_writer.hpp"

#include <stdexcept>

#include "compile/refusal.hpp"
#include "plan/calendar.hpp"

namespace margay::compile {

using plan::DatePart;

namespace {

constexpr Int128 kSecond = 1'000'000;
constexpr Int128 kMinute = 60 * kSecond;
constexpr Int128 kHour = 60 * kMinute;
constexpr Int128 kSecondsPerDay = 86'400;

int64_t Thursday(int64_t days) {
  const int64_t above_monday = ((days + 3) % 7 + 7) % 7;
  return days - above_monday + 3;
}

//! The begin of the part of a date; the host's side of calendar.cl.
int64_t Truncated(DatePart part, int64_t days) {
  switch (part) {
    case DatePart::Year:
      return plan::FirstDayOfYear(plan::ToCalendar(days).year);
    case DatePart::Quarter:
    case DatePart::Month: {
      days -= plan::ToCalendar(days).day - 1;
      while (part == DatePart::Quarter && plan::ToCalendar(days).month % 3 != 1)
        days -= plan::ToCalendar(days - 1).day;
      return days;
    }
    case DatePart::Week:
      return Thursday(days) - 3;
    case DatePart::IsoYear:
      // 4 January is always in the year's first week.
      return Thursday(plan::FirstDayOfYear(plan::ToCalendar(Thursday(days)).year) + 3) - 3;
    default:
      throw std::logic_error("DateWriter: no part to truncate a date to");
  }
}

//! The values of a part for all dates of a range.
Range RangeOfPart(DatePart part, const Range& days) {
  const auto low = static_cast<int64_t>(days.low), high = static_cast<int64_t>(days.high);
  const plan::CalendarDay first = plan::ToCalendar(low), last = plan::ToCalendar(high);
  const bool same_year = first.year == last.year;
  switch (part) {
    case DatePart::Year:
      return {first.year, last.year, true};
    case DatePart::IsoYear:
      return {plan::ToCalendar(Thursday(low)).year, plan::ToCalendar(Thursday(high)).year, true};
    case DatePart::Quarter:
      return same_year ? Range{(first.month + 2) / 3, (last.month + 2) / 3, true}
                       : Range{1, 4, true};
    case DatePart::Month:
      return same_year ? Range{first.month, last.month, true} : Range{1, 12, true};
    case DatePart::Week:
      return {1, 53, true};
    case DatePart::Day:
      return same_year && first.month == last.month ? Range{first.day, last.day, true}
                                                    : Range{1, 31, true};
    case DatePart::DayOfWeek:
      return {0, 6, true};
    case DatePart::IsoDayOfWeek:
      return {1, 7, true};
    case DatePart::DayOfYear: {
      const int64_t before = plan::FirstDayOfYear(first.year) - 1;
      return same_year ? Range{low - before, high - before, true} : Range{1, 366, true};
    }
    default:
      throw std::logic_error("DateWriter: no part of a date");
  }
}

//! A part of a timestamp is what is above the last multiple of `period`, in units of `unit`.
struct TimePart {
  Int128 period;
  Int128 unit;
};

TimePart TimePartOf(DatePart part) {
  switch (part) {
    case DatePart::Hour:
      return {kMicrosecondsPerDay, kHour};
    case DatePart::Minute:
      return {kHour, kMinute};
    case DatePart::Second:
      return {kMinute, kSecond};
    case DatePart::Millisecond:
      return {kMinute, 1000};
    case DatePart::Microsecond:
      return {kMinute, 1};
    default:
      throw std::logic_error("DateWriter: no part of a timestamp");
  }
}

}  // namespace

Int128 DateWriter::StepOf(DatePart part) {
  return TimePartOf(part).unit;
}

Value DateWriter::InCalendar(const Value& date) {
  Value days = writer_.Bounded(date, CalendarForm::AllDays());
  days.code = writer_.Convert(days, Machine::Int32);
  days.machine = Machine::Int32;
  return days;
}

std::string DateWriter::Call(const std::string& function, const Value& days,
                             const std::string& second) {
  const CalendarForm form = CalendarForm::For(days.range, writer_.dialect_.IsVector());
  writer_.context_.calendars.insert(form);
  return writer_.Declare(Machine::Int32, form.Prefix() + function + "(" + days.code +
                                             (second.empty() ? "" : ", " + second) + ")");
}

std::string DateWriter::Above(const Value& microseconds, Int128 period) {
  const std::string literal = IntegerLiteral(period, Machine::Int64);
  const std::string rest = writer_.Declare(
      Machine::Int64, writer_.Convert(microseconds, Machine::Int64) + " % " + literal);
  return "(" + rest + " + (" + rest + " < 0 ? " + literal + " : 0))";
}

Value DateWriter::WritePart(const plan::Expression& expression) {
  const DatePart part = expression.Part();
  // Infinite dates and timestamps have no parts.
  const Int128 infinity = RangeOf(expression.Operand(0).GetType()).high;
  const Value whole = writer_.Bounded(writer_.Write(expression.Operands()[0]),
                                      {-infinity + 1, infinity - 1, true}, true);
  if (!plan::IsPartOfDate(part))
    return WritePartOfTimestamp(part, whole);
  Value value;
  if (part == DatePart::EpochSecond) {
    value.range = whole.range * Range::Of(kSecondsPerDay);
    value.domain = whole.domain * Range::Of(kSecondsPerDay);
    value.null = whole.null;
    value.machine = MachineFor(value.range);
    value.code = writer_.Declare(
        value.machine,
        writer_.dialect_.Wrapping(value.machine, writer_.Convert(whole, value.machine), "*",
                                  IntegerLiteral(kSecondsPerDay, value.machine)));
    return value;
  }
  const Value days = InCalendar(whole);
  value.range = RangeOfPart(part, days.range);
  value.domain = RangeOfPart(part, days.domain);
  value.null = days.null;
  value.machine = Machine::Int32;
  value.code = Call(std::string(plan::DatePartName(part)), days);
  return value;
}

Value DateWriter::WritePartOfTimestamp(DatePart part, const Value& timestamp) {
  if (part == DatePart::EpochMicrosecond)
    return timestamp;
  writer_.dialect_.RequireRow();
  const auto [period, unit] = TimePartOf(part);
  Value value;
  value.null = timestamp.null;
  value.range = value.domain = {0, period / unit - 1, true};
  value.machine = Machine::Int32;
  value.code = writer_.Declare(Machine::Int32, "(int)(" + Above(timestamp, period) + " / " +
                                                   IntegerLiteral(unit, Machine::Int64) + ")");
  return value;
}

Value DateWriter::WriteTruncation(const plan::Expression& expression) {
  const DatePart part = expression.Part();
  const Value whole = writer_.Write(expression.Operands()[0]);
  Value value;
  if (plan::IsPartOfDate(part)) {
    const Value days = InCalendar(whole);
    const auto truncated = [&](const Range& range) {
      return Range{Truncated(part, static_cast<int64_t>(range.low)),
                   Truncated(part, static_cast<int64_t>(range.high)), true};
    };
    value.range = truncated(days.range);
    value.domain = truncated(days.domain);
    value.null = days.null;
    value.machine = Machine::Int32;
    value.code = Call("trunc_" + std::string(plan::DatePartName(part)), days);
    return value;
  }
  writer_.dialect_.RequireRow();
  const Int128 unit = StepOf(part);
  const Value microseconds = writer_.Bounded(whole, kFiniteTimestamps);
  const auto truncated = [&](const Range& range) {
    const auto floor = [&](Int128 bound) { return bound - (bound % unit + unit) % unit; };
    return Range{floor(range.low), floor(range.high), true};
  };
  value.range = truncated(microseconds.range);
  value.domain = truncated(microseconds.domain);
  value.null = microseconds.null;
  value.machine = Machine::Int64;
  value.code = writer_.Declare(Machine::Int64, writer_.Convert(microseconds, Machine::Int64) +
                                                   " - " + Above(microseconds, unit));
  return value;
}

Value DateWriter::DayOf(const Value& timestamp) {
  const auto floor = [](Int128 bound) {
    return bound / kMicrosecondsPerDay - (bound % kMicrosecondsPerDay < 0 ? 1 : 0);
  };
  const std::string literal = IntegerLiteral(kMicrosecondsPerDay, Machine::Int64);
  const std::string code = writer_.Convert(timestamp, Machine::Int64);
  Value days;
  days.null = timestamp.null;
  days.range = {floor(timestamp.range.low), floor(timestamp.range.high), true};
  days.domain = {floor(timestamp.domain.low), floor(timestamp.domain.high), true};
  days.machine = Machine::Int32;
  days.code = writer_.Declare(Machine::Int32, "(int)(" + code + " / " + literal + " - (" + code +
                                                  " % " + literal + " < 0))");
  return days;
}

Value DateWriter::WriteAddMonths(const plan::Expression& expression) {
  const bool is_date = expression.GetType().kind == plan::TypeKind::Date;
  if (!is_date)
    writer_.dialect_.RequireRow();
  const Range all_days{-kLastTimestampDay, kLastTimestampDay, true};
  const Value whole = writer_.Bounded(writer_.Write(expression.Operands()[0]),
                                      is_date ? all_days : kFiniteTimestamps);
  const Value months = writer_.Write(expression.Operands()[1]);
  if (!months.range.FitsIn(16))
    throw Unsupported("adding more than 32767 months");
  const Value days = is_date ? InCalendar(whole) : DayOf(whole);
  const auto moved = [](const Range& from, const Range& by) {
    return Range{plan::AddMonths(static_cast<int64_t>(from.low), static_cast<int64_t>(by.low)),
                 plan::AddMonths(static_cast<int64_t>(from.high), static_cast<int64_t>(by.high)),
                 true};
  };
  Value value;
  value.null = writer_.EitherNull(days.null, months.null);
  value.range = moved(days.range, months.range);
  value.domain = moved(days.domain, months.domain);
  value.machine = Machine::Int32;
  value.code = Call("add_months", days, writer_.Convert(months, Machine::Int32));
  if (is_date)
    return value;
  // The time of day stays. Timestamps end in the middle of a day, which is left to DuckDB.
  value = writer_.Bounded(value, {-kLastTimestampDay, kLastTimestampDay - 1, true});
  const Range day = Range::Of(kMicrosecondsPerDay), time{0, kMicrosecondsPerDay - 1, true};
  value.range = value.range * day + time;
  value.domain = value.domain * day + time;
  value.code = writer_.Declare(
      Machine::Int64,
      writer_.dialect_.Wrapping(
          Machine::Int64,
          writer_.dialect_.Wrapping(Machine::Int64, "(long)" + value.code, "*", "86400000000L"),
          "+", Above(whole, kMicrosecondsPerDay)));
  value.machine = Machine::Int64;
  return value;
}

}  // namespace margay::compile
