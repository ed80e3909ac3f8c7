#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "memory/extent_pool.hpp"
#include "storage/column_image.hpp"
#include "storage/constants.hpp"
#include "storage/encode_loops.hpp"
#include "storage/parallel_for.hpp"
#include "storage/staged_piece.hpp"
#include "storage/staged_texts.hpp"

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
    //! Varchar that is stored as text: its strings.
    std::optional<StagedTexts> texts;
    //! For messages.
    std::string name;
    //! In bytes: of the device, and of text extents as long as a segment fits in.
    uint64_t largest_buffer = 0;
    uint64_t largest_text_extent = 0;
    //! The first extents may be evicted for the last ones.
    bool may_lose_extents = false;
  };

  ColumnAssembler(Input input, memory::ExtentPool& pool, const ParallelFor& parallel_for);

  //! Throws memory::OutOfMemory, device::DeviceError; RefusedColumn where a segment has more bytes
  //! of text than its offsets or a buffer can hold.
  std::shared_ptr<const ColumnImage> Assemble();

  //! In place of Assemble(): brings back what belongs to the data extent `extent` of `image`, whose
  //! rows the batches are. Throws RowsDiffer, memory::OutOfMemory, device::DeviceError.
  PinnedExtents Restore(const ColumnImage& image, size_t extent);

 private:
  //! A piece with its place in the column.
  struct PlacedPiece {
    const StagedPiece* piece;
    uint32_t stager;
    uint64_t first_row;
  };

  using Part = SegmentPart;

  void PlacePieces();
  template <typename Function>
  void ForEachPart(size_t segment, const Function& function) const;
  size_t SegmentRows(size_t segment) const;

  void FindSegmentStatistics(size_t segment);
  void ChooseEncoding();
  void FindColumnStatistics();
  bool MayBeSorted() const;

  using Extents = std::vector<std::shared_ptr<memory::Extent>>;

  //! Whether the segments are those of `image` from segment `first` on.
  bool AreSegmentsOf(const ColumnImage& image, size_t first) const;
  //! `make` has a function for the content of an extent and its bytes, and makes the extent.
  template <typename Make>
  void WriteData(Make make);
  template <typename Make>
  void WriteValidity(Make make);
  template <typename WriteSegment, typename Make>
  void WriteExtents(size_t bits_per_row, const WriteSegment& write_segment, Make make);
  void WriteSegmentData(size_t segment, std::byte* destination);
  template <typename Out>
  void WriteIntegers(size_t segment, Out* destination);
  template <typename Out>
  void WriteCodes(size_t segment, Out* destination);
  template <typename T>
  void WriteReals(size_t segment, T* destination);
  void WriteTextEnds(size_t segment, uint32_t* destination);
  template <typename T>
  void ZeroNulls(const Part& part, T* destination);
  template <typename T>
  void FindSegmentOrder(size_t segment, const T* values);
  void WriteSegmentValidity(size_t segment, std::byte* destination);

  void FindTextBytes(size_t segment);
  //! Cuts the segments into text extents: the first segment of each, and the end.
  std::vector<size_t> CutTexts();
  template <typename Make>
  void WriteTexts(Make make);
  //! Writes bytes [offset, offset + bytes) of the extent that holds segments [first, end).
  void FillTexts(size_t first, size_t end, std::byte* destination, uint64_t offset, size_t bytes);
  //! Writes bytes [skip, skip + bytes) of the segment's room: its strings, then zeros.
  void WriteSegmentTexts(size_t segment, size_t skip, std::byte* destination, size_t bytes);

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
