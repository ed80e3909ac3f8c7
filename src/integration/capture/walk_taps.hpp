#pragma once

#include <optional>
#include <string>
#include <vector>

#include "integration/capture/relation.hpp"

namespace margay::integration {

//! The taps that are made in one walk over a plan, by number.
class WalkTaps {
 public:
  //! Makes a tap of `found`, with the `notes` below it that it makes needless, and gives its rows.
  //! Columns whose types no device has are refused where they are used.
  Relation Add(FoundTap found, CapturedTap tap, std::vector<FoundNote> notes);

  const std::string& ReasonOf(size_t number) const { return taps_[number].tap.reason; }
  const std::vector<FoundNote>& NotesOf(size_t number) const { return taps_[number].notes; }

  //! Gives a part its own list of the taps that it reads.
  void Give(FoundPart& found) const;

 private:
  struct Entry {
    FoundTap found;
    CapturedTap tap;
    std::vector<FoundNote> notes;
  };
  std::vector<Entry> taps_;
};

//! The number of the tap that `relation` is nothing but filters and projections of: nothing that a
//! device should do.
std::optional<size_t> BareTap(const Relation& relation);

//! Whether `op` or an operator below is of that type.
bool ContainsType(const duckdb::LogicalOperator& op, duckdb::LogicalOperatorType type);

//! The numbers of the CTEs that operators of `op` read, but that are not defined there.
std::vector<TableIndex> OuterCommonTables(const duckdb::LogicalOperator& op);

}  // namespace margay::integration
