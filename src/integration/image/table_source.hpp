#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "integration/image/column_encoder.hpp"
#include "integration/image/read_control.hpp"
#include "integration/image/validity.hpp"
#include "integration/version/transactions.hpp"
#include "memory/extent_pool.hpp"
#include "optimize/estimate/provisional_form.hpp"
#include "storage/column_specification.hpp"

namespace duckdb {
class ClientContext;
}  // namespace duckdb

namespace margay::integration {

//! The name of a table, for people.
struct TableName {
  std::string database;
  std::string schema;
  std::string table;
};

//! Where the rows of a table come from: all that the cache of images, and those who use it, know of
//! a table.
//!
//! An object stands for one table, whoever reads it. It does not keep the table alive, and images
//! hold on to it for long after the query that found it: only IsSameTable(), IsGone(), Name() and
//! ReadExtent() may be called where the table may be gone. All others are for a reader that has
//! found the table in its active transaction.
//!
//! Thread-safe.
class TableSource {
 public:
  virtual ~TableSource() = default;

  //! What it was called when it was found.
  virtual const TableName& Name() const = 0;

  //! Whether both are one table with the same columns. A table that is changed in its structure, or
  //! dropped and created anew, is another one; a renamed one is not.
  virtual bool IsSameTable(const TableSource& other) const = 0;

  //! Nobody can find the table any more.
  virtual bool IsGone() const = 0;

  //! Why images of it are never kept for other queries; none where they may be.
  virtual std::optional<std::string> RefuseCaching() const = 0;

  //! The rows there are about; of no snapshot.
  virtual uint64_t TotalRows() const = 0;

  //! What DuckDB's statistics say of a column, by its id; of no snapshot.
  virtual optimize::ColumnBounds Bounds(duckdb::ClientContext& reader, uint64_t column) const = 0;

  //! The moment whose rows the reader sees. Moments of one source can be compared.
  virtual Moment SnapshotFor(duckdb::ClientContext& reader) const = 0;

  //! Whether a copy of the rows of the moment `built_at` is what the reader sees.
  virtual Validity Check(duckdb::ClientContext& reader, Moment built_at) const = 0;

  //! Whether the rows that the reader sees can be read again by ReadExtent(), for as long as a copy
  //! of them is valid.
  virtual bool CanReadAgain(duckdb::ClientContext& reader) const = 0;

  //! Reads `columns` as the reader sees them, with all of DuckDB's threads, and encodes them in
  //! `pool`. The expected number of rows is added to `options`.
  //!
  //! Throws ColumnRefusal, memory::OutOfMemory, device::DeviceError, execute::Interrupted, and
  //! DuckDB's own errors.
  virtual ReadColumns Read(duckdb::ClientContext& reader,
                           const std::vector<storage::ColumnSpecification>& columns,
                           memory::ExtentPool& pool, storage::BuildOptions options,
                           const ReadControl& control) const = 0;

  //! Reads the rows of the data extent `extent` of `restored` again, which are `columns`, at least
  //! one, and brings back what is lost of it. The reader sees the rows that they were made of.
  //!
  //! Throws storage::RowsDiffer where it does not, execute::ImageLost where the table is gone, and
  //! as Read().
  virtual std::vector<storage::PinnedExtents> ReadExtent(
      duckdb::ClientContext& reader, const std::vector<storage::ColumnSpecification>& columns,
      const std::vector<std::shared_ptr<const storage::ColumnImage>>& restored, size_t extent,
      memory::ExtentPool& pool, const ReadControl& control) const = 0;
};

}  // namespace margay::integration
