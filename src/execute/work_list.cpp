#include "execute/work_list.hpp"

#include <algorithm>

#include "compile/kernel_source.hpp"
#include "storage/constants.hpp"

namespace margay::execute {

WorkList::WorkList(uint64_t rows, size_t segments_per_extent,
                   const std::function<bool(size_t segment)>& may_match)
    : rows_(rows),
      segments_per_extent_(segments_per_extent),
      segments_(storage::SegmentCount(rows)) {
  for (size_t segment = 0; segment < segments_; segment++) {
    if (!may_match(segment))
      continue;
    const size_t extent = segment / segments_per_extent_;
    if (extents_.empty() || extents_.back().extent != extent)
      extents_.push_back({extent, {}});
    extents_.back().segments.push_back(segment);
    live_segments_++;
    live_rows_ += RowsOf(segment);
  }
}

uint64_t WorkList::RowsOf(size_t segment) const {
  return std::min<uint64_t>(storage::kSegmentRows, rows_ - segment * storage::kSegmentRows);
}

std::vector<int64_t> WorkList::Descriptors(const std::vector<optimize::InputColumn>& columns,
                                           const size_t* segments, size_t count) const {
  std::vector<int64_t> words;
  words.reserve(count * (compile::kSegmentHeaderWords + columns.size()));
  for (size_t i = 0; i < count; i++) {
    words.push_back(static_cast<int64_t>(segments[i] % segments_per_extent_));
    words.push_back(static_cast<int64_t>(RowsOf(segments[i])));
    words.push_back(static_cast<int64_t>(segments[i] * storage::kSegmentRows));
    for (const optimize::InputColumn& column : columns) {
      words.push_back(column.image ? column.image->Segments()[segments[i]].base : 0);
    }
  }
  return words;
}

}  // namespace margay::execute
