#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "optimize/physical/input_column.hpp"

namespace margay::execute {

//! Live segments of one extent, in order: what one or more launches work on.
struct ExtentWork {
  size_t extent = 0;
  std::vector<size_t> segments;
};

//! The segments that a kernel must read, cut at the borders of extents.
class WorkList {
 public:
  //! Those of a table of `rows` rows that `may_match` does not rule out.
  WorkList(uint64_t rows, size_t segments_per_extent,
           const std::function<bool(size_t segment)>& may_match);

  const std::vector<ExtentWork>& Extents() const { return extents_; }
  size_t Segments() const { return segments_; }
  uint64_t LiveSegments() const { return live_segments_; }
  uint64_t LiveRows() const { return live_rows_; }
  //! Sorts extents, and segments in them, by the lowest `rank(segment)`; equal ones stay in order.
  template <typename Rank>
  void SortBy(const Rank& rank) {
    const auto by_rank = [&](size_t a, size_t b) { return rank(a) < rank(b); };
    for (ExtentWork& work : extents_)
      std::stable_sort(work.segments.begin(), work.segments.end(), by_rank);
    std::stable_sort(extents_.begin(), extents_.end(),
                     [&](const ExtentWork& a, const ExtentWork& b) {
                       return by_rank(a.segments.front(), b.segments.front());
                     });
  }
  //! Rows of a segment: all are full but the last.
  uint64_t RowsOf(size_t segment) const;

  //! A kernel's argument `segments` for a run of live segments, of which it reads `columns`: see
  //! compile::ArgumentKind.
  std::vector<int64_t> Descriptors(const std::vector<optimize::InputColumn>& columns,
                                   const size_t* segments, size_t count) const;

 private:
  uint64_t rows_;
  size_t segments_per_extent_;
  size_t segments_;
  std::vector<ExtentWork> extents_;
  uint64_t live_segments_ = 0;
  uint64_t live_rows_ = 0;
};

}  // namespace margay::execute
