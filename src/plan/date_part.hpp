#pragma once

#include <cstdint>
#include <string_view>

namespace margay::plan {

//! What can be asked of a Date or a Timestamp; all are integers.
enum class DatePart : uint8_t {
  // Of a Date, in the proleptic Gregorian calendar. The year before 1 is 0.
  Year,
  IsoYear,  //!< the year that the ISO week belongs to
  Quarter,
  Month,
  Week,  //!< ISO: the first one of a year holds its first Thursday
  Day,
  DayOfWeek,     //!< Sunday is 0
  IsoDayOfWeek,  //!< Monday is 1, Sunday is 7
  DayOfYear,
  EpochSecond,  //!< seconds since 1970-01-01

  // Of a Timestamp.
  Hour,
  Minute,
  Second,
  Millisecond,       //!< since the minute's begin
  Microsecond,       //!< since the minute's begin
  EpochMicrosecond,  //!< since 1970-01-01
};

//! Whether the part is one of a Date, otherwise it is one of a Timestamp.
bool IsPartOfDate(DatePart part);

//! Whether a Date or Timestamp can be cut to the begin of such a part.
bool IsTruncatable(DatePart part);

//! `year`, `month`, ...
std::string_view DatePartName(DatePart part);

}  // namespace margay::plan
