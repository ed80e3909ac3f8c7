#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "memory/extent_pool.hpp"
#include "storage/column_image.hpp"
#include "storage/column_specification.hpp"
#include "storage/refusal.hpp"

namespace duckdb {
class ClientContext;
class DataTable;
}  // namespace duckdb

namespace margay::integration {

//! How the one who waits for a read can follow and end it. `is_interrupted` is called from several
//! threads at least every few milliseconds of work; once it says true, execute::Interrupted comes
//! out.
struct ReadControl {
  std::function<bool()> is_interrupted = [] { return false; };
  //! Share of the work done, 0 to 1; may be null.
  std::atomic<double>* progress = nullptr;
};

//! A column that storage does not take.
class ColumnRefusal : public storage::Refusal {
 public:
  ColumnRefusal(uint64_t column, const storage::Refusal& refusal)
      : Refusal(refusal), column_(column) {}

  //! The id of its specification.
  uint64_t Column() const { return column_; }

 private:
  uint64_t column_;
};

//! What was read of a table.
struct ReadColumns {
  uint64_t rows = 0;
  size_t segments_per_extent = 0;
  //! In the order of the specifications.
  std::vector<std::shared_ptr<const storage::ColumnImage>> columns;
};

//! Reads columns of `table` as the active transaction of `context` sees them (its own rows
//! included, in table order) with all of DuckDB's threads, and encodes them in `pool`. The
//! specifications' ids are storage numbers of columns. `segments_per_extent` is that of the image
//! the columns will join, or 0; `dictionary_strings` is storage's `small_dictionary`.
//!
//! Throws ColumnRefusal, memory::OutOfMemory, device::DeviceError, execute::Interrupted, and
//! DuckDB's own errors.
ReadColumns ReadTable(duckdb::ClientContext& context, duckdb::DataTable& table,
                      const std::vector<storage::ColumnSpecification>& columns,
                      memory::ExtentPool& pool, size_t segments_per_extent,
                      uint64_t dictionary_strings, const ReadControl& control);

}  // namespace margay::integration
