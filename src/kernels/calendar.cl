// Days since 1970-01-01 in the proleptic Gregorian calendar, after Neri and Schneider, "Euclidean
// affine functions and their application to calendar algorithms".
//
// The text is for one value or for eight at once: INT and UINT are int and uint or int8 and uint8,
// AS_INT and AS_UINT reinterpret them, CALENDAR(name) is the name of a function. There are no
// branches, and divisors are constants.
//
// Exact from -500,000,000 to 500,000,000 days, or, if RECENT is 1, from 1901 to 2099; outside results
// are meaningless. Days are counted from a 1 March in the past, so that nothing is negative and the
// leap day is a year's last: from that of -1,369,200, or of 1900.

#if RECENT

// Four times the day of the century (or of these two), plus three.
static inline UINT CALENDAR(century_day)(INT days) { return 4 * AS_UINT(days + 25508) + 3; }

// Counted from 1 January 1901.
static inline INT CALENDAR(year)(INT days) {
  return AS_INT(mul_hi(4 * AS_UINT(days + 25202) + 3, (UINT)(2939745u))) + 1901;
}

static inline INT CALENDAR(first_of_year)(INT year) {
  return AS_INT(1461 * AS_UINT(year - 1901) / 4) - 25202;
}

#else

static inline UINT CALENDAR(century)(INT days) { return (4 * (AS_UINT(days) + 500809499u) + 3) / 146097u; }

static inline UINT CALENDAR(century_day)(INT days) {
  return (4 * (AS_UINT(days) + 500809499u) + 3 - 146097u * CALENDAR(century)(days)) | 3u;
}

#endif

// The month of a year from 1 March on, 3 to 14, in units of 1/65536; what is left are days of 2141.
static inline UINT CALENDAR(month_fraction)(INT days) {
  UINT day_of_year = CALENDAR(century_day)(days) * 2939745u / 11758980u;
  return 2141 * day_of_year + 197913;
}

static inline INT CALENDAR(month)(INT days) {
  UINT month = CALENDAR(month_fraction)(days) >> 16;
  return AS_INT(month - 12 * ((month + 3) >> 4));
}

static inline INT CALENDAR(day)(INT days) {
  return AS_INT((CALENDAR(month_fraction)(days) & 65535u) / 2141u + 1);
}

static inline INT CALENDAR(quarter)(INT days) { return AS_INT(AS_UINT(CALENDAR(month)(days) + 2) / 3u); }

// Monday is 1, Sunday is 7.
static inline INT CALENDAR(isodow)(INT days) { return AS_INT((AS_UINT(days) + 500000007u) % 7u + 1); }

// Sunday is 0.
static inline INT CALENDAR(dayofweek)(INT days) { return AS_INT((AS_UINT(days) + 500000008u) % 7u); }

// The day of a date; years from -1,369,000 to 1,369,000.
static inline INT CALENDAR(from_date)(INT year, INT month, INT day) {
  UINT is_early = AS_UINT(14 - month) / 12u;  // January or February
  UINT years = AS_UINT(year + 1369200) - is_early;
  UINT centuries = years / 100u;
  UINT months = AS_UINT(month) + 12 * is_early;
  return AS_INT(1461 * years / 4 - centuries + centuries / 4 + (979 * months - 2919) / 32 +
                AS_UINT(day) - 1 - 500809499u);
}

#if !RECENT

static inline INT CALENDAR(year)(INT days) {
  UINT year = 100 * CALENDAR(century)(days) + mul_hi(CALENDAR(century_day)(days), (UINT)(2939745u));
  // January and February, months 13 and 14, belong to the next year.
  return AS_INT(year + ((CALENDAR(month_fraction)(days) + 3 * 65536u) >> 20)) - 1369200;
}

static inline INT CALENDAR(first_of_year)(INT year) {
  return CALENDAR(from_date)(year, (INT)(1), (INT)(1));
}

#endif

static inline INT CALENDAR(dayofyear)(INT days) {
  return days - CALENDAR(first_of_year)(CALENDAR(year)(days)) + 1;
}

// An ISO week belongs to the year of its Thursday.
static inline INT CALENDAR(thursday)(INT days) { return days + 4 - CALENDAR(isodow)(days); }

static inline INT CALENDAR(isoyear)(INT days) { return CALENDAR(year)(CALENDAR(thursday)(days)); }

static inline INT CALENDAR(week)(INT days) {
  return AS_INT(AS_UINT(CALENDAR(dayofyear)(CALENDAR(thursday)(days)) + 6) / 7u);
}

static inline INT CALENDAR(trunc_year)(INT days) {
  return CALENDAR(first_of_year)(CALENDAR(year)(days));
}

static inline INT CALENDAR(trunc_quarter)(INT days) {
  return CALENDAR(from_date)(CALENDAR(year)(days), 3 * CALENDAR(quarter)(days) - 2, (INT)(1));
}

static inline INT CALENDAR(trunc_month)(INT days) { return days - CALENDAR(day)(days) + 1; }

static inline INT CALENDAR(trunc_week)(INT days) { return days - CALENDAR(isodow)(days) + 1; }

static inline INT CALENDAR(trunc_isoyear)(INT days) {
  return CALENDAR(trunc_week)(days) - 7 * (CALENDAR(week)(days) - 1);
}

// The same day of the month, or the month's last; days of timestamps, and 16-bit months.
static inline INT CALENDAR(add_months)(INT days, INT months) {
  UINT month = AS_UINT(12 * (CALENDAR(year)(days) + 1369200) + CALENDAR(month)(days) - 1 + months);
  INT first = CALENDAR(from_date)(AS_INT(month / 12u) - 1369200, AS_INT(month % 12u) + 1, (INT)(1));
  month += 1;
  INT next = CALENDAR(from_date)(AS_INT(month / 12u) - 1369200, AS_INT(month % 12u) + 1, (INT)(1));
  return first + min(CALENDAR(day)(days), next - first) - 1;
}
