#include "plan/calendar.hpp"

namespace margay::plan {

CalendarDay ToCalendar(int64_t days) {
  // Counted in years that begin on 1 March, so that the leap day is the last one.
  const int64_t shifted = days + 719'468;
  const int64_t era = (shifted >= 0 ? shifted : shifted - 146'096) / 146'097;
  const int64_t day_of_era = shifted - era * 146'097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted_month = (5 * day_of_year + 2) / 153;
  const int64_t day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
  const int64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

int64_t FirstDayOfYear(int64_t year) {
  const int64_t before = year - 1;
  const auto floor = [](int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); };
  return before * 365 + floor(before, 4) - floor(before, 100) + floor(before, 400) - 719'162;
}

int64_t AddMonths(int64_t days, int64_t months) {
  const CalendarDay from = ToCalendar(days);
  const int64_t total = 12 * from.year + from.month - 1 + months;
  const int64_t year = total / 12 - (total % 12 < 0 ? 1 : 0);
  const int64_t month = total - 12 * year + 1;
  // No month is longer than 31 days: from its begin to that of the next one.
  int64_t first = FirstDayOfYear(year);
  for (int64_t passed = 1; passed < month; passed++) {
    first += 32 - ToCalendar(first + 31).day;
  }
  const int64_t length = 32 - ToCalendar(first + 31).day;
  return first + (from.day < length ? from.day : length) - 1;
}

}  // namespace margay::plan
