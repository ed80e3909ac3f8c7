#pragma once

#include <cstdint>
#include <vector>

#include "device/device.hpp"
#include "execute/result_batch.hpp"
#include "memory/extent_pool.hpp"
#include "memory/scratch_reservation.hpp"
#include "optimize/physical/materialised_column.hpp"

namespace margay::execute {

//! The result of an inner part, in the memory of the device, as columns that kernels scan. Lives
//! for one execution.
class MaterialisedTable {
 public:
  struct Column {
    device::Buffer values;
    device::Buffer validity;  //!< only where there may be NULLs; all NULL at first
  };

  //! Room for `rows` rows, for the commands of `queue` that follow. Throws memory::OutOfMemory and
  //! device::DeviceError.
  MaterialisedTable(const std::vector<optimize::MaterialisedColumn>& columns, uint64_t rows,
                    device::Queue& queue, memory::ExtentPool& pool);

  uint64_t Rows() const { return rows_; }
  //! Leaves the first `rows` rows, of those that there is room for.
  void Truncate(uint64_t rows) { rows_ = rows; }
  const Column& At(uint64_t column) const { return columns_[column]; }

  //! Fills the table with `batch`, which has its rows.
  void Write(const std::vector<optimize::MaterialisedColumn>& columns, const ResultBatch& batch,
             device::Queue& queue);

 private:
  uint64_t rows_;
  memory::ScratchReservation reservation_;
  std::vector<Column> columns_;
};

}  // namespace margay::execute
