#include "plan/calendar.hpp"

#include <gtest/gtest.h>

namespace margay::plan {
namespace {

void ExpectDay(int64_t days, int64_t year, int64_t month, int64_t day) {
  const CalendarDay found = ToCalendar(days);
  EXPECT_EQ(found.year, year) << days;
  EXPECT_EQ(found.month, month) << days;
  EXPECT_EQ(found.day, day) << days;
}

TEST(Calendar, KnownDays) {
  ExpectDay(0, 1970, 1, 1);
  ExpectDay(-1, 1969, 12, 31);
  ExpectDay(11'016, 2000, 2, 29);
  ExpectDay(-25'508, 1900, 3, 1);
  ExpectDay(-719'162, 1, 1, 1);
  ExpectDay(-719'163, 0, 12, 31);
  ExpectDay(2'932'896, 9999, 12, 31);
}

TEST(Calendar, YearsBeginAfterTheLastDayOfTheYearBefore) {
  for (int64_t year = -2001; year < 4001; year++) {
    const int64_t first = FirstDayOfYear(year);
    ExpectDay(first, year, 1, 1);
    ExpectDay(first - 1, year - 1, 12, 31);
  }
}

TEST(Calendar, MonthsKeepTheDayOrTakeTheLast) {
  ExpectDay(AddMonths(0, 1), 1970, 2, 1);
  ExpectDay(AddMonths(30, 1), 1970, 2, 28);
  ExpectDay(AddMonths(30, -1), 1969, 12, 31);
  ExpectDay(AddMonths(11'016, 12), 2001, 2, 28);
  ExpectDay(AddMonths(11'016, -48), 1996, 2, 29);
  ExpectDay(AddMonths(-719'162, -13), -1, 12, 1);
}

}  // namespace
}  // namespace margay::plan
