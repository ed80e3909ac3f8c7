#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "memory/extent_pool.hpp"
#include "storage/column_image.hpp"
#include "storage/constants.hpp"
#include "storage/encode_loops.hpp"
#include "storage/parallel_for.hpp"
#include "storage/staged_piece.hpp"

namespace margay::storage {

//! Turns the staged batches of one column into its image: cuts the rows into segments, finds each
//! segment's statistics, chooses encoding and width, and writes the extents, each in parallel by
//! segments. Used once, by one thread.
class ColumnAssembler {
 public:
  struct Input {
    plan::Type type;
    size_t segments_per_extent = 1;
    //! In the order of the rows; they outlive the assembler.
    const std::vector<StagedBatch>* batches = nullptr;
    //! Varchar: the sorted strings, and by stager and its code the code in there.
    std::shared_ptr<const Dictionary> dictionary;
    const std::vector<std::vector<uint32_t>>* codes = nullptr;
  };

  ColumnAssembler(Input input, memory::ExtentPool& pool, const ParallelFor& parallel_for);

  //! Throws memory::OutOfMemory, device::DeviceError.
  std::shared_ptr<const ColumnImage> Assemble();

 private:
  //! A piece with its place in the column.
  struct PlacedPiece {
    const StagedPiece* piece;
    //! Final codes by staged code; Varchar only.
    const uint32_t* codes;
    uint64_t first_row;
  };

  //! The rows of a piece that lie in one segment.
  struct Part {
    const StagedPiece& piece;
    const uint32_t* codes;
    //! Rows [first, first + count) of the piece are rows [row, row + count) of the segment.
    size_t first;
    size_t count;
    size_t row;

    bool IsWhole() const { return count == piece.rows; }
  };

  void PlacePieces();
  template <typename Function>
  void ForEachPart(size_t segment, const Function& function) const;
  size_t SegmentRows(size_t segment) const;

  void FindSegmentStatistics(size_t segment);
  void ChooseEncoding();
  void FindColumnStatistics();
  bool MayBeSorted() const;

  //! Pinned, so that the first extents are not evicted for the last ones.
  template <typename WriteSegment>
  std::vector<memory::ExtentPin> WriteExtents(size_t bits_per_row,
                                              const WriteSegment& write_segment);
  void WriteSegmentData(size_t segment, std::byte* destination);
  template <typename Out>
  void WriteIntegers(size_t segment, Out* destination);
  template <typename Out>
  void WriteCodes(size_t segment, Out* destination);
  template <typename T>
  void WriteReals(size_t segment, T* destination);
  template <typename T>
  void ZeroNulls(const Part& part, T* destination);
  template <typename T>
  void FindSegmentOrder(size_t segment, const T* values);
  void WriteSegmentValidity(size_t segment, std::byte* destination);

  const Input input_;
  memory::ExtentPool& pool_;
  const ParallelFor& parallel_for_;
  std::vector<PlacedPiece> pieces_;
  //! By segment: the first piece with rows in it.
  std::vector<size_t> first_pieces_;
  ColumnImage::Parts parts_;
  //! By segment; only meaningful while may_be_sorted_.
  std::vector<Order> orders_;
  std::atomic<bool> may_be_sorted_{true};
};

}  // namespace margay::storage
