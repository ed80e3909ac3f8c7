#pragma once

#include <memory>
#include <vector>

#include "execute/materialised_table.hpp"
#include "execute/region_rows.hpp"

namespace margay::execute {

//! A table on the device that the rows of one or several runs are put into, one batch after the
//! other.
class MaterialisedTableBuilder {
 public:
  //! The regions of a column.
  struct Column {
    const device::Buffer& values;
    const device::Buffer& nulls;  //!< a byte per row, 0: NULL; only where the column has validity
  };

  //! `pool` outlives the object.
  MaterialisedTableBuilder(std::vector<optimize::MaterialisedColumn> columns,
                           memory::ExtentPool& pool)
      : columns_(std::move(columns)), pool_(pool) {}

  //! Adds the rows in `regions`, with `work_group` work-items for those of a unit. Throws
  //! memory::OutOfMemory and device::DeviceError.
  void Append(device::Queue& queue, const Regions& regions, const std::vector<Column>& columns,
              uint32_t work_group);

  //! All rows so far, for the commands of `queue` that follow.
  std::shared_ptr<const MaterialisedTable> Table(device::Queue& queue);

 private:
  //! Makes room for `rows` rows more.
  void Grow(device::Queue& queue, uint64_t rows);

  const std::vector<optimize::MaterialisedColumn> columns_;
  memory::ExtentPool& pool_;
  std::shared_ptr<MaterialisedTable> table_;
  uint64_t rows_ = 0;
  uint64_t capacity_ = 0;
};

}  // namespace margay::execute
