#pragma once

#include "optimize/value/value_builder.hpp"

namespace margay::optimize {

//! Builds parts of dates and timestamps by the functions of kernels/calendar.cl. Dates beyond
//! 500,000,000 days from 1970 (more than a million years) are left to DuckDB.
class DateBuilder {
 public:
  explicit DateBuilder(ValueBuilder& builder) : builder_(builder), graph_(builder.Graph()) {}

  //! A DatePart expression.
  Value BuildPart(const plan::Expression& expression);
  //! A DateTrunc expression.
  Value BuildTruncation(const plan::Expression& expression);
  //! An AddMonths expression.
  Value BuildAddMonths(const plan::Expression& expression);

  //! Microseconds that truncated timestamps are multiples of.
  static Int128 StepOf(plan::DatePart part);

 private:
  //! A date's days as an int, with a fault outside of the calendar.
  Value InCalendar(const Value& date);
  //! A function of calendar.cl, of a date inside of the calendar and perhaps a second int.
  const Node* Call(const std::string& function, const Value& days, const Node* second = nullptr);
  //! The day of a finite timestamp.
  Value DayOf(const Value& timestamp);
  //! What microseconds are above the last multiple of `period`, a long.
  const Node* Above(const Value& microseconds, Int128 period);
  Value BuildPartOfTimestamp(plan::DatePart part, const Value& timestamp);

  ValueBuilder& builder_;
  NodeGraph& graph_;
};

}  // namespace margay::optimize
