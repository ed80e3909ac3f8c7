#pragma once

#include <memory>

#include "integration/capture/captured_part.hpp"
#include "integration/device_pools.hpp"
#include "integration/image/table_copy.hpp"
#include "integration/operator/part_maker.hpp"
#include "integration/settings.hpp"
#include "schedule/decision.hpp"

namespace duckdb {
class ClientContext;
}  // namespace duckdb

namespace margay::integration {

//! What it took to find out where a part runs.
struct PlacementTimes {
  double lower_milliseconds = 0;   //!< finding the part, or making it
  double decide_milliseconds = 0;  //!< the rest
};

//! Where a part runs in one execution, and with what.
struct Placement {
  schedule::Decision decision;
  Settings settings;
  //! The rest is there as far as it is known without building anything.
  std::shared_ptr<const OpenDevice> place;
  optimize::Shape shape = optimize::Shape::Loop;
  TableCopies copies;  //!< null for scans of taps
  MadePart made;
  PlacementTimes times;
};

enum class Purpose {
  Execution,    //!< starts background work for what is missing in auto mode
  Explanation,  //!< only looks; may load OpenCL
};

//! Looks what is at hand for `part` in the active transaction of `context`, and has schedule/
//! decide where it runs. Builds nothing and, for an execution in auto mode, waits for nothing.
//! Throws only DuckDB's own errors.
Placement PlacePart(duckdb::ClientContext& context, const std::shared_ptr<const CapturedPart>& part,
                    Purpose purpose);

}  // namespace margay::integration
