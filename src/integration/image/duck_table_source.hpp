#pragma once

#include <memory>
#include <vector>

#include "duckdb/common/shared_ptr.hpp"
#include "integration/capture/captured_part.hpp"
#include "integration/image/snapshot_tracker.hpp"
#include "integration/image/table_source.hpp"

namespace duckdb {
class DataTable;
class DuckTableEntry;
}  // namespace duckdb

namespace margay::integration {

//! A table of DuckDB's own. It is known by its DataTable object: ALTER makes another one, unless it
//! only renames the table, and so does DROP with a new CREATE. Columns have their storage numbers
//! as ids.
class DuckTableSource : public TableSource {
 public:
  //! `table` is visible to the active transaction of the one who makes it.
  DuckTableSource(std::shared_ptr<SnapshotTracker> tracker, duckdb::DuckTableEntry& table);

  const TableName& Name() const override { return name_; }
  bool IsSameTable(const TableSource& other) const override;
  bool IsGone() const override;
  std::optional<std::string> RefuseCaching() const override;
  uint64_t TotalRows() const override;
  optimize::ColumnBounds Bounds(duckdb::ClientContext& reader, uint64_t column) const override;
  Moment SnapshotFor(duckdb::ClientContext& reader) const override;
  //! See SnapshotTracker.
  Validity Check(duckdb::ClientContext& reader, Moment built_at) const override;
  //! Not where the reader's own transaction has added rows: those of the table are found by their
  //! order.
  bool CanReadAgain(duckdb::ClientContext& reader) const override;
  ReadColumns Read(duckdb::ClientContext& reader,
                   const std::vector<storage::ColumnSpecification>& columns,
                   memory::ExtentPool& pool, storage::BuildOptions options,
                   const ReadControl& control) const override;
  std::vector<storage::PinnedExtents> ReadExtent(
      duckdb::ClientContext& reader, const std::vector<storage::ColumnSpecification>& columns,
      const std::vector<std::shared_ptr<const storage::ColumnImage>>& restored, size_t extent,
      memory::ExtentPool& pool, const ReadControl& control) const override;

 private:
  //! The table, for readers that have found it.
  duckdb::shared_ptr<duckdb::DataTable> Table() const;

  const std::shared_ptr<SnapshotTracker> tracker_;
  const duckdb::weak_ptr<duckdb::DataTable> table_;
  const TableName name_;
};

//! The table that `captured` names, as the active transaction of `context` sees it; null where it
//! is not the one that `scan` was captured from.
std::shared_ptr<const TableSource> FindDuckTable(duckdb::ClientContext& context,
                                                 const CapturedTable& captured,
                                                 const plan::Node& scan);

}  // namespace margay::integration
