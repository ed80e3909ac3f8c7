#pragma once

#include <string>

#include "compile/expression_writer.hpp"

namespace margay::compile {

//! Writes parts of dates and timestamps by the functions of kernels/calendar.cl. Dates beyond
//! 500,000,000 days from 1970 (more than a million years) are left to DuckDB.
class DateWriter {
 public:
  explicit DateWriter(ExpressionWriter& writer) : writer_(writer) {}

  //! Writes a DatePart expression.
  Value WritePart(const plan::Expression& expression);
  //! Writes a DateTrunc expression.
  Value WriteTruncation(const plan::Expression& expression);
  //! Writes an AddMonths expression.
  Value WriteAddMonths(const plan::Expression& expression);

  //! Microseconds that truncated timestamps are multiples of.
  static Int128 StepOf(plan::DatePart part);

 private:
  //! A date's days as an int, with a fault outside of the calendar.
  Value InCalendar(const Value& date);
  //! A function of calendar.cl, of a date inside of the calendar and perhaps a second int.
  std::string Call(const std::string& function, const Value& days, const std::string& second = "");
  //! The day of a finite timestamp.
  Value DayOf(const Value& timestamp);
  //! What microseconds are above the last multiple of `period`, a long.
  std::string Above(const Value& microseconds, Int128 period);
  Value WritePartOfTimestamp(plan::DatePart part, const Value& timestamp);

  ExpressionWriter& writer_;
};

}  // namespace margay::compile
