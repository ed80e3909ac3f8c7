#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "integration/capture/captured_part.hpp"
#include "integration/image/table_copy.hpp"
#include "integration/image/table_source.hpp"
#include "plan/node.hpp"
#include "schedule/decision.hpp"

namespace duckdb {
class ClientContext;
}  // namespace duckdb

namespace margay::integration {

//! A table of a part, with the columns of all scans of it.
struct PartTable {
  std::shared_ptr<const TableSource> source;
  plan::NodePointer scan;
};

//! The stored tables of a part, each of them once.
struct PartTables {
  std::vector<PartTable> tables;
  std::vector<std::optional<size_t>> of_scans;  //!< the table of each scan; none for taps
  //! Where one is not the table that the part was captured from: a sentence. The rest is not
  //! complete then.
  std::string problem;

  //! Those of `part` for the active transaction of `context`.
  static PartTables Find(duckdb::ClientContext& context, const CapturedPart& part);

  //! One copy per scan from one per table.
  TableCopies ForScans(const TableCopies& copies) const;
  //! What there is to decide by before a device is looked at.
  schedule::PartFacts FactsOf(const CapturedPart& part) const;
};

//! The columns of both scans, of one table.
plan::NodePointer MergeScans(const plan::Node& first, const plan::Node& second);

}  // namespace margay::integration
