#include "compile/calendar_form.hpp"

#include "compile/dialect.hpp"
#include "kernels/embedded_sources.hpp"

namespace margay::compile {

std::string CalendarForm::Prefix() const {
  return std::string(is_recent ? "recent" : "calendar") +
         (is_vector ? std::to_string(kVectorRows) : "") + "_";
}

std::string CalendarForm::Source() const {
  const std::string lanes = is_vector ? std::to_string(kVectorRows) : "";
  std::string source;
  source += "#define INT int" + lanes + "\n";
  source += "#define UINT uint" + lanes + "\n";
  source += "#define AS_INT as_int" + lanes + "\n";
  source += "#define AS_UINT as_uint" + lanes + "\n";
  source += "#define RECENT " + std::string(is_recent ? "1" : "0") + "\n";
  source += "#define CALENDAR(name) " + Prefix() + "##name\n";
  source += std::string(kernels::EmbeddedSource("calendar.cl"));
  for (const char* name : {"INT", "UINT", "AS_INT", "AS_UINT", "RECENT", "CALENDAR"})
    source += "#undef " + std::string(name) + "\n";
  return source;
}

}  // namespace margay::compile
