#pragma once

#include <unordered_map>

#include "integration/image/read_control.hpp"
#include "integration/image/table_copy.hpp"
#include "storage/extent_source.hpp"

namespace duckdb {
class ClientContext;
}  // namespace duckdb

namespace margay::integration {

//! Brings back extents of the columns of one execution: reads their rows from the tables again, at
//! the snapshot that the columns are valid for.
class TableExtents : public storage::ExtentSource {
 public:
  //! `copies` are those of the execution, valid for the active transaction of `context`, which
  //! outlives the object. It has the columns that they have now, whatever becomes of their images.
  TableExtents(duckdb::ClientContext& context, const TableCopies& copies, ReadControl control);

  bool Has(const storage::ColumnImage& column) const override;
  //! Throws execute::ImageLost too. Columns whose rows are others now are dropped from their image.
  std::vector<storage::PinnedExtents> Restore(
      const std::vector<const storage::ColumnImage*>& columns, size_t extent) override;

 private:
  struct Place {
    std::shared_ptr<TableCopy> copy;
    uint64_t id = 0;  //!< of the column in its table
    std::shared_ptr<const storage::ColumnImage> column;
  };

  duckdb::ClientContext& context_;
  std::unordered_map<const storage::ColumnImage*, Place> places_;
  const ReadControl control_;
};

}  // namespace margay::integration
