#pragma once

#include <cstdint>
#include <string_view>

namespace margay::optimize {

//! How a generated kernel spreads its rows over work-items.
enum class Shape : uint8_t {
  Loop,   //!< one work-item per work-group walks whole segments; for CPUs
  Lanes,  //!< a work-group strides through a segment together; for GPUs
};

constexpr std::string_view ShapeName(Shape shape) {
  return shape == Shape::Loop ? "loop" : "lanes";
}

}  // namespace margay::optimize
