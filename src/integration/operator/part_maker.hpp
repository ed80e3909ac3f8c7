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

//! A part over columns that are there.
struct MadePart {
  std::shared_ptr<const execute::Part> part;
  std::string partitions;  //!< what `part` is computed in, for people; empty: all rows at once
};

//! A part that is ready to run, or waits only for the rows of its taps.
struct PreparedPart {
  std::shared_ptr<const OpenDevice> place;
  optimize::Shape shape = optimize::Shape::Loop;
  TableCopies copies;  //!< null for scans of taps
  MadePart made;       //!< none where there are taps
};

enum class Maker {
  Query,       //!< the query itself, on a thread of its connection
  Background,  //!< which leaves kernels with dictionary functions to the query
};

//! Lowers the plan of `part` over `copies`, one per scan. Writes no kernel. Throws
//! execute::ImageLost.
std::variant<MadePart, plan::Refusal> MakePart(const CapturedPart& part, const TableCopies& copies,
                                               optimize::Shape shape, const Settings& settings,
                                               Counters& counters);

//! Makes `part` ready on the device that the settings choose, except for compiling the kernel:
//! encodes what is missing, in the active transaction of `context`, and makes the part, unless it
//! has taps: their rows decide about the kernel, too. Throws memory::OutOfMemory,
//! device::DeviceError, execute::Interrupted, execute::ImageLost and DuckDB's own errors.
std::variant<PreparedPart, plan::Refusal> Prepare(duckdb::ClientContext& context,
                                                  const CapturedPart& part,
                                                  const Settings& settings,
                                                  const ReadControl& control, Maker maker);

//! Gives the rows of a tap as its `scan` reads them, encoded for one execution.
using ReadTap = std::function<std::shared_ptr<TableCopy>(size_t number, const plan::Node& scan)>;

//! Completes `copies` of a part with taps by those of their rows, each tap read once. Why that
//! can't be done, if so. Throws what `read` does.
std::optional<plan::Refusal> ReadTaps(const CapturedPart& part, const ReadTap& read,
                                      TableCopies& copies);

//! Compiles the kernels of `part` unless that is done, up to `threads` at a time, and counts it.
//! Throws device::DeviceError.
void Build(const execute::Part& part, uint32_t threads, Counters& counters);

}  // namespace margay::integration
