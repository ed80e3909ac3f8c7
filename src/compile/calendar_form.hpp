#pragma once

#include <string>
#include <tuple>

namespace margay::compile {

//! One of the forms in which kernels/calendar.cl is compiled.
struct CalendarForm {
  bool is_vector = false;  //!< in the vector dialect
  bool is_recent = false;  //!< for 1901 to 2099 only, where every fourth year is a leap year

  bool operator<(const CalendarForm& other) const {
    return std::tie(is_vector, is_recent) < std::tie(other.is_vector, other.is_recent);
  }

  //! What the names of its functions begin with.
  std::string Prefix() const;
  std::string Source() const;
};

}  // namespace margay::compile
