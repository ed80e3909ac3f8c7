#pragma once

#include <span>
#include <vector>

#include "execute/result_batch.hpp"
#include "memory/host_allocator.hpp"

namespace margay::execute {

//! A row of one of several batches. In the order in which rows came.
struct RowPlace {
  uint32_t batch = 0;
  uint32_t row = 0;

  bool operator<(const RowPlace& other) const {
    return batch != other.batch ? batch < other.batch : row < other.row;
  }
};

//! The first columns of `rows`, in that order, whose values have `widths` bytes. `batches` are of
//! one form. Throws memory::OutOfMemory.
ResultBatch GatherRows(const std::vector<ResultBatch>& batches, std::span<const RowPlace> rows,
                       std::span<const size_t> widths, memory::HostAllocator& allocator);

}  // namespace margay::execute
