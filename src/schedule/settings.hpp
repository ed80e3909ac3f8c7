#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "optimize/physical/join_method.hpp"
#include "optimize/physical/shape.hpp"

namespace margay::schedule {

enum class Mode : uint8_t {
  Auto,   //!< a device where everything is at hand and it is expected to win, else DuckDB
  Force,  //!< a device, or an error that says why not; for tests and benchmarks
  Off,    //!< DuckDB
};

//! The values of Margay's settings for one execution.
struct Settings {
  Mode mode = Mode::Auto;
  std::string device = "auto";
  //! None: the one that suits the device.
  std::optional<optimize::Shape> shape = {};
  //! None: the one that suits the join.
  std::optional<optimize::JoinMethod> join_method = {};
  //! Bytes; none: the default of the device.
  std::optional<uint64_t> device_memory = {};
  uint64_t min_rows = 0;
  uint64_t tail_rows = 0;
  uint64_t dictionary_strings = 0;
  //! Parts of the rows that joins and groups are computed for one after the other.
  uint64_t partitions = 1;
  //! EXPLAIN shows physical programs too.
  bool explains_programs = false;
};

}  // namespace margay::schedule
