// How a column lies in extents. S = segments per extent, R = kSegmentRows, w = bytes per row:
//
//   extent 0                                    extent 1
//   +-----------+-----------+- - -+-----------+-------+  +-----------+- - -+-------------+-------+
//   | segment 0 | segment 1 |     | seg. S-1  | slack |  | segment S |     | last segment| slack |
//   | R*w bytes | R*w bytes |     | R*w bytes | 64 B  |  | R*w bytes |     | rest, padded| 64 B  |
//   +-----------+-----------+- - -+-----------+-------+  +-----------+- - -+-------------+-------+
//
//   row r: segment s = r / R, extent s / S, byte ((s mod S) * R + r mod R) * w
//
// All segments but the last are full. The last one is padded with zeros to a multiple of 64 bytes,
// and 64 zero bytes follow every extent's data, so that vector loads may overrun. Validity bitmaps
// lie the same way in extents of their own: R/8 bytes per segment, row r at bit r mod R, least
// significant bit of the first byte first, 1 = not NULL.
//
// The bytes of a Text column lie in text extents, which are cut at segments as well, but where
// they are full; no text extent serves segments of two data extents. See docs/storage.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace margay::storage {

//! Rows of every segment but a column's last: large enough that a work-item amortises the segment's
//! descriptor, small enough that min and max still skip much.
inline constexpr size_t kSegmentRows = 65536;

//! Bytes of one full segment's validity bitmap.
inline constexpr size_t kSegmentValidityBytes = kSegmentRows / 8;

//! Zero bytes behind the data of every extent; also what the data itself is padded to a multiple
//! of.
inline constexpr size_t kExtentSlackBytes = 64;

//! 1 GiB of the widest values, 64 Mi rows: few launches per column, and still a useful unit of
//! transfer and eviction.
inline constexpr size_t kLargestSegmentsPerExtent = 1024;

//! Up to this many distinct strings, a column always has a dictionary: codes take at most 2 bytes,
//! and whatever is computed once per string is computed in a moment.
inline constexpr size_t kSmallDictionary = 65536;

//! A larger dictionary pays where a string comes back in this many rows on average: then what is
//! saved by its codes outweighs building it and going through it in every query.
inline constexpr size_t kRowsPerDictionaryString = 8;

//! A dictionary beyond these sizes never pays.
inline constexpr size_t kLargestDictionary = size_t{16} << 20;
inline constexpr size_t kLargestDictionaryBytes = size_t{1} << 30;

//! Most bytes of text of a segment: offsets take 4 bytes, and kernels may count on some room above
//! them.
inline constexpr uint64_t kLargestSegmentText = (uint64_t{1} << 32) - (uint64_t{1} << 20);

//! Text extents grow up to this size, unless a single segment is larger: few launches per column,
//! and still a useful unit of transfer and eviction.
inline constexpr size_t kLargestTextExtent = size_t{1} << 30;

//! The same for all columns of an image whatever their width, so that one launch takes one pointer
//! per column. `largest_buffer` is the device's, in bytes.
constexpr size_t SegmentsPerExtent(uint64_t largest_buffer) {
  constexpr uint64_t kWidestSegment = kSegmentRows * 16;
  uint64_t usable = largest_buffer - std::min<uint64_t>(largest_buffer, kExtentSlackBytes);
  return static_cast<size_t>(
      std::clamp<uint64_t>(usable / kWidestSegment, 1, kLargestSegmentsPerExtent));
}

//! Segments of a column of `rows`.
constexpr size_t SegmentCount(uint64_t rows) {
  return static_cast<size_t>((rows + kSegmentRows - 1) / kSegmentRows);
}

//! Extents of a table under a limit: kernels that find rows by their numbers take one pointer for
//! each, of each column.
inline constexpr uint64_t kMostExtentsUnderLimit = 16;

//! This many rows of a table in one extent for each byte of the limit: columns of 4 bytes then take
//! a sixteenth of the limit each, so that what a launch reads has room beside tables of joins and
//! groups.
inline constexpr uint64_t kLimitBytesPerRow = 64;

//! The same where columns share `limit` bytes, and extents of a table of `rows` rows that does not
//! fit are evicted and brought back while it is read.
constexpr size_t SegmentsPerExtent(uint64_t largest_buffer, uint64_t limit, uint64_t rows) {
  const uint64_t segments = SegmentCount(rows);
  const uint64_t wanted =
      std::max(limit / kLimitBytesPerRow / kSegmentRows,
               (segments + kMostExtentsUnderLimit - 1) / kMostExtentsUnderLimit);
  return static_cast<size_t>(std::clamp<uint64_t>(wanted, 1, SegmentsPerExtent(largest_buffer)));
}

}  // namespace margay::storage
