// What a column is while its image is being built: batches, each a list of pieces of up to
// kPieceRows rows in a StagingArena. A piece is narrowed by itself, so staging takes about as much
// memory as the image.
//
//   values    [ rows * width bytes ]     value = base + offset, modulo 2^128; floats as they are
//   validity  [ rows bits, in words ]    only where there are NULLs, which hold another row's value
//
// width 0: all rows that are not NULL hold `base`, and there are no value bytes.
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
