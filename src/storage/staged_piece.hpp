// What a column is while its image is being built: batches, each a list of pieces of up to
// kPieceRows rows in a StagingArena. A piece is narrowed by itself, so staging takes about as much
// memory as the image.
//
//   values    [ rows * width bytes ]     value = base + offset, modulo 2^128; floats as they are
//   validity  [ rows bits, in words ]    only where there are NULLs, which hold another row's value
//
// width 0: all rows that are not NULL hold `base`, and there are no value bytes.
//
// Strings are staged as codes of their stager's StringInterner, until the column turns out to have
// too many of them; from then on as they are:
//
//   values    [ rows * 4 bytes ]         the length of each row's string; 0 where it is NULL
//   text      [ string 0 | string 1 | ... ]
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/integer128.hpp"

namespace margay::storage {

//! DuckDB's vector size: such a piece fits in the first-level cache, where it is read twice.
inline constexpr size_t kPieceRows = 2048;

struct StagedPiece {
  const std::byte* values = nullptr;
  const uint64_t* validity = nullptr;
  //! Smallest and largest value that is not NULL; 0 where there is none, and for floats.
  Int128 base = 0;
  Int128 max = 0;
  //! Floats: the range without NULLs and NaNs, as in SegmentStatistics.
  double real_min = 0;
  double real_max = 0;
  uint32_t rows = 0;
  uint32_t nulls = 0;
  //! 0, 1, 2, 4, 8 or 16.
  uint8_t width = 0;
  bool has_nan = false;
  //! Whether strings are staged as they are.
  bool is_text = false;
  const char* text = nullptr;
};

//! The rows of a piece that lie in one segment.
struct SegmentPart {
  const StagedPiece& piece;
  //! Rows [first, first + count) of the piece are rows [row, row + count) of the segment.
  size_t first = 0;
  size_t count = 0;
  size_t row = 0;
  //! Which stager made the piece: strings are numbered by stager.
  uint32_t stager = 0;

  bool IsWhole() const { return count == piece.rows; }
};

//! Immutable once it is with the ColumnBuilder.
struct StagedBatch {
  uint64_t index = 0;
  //! Which stager made it: strings are numbered by stager.
  uint32_t stager = 0;
  uint64_t rows = 0;
  std::vector<StagedPiece> pieces;
};

}  // namespace margay::storage
