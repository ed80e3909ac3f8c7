#include "units.hpp"

#include <array>
#include <cstdio>

namespace margay::tool {
namespace {

//! Three digits, and all those before the point.
std::string ThreeDigits(double value) {
  return FormatFixed(value, value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);
}

}  // namespace

std::string FormatFixed(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string FormatMilliseconds(double milliseconds) {
  return ThreeDigits(milliseconds);
}

std::string FormatSeconds(double milliseconds) {
  return FormatFixed(milliseconds / 1000, 1) + " s";
}

std::string FormatBytes(double bytes) {
  static constexpr std::array<const char*, 5> units = {"B", "kB", "MB", "GB", "TB"};
  if (bytes < 1000) {
    return FormatFixed(bytes, 0) + " B";
  }
  size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < units.size()) {
    bytes /= 1000;
    unit++;
  }
  return ThreeDigits(bytes) + " " + units[unit];
}

std::string FormatMemory(uint64_t bytes) {
  constexpr double mebibyte = 1024.0 * 1024.0;
  double mebibytes = static_cast<double>(bytes) / mebibyte;
  return mebibytes < 1024 ? FormatFixed(mebibytes, 1) + " MiB"
                          : FormatFixed(mebibytes / 1024, 1) + " GiB";
}

std::string FormatCount(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t place = digits.size(); place > 3; place -= 3) {
    digits.insert(place - 3, ",");
  }
  return digits;
}

}  // namespace margay::tool
