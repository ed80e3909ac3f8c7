#pragma once

#include <cstdint>
#include <string>

namespace margay::tool {

//! Milliseconds with three digits that mean something: "0.412", "12.3", "1234".
std::string FormatMilliseconds(double milliseconds);

//! Seconds, for what takes some: "4.1 s".
std::string FormatSeconds(double milliseconds);

//! Bytes in powers of 1,000, as bandwidths are given: "96 B", "12.3 MB", "1.20 GB".
std::string FormatBytes(double bytes);

//! Bytes in powers of 1,024, as memory sizes are given: "512.0 MiB", "23.5 GiB".
std::string FormatMemory(uint64_t bytes);

//! With separators between thousands: "6,001,215".
std::string FormatCount(uint64_t count);

//! A number with so many digits after the point.
std::string FormatFixed(double value, int digits);

}  // namespace margay::tool
