#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "execute/part.hpp"
#include "integration/capture/captured_part.hpp"
#include "integration/counters.hpp"
#include "integration/device_pools.hpp"
#include "integration/image/read_control.hpp"
#include "integration/image/table_copy.hpp"
#include "integration/settings.hpp"

namespace duckdb {
class ClientContext;
}  // namespace duckdb

namespace margay::integration {

//! Who answers a part in one execution, and why.
struct Placement {
  bool is_on_device = false;
  //! Where DuckDB answers: why. On a device in force mode: what has to be done first, if anything.
  std::string reason;
  //! In force mode the query can't run, for `reason`.
  bool is_error = false;

  Settings settings;
  //! The rest is there as far as it is known without building anything.
  std::shared_ptr<const OpenDevice> place;
  optimize::Shape shape = optimize::Shape::Loop;
  TableCopies copies;  //!< null for scans of taps
  std::shared_ptr<const execute::Part> part;
  std::string partitions;  //!< what `part` is computed in, for people; empty: all rows at once
};

//! A part that is ready to run, or waits only for the rows of its taps.
struct PreparedPart {
  std::shared_ptr<const OpenDevice> place;
  optimize::Shape shape = optimize::Shape::Loop;
  TableCopies copies;                         //!< null for scans of taps
  std::shared_ptr<const execute::Part> part;  //!< none where there are taps
  std::string partitions;                     //!< see Placement
};

enum class Purpose {
  Execution,    //!< starts background work for what is missing in auto mode
  Explanation,  //!< only looks; may load OpenCL
};

//! Decides where `part` runs in the active transaction of `context`. Builds nothing and, for an
//! execution in auto mode, waits for nothing. Throws only DuckDB's own errors.
Placement Decide(duckdb::ClientContext& context, const std::shared_ptr<const CapturedPart>& part,
                 Purpose purpose);

enum class Maker {
  Query,       //!< the query itself, on a thread of its connection
  Background,  //!< which leaves kernels with dictionary functions to the query
};

//! Makes `part` ready on the device that the settings choose, except for compiling the kernel:
//! encodes what is missing, in the active transaction of `context`, and generates the kernel,
//! unless it has taps: their rows decide about the kernel, too. Throws memory::OutOfMemory,
//! device::DeviceError, execute::Interrupted, execute::ImageLost and DuckDB's own errors.
std::variant<PreparedPart, execute::Refusal> Prepare(duckdb::ClientContext& context,
                                                     const CapturedPart& part,
                                                     const Settings& settings,
                                                     const ReadControl& control, Maker maker);

//! Gives the rows of a tap as its `scan` reads them, encoded for one execution.
using ReadTap = std::function<std::shared_ptr<TableCopy>(size_t number, const plan::Node& scan)>;

//! Completes `placement` of a part with taps: fills in the copies of their rows, each tap read
//! once, and generates the kernel. Why that can't be done, if so. Throws what `read` does, and
//! execute::ImageLost.
std::optional<execute::Refusal> ReadTaps(const CapturedPart& part, const ReadTap& read,
                                         Counters& counters, Placement& placement);

//! Compiles the kernel of `part` unless that is done, and counts it. Throws device::DeviceError.
void Build(const execute::Part& part, Counters& counters);

}  // namespace margay::integration
