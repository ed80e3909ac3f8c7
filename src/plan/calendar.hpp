#pragma once

#include <cstdint>

namespace margay::plan {

//! A day of the proleptic Gregorian calendar; the year before 1 is 0.
struct CalendarDay {
  int64_t year;
  int64_t month;  //!< 1 to 12
  int64_t day;    //!< 1 to 31
};

//! The day that is `days` after 1970-01-01.
CalendarDay ToCalendar(int64_t days);

//! Days from 1970-01-01 to the first day of a year.
int64_t FirstDayOfYear(int64_t year);

//! The same day of the month `months` later, or the last one of that month if it is shorter.
int64_t AddMonths(int64_t days, int64_t months);

}  // namespace margay::plan
