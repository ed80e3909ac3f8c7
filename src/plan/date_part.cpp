#include "plan/date_part.hpp"

#include <stdexcept>

namespace margay::plan {

bool IsPartOfDate(DatePart part) {
  return part <= DatePart::EpochSecond;
}

bool IsTruncatable(DatePart part) {
  switch (part) {
    case DatePart::Year:
    case DatePart::IsoYear:
    case DatePart::Quarter:
    case DatePart::Month:
    case DatePart::Week:
    case DatePart::Hour:
    case DatePart::Minute:
    case DatePart::Second:
    case DatePart::Millisecond:
      return true;
    default:
      return false;
  }
}

std::string_view DatePartName(DatePart part) {
  switch (part) {
    case DatePart::Year:
      return "year";
    case DatePart::IsoYear:
      return "isoyear";
    case DatePart::Quarter:
      return "quarter";
    case DatePart::Month:
      return "month";
    case DatePart::Week:
      return "week";
    case DatePart::Day:
      return "day";
    case DatePart::DayOfWeek:
      return "dayofweek";
    case DatePart::IsoDayOfWeek:
      return "isodow";
    case DatePart::DayOfYear:
      return "dayofyear";
    case DatePart::EpochSecond:
      return "epoch_s";
    case DatePart::Hour:
      return "hour";
    case DatePart::Minute:
      return "minute";
    case DatePart::Second:
      return "second";
    case DatePart::Millisecond:
      return "millisecond";
    case DatePart::Microsecond:
      return "microsecond";
    case DatePart::EpochMicrosecond:
      return "epoch_us";
  }
  throw std::logic_error("DatePartName: unknown part");
}

}  // namespace margay::plan
