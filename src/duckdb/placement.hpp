#pragma once

#include <memory>
#include <string>
#include <variant>

#include "duckdb/capture.hpp"
#include "duckdb/counters.hpp"
#include "duckdb/device_pools.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/table_copy.hpp"
#include "duckdb/table_reader.hpp"
#include "execute/part.hpp"

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
  compile::Shape shape = compile::Shape::Loop;
  TableCopies copies;
  std::shared_ptr<const execute::Part> part;
};

//! A part that is ready to run.
struct PreparedPart {
  std::shared_ptr<const OpenDevice> place;
  compile::Shape shape = compile::Shape::Loop;
  TableCopies copies;
  std::shared_ptr<const execute::Part> part;
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
//! encodes what is missing, in the active transaction of `context`, and generates the kernel.
//! Throws memory::OutOfMemory, device::DeviceError, execute::Interrupted, execute::ImageLost and
//! DuckDB's own errors.
std::variant<PreparedPart, execute::Refusal> Prepare(duckdb::ClientContext& context,
                                                     const CapturedPart& part,
                                                     const Settings& settings,
                                                     const ReadControl& control, Maker maker);

//! Compiles the kernel of `part` unless that is done, and counts it. Throws device::DeviceError.
void Build(const execute::Part& part, Counters& counters);

}  // namespace margay::integration
