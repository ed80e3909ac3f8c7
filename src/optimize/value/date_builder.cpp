#include "optimize/value/date_builder.hpp"

#include <stdexcept>

#include "optimize/unsupported.hpp"
#include "plan/calendar.hpp"
#include "plan/date_part.hpp"

namespace margay::optimize {

using plan::DatePart;

namespace {

//! The days that all forms of kernels/calendar.cl but the recent one know.
constexpr Range kCalendarDays{-500'000'000, 500'000'000, true};

//! 1901 to 2099, less the weeks that belong to years before and after: what the recent form knows.
constexpr Range kRecentDays{-25'195, 47'474, true};

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
      throw std::logic_error("DateBuilder: no part to truncate a date to");
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
      throw std::logic_error("DateBuilder: no part of a date");
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
      throw std::logic_error("DateBuilder: no part of a timestamp");
  }
}

}  // namespace

Int128 DateBuilder::StepOf(DatePart part) {
  return TimePartOf(part).unit;
}

Value DateBuilder::InCalendar(const Value& date) {
  Value days = builder_.Bounded(date, kCalendarDays);
  days.node = builder_.Convert(days, Machine::Int32);
  return days;
}

const Node* DateBuilder::Call(const std::string& function, const Value& days, const Node* second) {
  std::vector<const Node*> operands{days.node};
  if (second != nullptr)
    operands.push_back(second);
  return graph_.Calendar(function, kRecentDays.Contains(days.range), std::move(operands));
}

const Node* DateBuilder::Above(const Value& microseconds, Int128 period) {
  return graph_.Call(
      Machine::Int64, "floor_modulo",
      {builder_.Convert(microseconds, Machine::Int64), graph_.Literal(period, Machine::Int64)});
}

Value DateBuilder::BuildPart(const plan::Expression& expression) {
  const DatePart part = expression.Part();
  // Infinite dates and timestamps have no parts.
  const Int128 infinity = RangeOf(expression.Operand(0).GetType()).high;
  const Value whole = builder_.Bounded(builder_.Build(expression.Operands()[0]),
                                       {-infinity + 1, infinity - 1, true}, true);
  if (!plan::IsPartOfDate(part))
    return BuildPartOfTimestamp(part, whole);
  Value value;
  if (part == DatePart::EpochSecond) {
    value.range = whole.range * Range::Of(kSecondsPerDay);
    value.domain = whole.domain * Range::Of(kSecondsPerDay);
    value.null = whole.null;
    const Machine machine = MachineFor(value.range);
    value.node = graph_.Wrapping("*", builder_.Convert(whole, machine),
                                 graph_.Literal(kSecondsPerDay, machine));
    return value;
  }
  const Value days = InCalendar(whole);
  value.range = RangeOfPart(part, days.range);
  value.domain = RangeOfPart(part, days.domain);
  value.null = days.null;
  value.node = Call(std::string(plan::DatePartName(part)), days);
  return value;
}

Value DateBuilder::BuildPartOfTimestamp(DatePart part, const Value& timestamp) {
  if (part == DatePart::EpochMicrosecond)
    return timestamp;
  const auto [period, unit] = TimePartOf(part);
  Value value;
  value.null = timestamp.null;
  value.range = value.domain = {0, period / unit - 1, true};
  value.node = graph_.Infix(Machine::Int32, "/", Above(timestamp, period),
                            graph_.Literal(unit, Machine::Int64));
  return value;
}

Value DateBuilder::BuildTruncation(const plan::Expression& expression) {
  const DatePart part = expression.Part();
  const Value whole = builder_.Build(expression.Operands()[0]);
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
    value.node = Call("trunc_" + std::string(plan::DatePartName(part)), days);
    return value;
  }
  const Int128 unit = StepOf(part);
  const Value microseconds = builder_.Bounded(whole, kFiniteTimestamps);
  const auto truncated = [&](const Range& range) {
    const auto floor = [&](Int128 bound) { return bound - (bound % unit + unit) % unit; };
    return Range{floor(range.low), floor(range.high), true};
  };
  value.range = truncated(microseconds.range);
  value.domain = truncated(microseconds.domain);
  value.null = microseconds.null;
  value.node = graph_.Infix(Machine::Int64, "-", builder_.Convert(microseconds, Machine::Int64),
                            Above(microseconds, unit));
  return value;
}

Value DateBuilder::DayOf(const Value& timestamp) {
  const auto floor = [](Int128 bound) {
    return bound / kMicrosecondsPerDay - (bound % kMicrosecondsPerDay < 0 ? 1 : 0);
  };
  Value days;
  days.null = timestamp.null;
  days.range = {floor(timestamp.range.low), floor(timestamp.range.high), true};
  days.domain = {floor(timestamp.domain.low), floor(timestamp.domain.high), true};
  days.node = graph_.Call(Machine::Int32, "floor_divide",
                          {builder_.Convert(timestamp, Machine::Int64),
                           graph_.Literal(kMicrosecondsPerDay, Machine::Int64)});
  return days;
}

Value DateBuilder::BuildAddMonths(const plan::Expression& expression) {
  const bool is_date = expression.GetType().kind == plan::TypeKind::Date;
  const Range all_days{-kLastTimestampDay, kLastTimestampDay, true};
  const Value whole = builder_.Bounded(builder_.Build(expression.Operands()[0]),
                                       is_date ? all_days : kFiniteTimestamps);
  const Value months = builder_.Build(expression.Operands()[1]);
  if (!months.range.FitsIn(16))
    throw Unsupported("adding more than 32767 months");
  const Value days = is_date ? InCalendar(whole) : DayOf(whole);
  const auto moved = [](const Range& from, const Range& by) {
    return Range{plan::AddMonths(static_cast<int64_t>(from.low), static_cast<int64_t>(by.low)),
                 plan::AddMonths(static_cast<int64_t>(from.high), static_cast<int64_t>(by.high)),
                 true};
  };
  Value value;
  value.null = builder_.Either(days.null, months.null);
  value.range = moved(days.range, months.range);
  value.domain = moved(days.domain, months.domain);
  value.node = Call("add_months", days, builder_.Convert(months, Machine::Int32));
  if (is_date)
    return value;
  // The time of day stays. Timestamps end in the middle of a day, which is left to DuckDB.
  value = builder_.Bounded(value, {-kLastTimestampDay, kLastTimestampDay - 1, true});
  const Range day = Range::Of(kMicrosecondsPerDay), time{0, kMicrosecondsPerDay - 1, true};
  value.range = value.range * day + time;
  value.domain = value.domain * day + time;
  const Node* midnight = graph_.Wrapping("*", builder_.Convert(value, Machine::Int64),
                                         graph_.Literal(kMicrosecondsPerDay, Machine::Int64));
  value.node = graph_.Wrapping("+", midnight, Above(whole, kMicrosecondsPerDay));
  return value;
}

}  // namespace margay::optimize
