#include "storage/column_assembler.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "storage/bitmap.hpp"
#include "storage/extent_source.hpp"
#include "storage/integer_width.hpp"
#include "storage/refused_column.hpp"

namespace margay::storage {

namespace {

template <typename T>
const T* ValuesOf(const StagedPiece& piece) {
  return reinterpret_cast<const T*>(piece.values);
}

size_t NullsIn(const StagedPiece& piece, size_t first, size_t count) {
  return piece.nulls == 0 ? 0 : count - CountOnes(piece.validity, first, count);
}

//! Exact minimum and maximum of the values of some rows of a piece that are not NULL; there is one.
Range<Int128> IntegerRange(const StagedPiece& piece, size_t first, size_t count) {
  if (count == piece.rows || piece.width == 0) {
    return {piece.base, piece.max};
  }
  return VisitWidth(piece.width, [&]<typename In>(std::type_identity<In>) {
    const In* offsets = ValuesOf<In>(piece) + first;
    Range<In> range{static_cast<In>(~In{0}), 0};
    if (piece.nulls == 0) {
      range = FindRange(offsets, count);
    } else {
      ForEachOne(piece.validity, first, count, [&](size_t i) {
        range.min = std::min(range.min, offsets[i]);
        range.max = std::max(range.max, offsets[i]);
      });
    }
    const auto base = static_cast<UInt128>(piece.base);
    return Range<Int128>{static_cast<Int128>(base + range.min),
                         static_cast<Int128>(base + range.max)};
  });
}

template <typename T>
RealRange<double> RealRangeOf(const StagedPiece& piece, size_t first, size_t count) {
  if (count == piece.rows) {
    return {piece.real_min, piece.real_max, piece.has_nan};
  }
  const T* values = ValuesOf<T>(piece) + first;
  RealRange<T> range;
  if (piece.nulls == 0) {
    range = FindRealRange(values, count);
  } else {
    ForEachOne(piece.validity, first, count, [&](size_t i) {
      RealRange<T> one = FindRealRange(values + i, 1);
      range.min = std::min(range.min, one.min);
      range.max = std::max(range.max, one.max);
      range.has_nan |= one.has_nan;
    });
  }
  return {range.min, range.max, range.has_nan};
}

//! With zeros up to the next multiple of the slack.
uint64_t Padded(uint64_t bytes) {
  return (bytes + kExtentSlackBytes - 1) / kExtentSlackBytes * kExtentSlackBytes;
}

}  // namespace

ColumnAssembler::ColumnAssembler(Input input, memory::ExtentPool& pool,
                                 const ParallelFor& parallel_for)
    : input_(std::move(input)), pool_(pool), parallel_for_(parallel_for) {
  PlacePieces();
  parts_.type = input_.type;
  parts_.segments_per_extent = input_.segments_per_extent;
  parts_.dictionary = input_.dictionary;
  parts_.segments.resize(SegmentCount(parts_.rows));
  orders_.resize(parts_.segments.size());
}

void ColumnAssembler::PlacePieces() {
  uint64_t row = 0;
  for (const StagedBatch& batch : *input_.batches) {
    for (const StagedPiece& piece : batch.pieces) {
      uint64_t end = row + piece.rows;
      while (first_pieces_.size() * kSegmentRows < end) {
        first_pieces_.push_back(pieces_.size());
      }
      pieces_.push_back({&piece, batch.stager, row});
      row = end;
    }
  }
  parts_.rows = row;
}

size_t ColumnAssembler::SegmentRows(size_t segment) const {
  return static_cast<size_t>(
      std::min<uint64_t>(kSegmentRows, parts_.rows - segment * uint64_t{kSegmentRows}));
}

template <typename Function>
void ColumnAssembler::ForEachPart(size_t segment, const Function& function) const {
  const uint64_t begin = segment * uint64_t{kSegmentRows};
  const uint64_t end = begin + SegmentRows(segment);
  for (size_t i = first_pieces_[segment]; i < pieces_.size() && pieces_[i].first_row < end; i++) {
    const PlacedPiece& placed = pieces_[i];
    const uint64_t part_begin = std::max(begin, placed.first_row);
    const uint64_t part_end = std::min(end, placed.first_row + placed.piece->rows);
    function(Part{*placed.piece, static_cast<size_t>(part_begin - placed.first_row),
                  static_cast<size_t>(part_end - part_begin),
                  static_cast<size_t>(part_begin - begin), placed.stager});
  }
}

std::shared_ptr<const ColumnImage> ColumnAssembler::Assemble() {
  parallel_for_(parts_.segments.size(), [&](size_t segment) { FindSegmentStatistics(segment); });
  ChooseEncoding();
  may_be_sorted_ = MayBeSorted();

  std::vector<memory::ExtentPin> pins;  // so that the first extents are not evicted for the last
  const auto make_into = [&](std::vector<std::shared_ptr<memory::Extent>>& extents) {
    return [&](size_t bytes, const memory::ExtentPool::Fill& fill) {
      memory::ExtentPin pin = pool_.CreatePinned(bytes, fill);
      extents.push_back(pin.PinnedExtent());
      if (!input_.may_lose_extents) {
        pins.push_back(std::move(pin));
      }
    };
  };
  WriteData(make_into(parts_.data));
  FindColumnStatistics();
  if (parts_.statistics.null_count > 0) {
    WriteValidity(make_into(parts_.validity));
  }
  if (parts_.encoding == Encoding::Text) {
    WriteTexts(make_into(parts_.texts));
  }
  return std::make_shared<ColumnImage>(std::move(parts_));
}

PinnedExtents ColumnAssembler::Restore(const ColumnImage& image, size_t extent) {
  parallel_for_(parts_.segments.size(), [&](size_t segment) { FindSegmentStatistics(segment); });
  const size_t first = extent * parts_.segments_per_extent;
  if (!AreSegmentsOf(image, first)) {
    throw RowsDiffer();
  }
  parts_.encoding = image.GetEncoding();
  parts_.width = image.Width();
  for (size_t segment = 0; segment < parts_.segments.size(); segment++) {
    parts_.segments[segment].base = image.Segments()[first + segment].base;
  }
  may_be_sorted_ = false;  // nobody asks

  PinnedExtents pins;
  const auto restore_into = [&](const Extents& extents, size_t next,
                                std::vector<memory::ExtentPin>& restored) {
    return [&, next](size_t bytes, const memory::ExtentPool::Fill& fill) mutable {
      if (next >= extents.size() || extents[next]->Bytes() != bytes) {
        throw RowsDiffer();
      }
      restored.push_back(pool_.Restore(extents[next++], fill));
    };
  };
  WriteData(restore_into(image.DataExtents(), extent, pins.data));
  if (image.HasValidity()) {
    WriteValidity(restore_into(image.ValidityExtents(), extent, pins.validity));
  }
  if (parts_.encoding == Encoding::Text) {
    WriteTexts(restore_into(image.TextExtents(), image.FirstTextOf(extent), pins.texts));
  }
  return pins;
}

bool ColumnAssembler::AreSegmentsOf(const ColumnImage& image, size_t first) const {
  const std::vector<SegmentStatistics>& known = image.Segments();
  const size_t count = parts_.segments.size();
  if (count != std::min(parts_.segments_per_extent, known.size() - first)) {
    return false;
  }
  // Those of codes are not known yet; that of the longest string neither.
  const bool has_range = !input_.type.IsVarchar();
  return std::equal(
      parts_.segments.begin(), parts_.segments.end(), known.begin() + static_cast<ptrdiff_t>(first),
      [&](const SegmentStatistics& a, const SegmentStatistics& b) {
        return a.rows == b.rows && a.nulls == b.nulls && a.has_nan == b.has_nan &&
               a.text_bytes == b.text_bytes && a.real_min == b.real_min &&
               a.real_max == b.real_max && (!has_range || (a.min == b.min && a.max == b.max));
      });
}

template <typename Make>
void ColumnAssembler::WriteData(Make make) {
  WriteExtents(
      8 * parts_.width,
      [&](size_t segment, std::byte* destination) { WriteSegmentData(segment, destination); },
      make);
}

template <typename Make>
void ColumnAssembler::WriteValidity(Make make) {
  WriteExtents(
      1,
      [&](size_t segment, std::byte* destination) { WriteSegmentValidity(segment, destination); },
      make);
}

void ColumnAssembler::FindSegmentStatistics(size_t segment) {
  SegmentStatistics statistics;
  statistics.rows = static_cast<uint32_t>(SegmentRows(segment));
  bool has_values = false;
  ForEachPart(segment, [&](const Part& part) {
    const size_t nulls = NullsIn(part.piece, part.first, part.count);
    statistics.nulls += static_cast<uint32_t>(nulls);
    if (nulls == part.count || input_.type.IsVarchar()) {
      return;  // The range of codes is found when they are written.
    }
    if (input_.type.IsFloat()) {
      const RealRange<double> range = input_.type.kind == plan::TypeKind::Float32
                                          ? RealRangeOf<float>(part.piece, part.first, part.count)
                                          : RealRangeOf<double>(part.piece, part.first, part.count);
      statistics.real_min = std::min(statistics.real_min, range.min);
      statistics.real_max = std::max(statistics.real_max, range.max);
      statistics.has_nan |= range.has_nan;
    } else {
      const Range<Int128> range = IntegerRange(part.piece, part.first, part.count);
      statistics.min = has_values ? std::min(statistics.min, range.min) : range.min;
      statistics.max = has_values ? std::max(statistics.max, range.max) : range.max;
      has_values = true;
    }
  });
  parts_.segments[segment] = statistics;
  if (input_.texts.has_value()) {
    FindTextBytes(segment);
  }
}

void ColumnAssembler::FindTextBytes(size_t segment) {
  uint64_t bytes = 0;
  ForEachPart(segment, [&](const Part& part) { bytes += input_.texts->Bytes(part); });
  const uint64_t most = std::min(
      kLargestSegmentText,
      input_.largest_buffer - std::min<uint64_t>(input_.largest_buffer, 2 * kExtentSlackBytes));
  if (bytes > most) {
    throw RefusedColumn("column " + input_.name + " has " + std::to_string(bytes) +
                        " bytes of text in " + std::to_string(SegmentRows(segment)) + " rows; " +
                        std::to_string(most) + " are the most that the device takes");
  }
  parts_.segments[segment].text_bytes = static_cast<uint32_t>(bytes);
}

void ColumnAssembler::ChooseEncoding() {
  if (input_.type.IsFloat()) {
    const bool is_single = input_.type.kind == plan::TypeKind::Float32;
    parts_.encoding = is_single ? Encoding::Float32 : Encoding::Float64;
    parts_.width = is_single ? sizeof(float) : sizeof(double);
    return;
  }
  if (input_.texts.has_value()) {
    parts_.encoding = Encoding::Text;
    parts_.width = sizeof(uint32_t);
    return;
  }
  if (input_.type.IsVarchar()) {
    parts_.encoding = Encoding::Dictionary;
    parts_.width = WidthFor(std::max<size_t>(input_.dictionary->Size(), 1) - 1);
    return;
  }
  const bool fits = std::all_of(parts_.segments.begin(), parts_.segments.end(),
                                [](const SegmentStatistics& segment) {
                                  return FitsInt64(segment.min) && FitsInt64(segment.max);
                                });
  if (!fits) {
    parts_.encoding = Encoding::Wide;
    parts_.width = sizeof(Int128);
    return;
  }
  uint64_t spread = 0;
  for (SegmentStatistics& segment : parts_.segments) {
    segment.base = static_cast<int64_t>(segment.min);
    spread = std::max(spread, static_cast<uint64_t>(segment.max - segment.min));
  }
  parts_.encoding = Encoding::Narrow;
  parts_.width = WidthFor(spread);
}

bool ColumnAssembler::MayBeSorted() const {
  if (parts_.encoding == Encoding::Text) {
    return false;
  }
  const SegmentStatistics* before = nullptr;
  for (const SegmentStatistics& segment : parts_.segments) {
    if (segment.nulls > 0 || segment.has_nan) {
      return false;
    }
    if (before != nullptr &&
        (input_.type.IsFloat() ? before->real_max > segment.real_min : before->max > segment.min)) {
      return false;
    }
    before = &segment;
  }
  return true;
}

void ColumnAssembler::FindColumnStatistics() {
  ColumnStatistics& column = parts_.statistics;
  column.rows = parts_.rows;
  // The ranges of codes are known only now.
  column.sorted = may_be_sorted_ && MayBeSorted();
  bool has_values = false;
  uint64_t distinct = 0;
  for (size_t i = 0; i < parts_.segments.size(); i++) {
    const SegmentStatistics& segment = parts_.segments[i];
    column.null_count += segment.nulls;
    column.real_min = std::min(column.real_min, segment.real_min);
    column.real_max = std::max(column.real_max, segment.real_max);
    column.has_nan |= segment.has_nan;
    if (segment.HasValues()) {
      column.min = has_values ? std::min(column.min, segment.min) : segment.min;
      column.max = has_values ? std::max(column.max, segment.max) : segment.max;
      has_values = true;
    }
    // In a sorted column, a segment's first value is its smallest and its last one its largest.
    const SegmentStatistics* before = i == 0 ? nullptr : &parts_.segments[i - 1];
    const bool starts_new_value =
        before == nullptr ||
        (input_.type.IsFloat() ? before->real_max != segment.real_min : before->max != segment.min);
    distinct += orders_[i].steps + (starts_new_value ? 1 : 0);
  }
  if (input_.dictionary != nullptr) {
    column.distinct_count = input_.dictionary->Size();
  } else if (column.sorted) {
    column.distinct_count = distinct;
  }
}

template <typename WriteSegment, typename Make>
void ColumnAssembler::WriteExtents(size_t bits_per_row, const WriteSegment& write_segment,
                                   Make make) {
  const size_t segment_bytes = kSegmentRows * bits_per_row / 8;
  const size_t segments = parts_.segments.size();
  for (size_t first = 0; first < segments; first += parts_.segments_per_extent) {
    const size_t end = std::min(segments, first + parts_.segments_per_extent);
    const size_t rows = (end - first - 1) * kSegmentRows + SegmentRows(end - 1);
    const size_t data_bytes = (rows * bits_per_row + 7) / 8;
    const size_t padded_bytes = Padded(data_bytes);
    const auto fill = [&](std::byte* destination, size_t offset, size_t bytes) {
      static_assert(memory::ExtentPool::kFillBytes % (kSegmentRows * sizeof(Int128)) == 0,
                    "a range starts with a segment");
      const size_t data_in_range = std::min(bytes, data_bytes - std::min(data_bytes, offset));
      std::memset(destination + data_in_range, 0, bytes - data_in_range);
      const size_t first_in_range = first + offset / segment_bytes;
      parallel_for_((data_in_range + segment_bytes - 1) / segment_bytes, [&](size_t i) {
        write_segment(first_in_range + i, destination + i * segment_bytes);
      });
    };
    make(padded_bytes + kExtentSlackBytes, fill);
  }
}

void ColumnAssembler::WriteSegmentData(size_t segment, std::byte* destination) {
  switch (parts_.encoding) {
    case Encoding::Float32:
      return WriteReals(segment, reinterpret_cast<float*>(destination));
    case Encoding::Float64:
      return WriteReals(segment, reinterpret_cast<double*>(destination));
    case Encoding::Dictionary:
      return VisitWidth(parts_.width, [&]<typename Out>(std::type_identity<Out>) {
        WriteCodes(segment, reinterpret_cast<Out*>(destination));
      });
    case Encoding::Text:
      return WriteTextEnds(segment, reinterpret_cast<uint32_t*>(destination));
    case Encoding::Narrow:
    case Encoding::Wide:
      return VisitWidth(parts_.width, [&]<typename Out>(std::type_identity<Out>) {
        WriteIntegers(segment, reinterpret_cast<Out*>(destination));
      });
    case Encoding::TextRow:
      throw std::logic_error("ColumnAssembler: no image refers to the rows of another one");
  }
}

template <typename Out>
void ColumnAssembler::WriteIntegers(size_t segment, Out* destination) {
  const Int128 base = parts_.segments[segment].base;
  ForEachPart(segment, [&](const Part& part) {
    // Modulo the width of Out: a piece that crosses a segment's end may have a larger spread.
    const Out delta =
        static_cast<Out>(static_cast<UInt128>(part.piece.base) - static_cast<UInt128>(base));
    if (part.piece.width == 0) {
      std::fill_n(destination + part.row, part.count, delta);
    } else {
      VisitWidth(part.piece.width, [&]<typename In>(std::type_identity<In>) {
        AddAndConvert(ValuesOf<In>(part.piece) + part.first, destination + part.row, part.count,
                      delta);
      });
    }
    ZeroNulls(part, destination);
  });
  if constexpr (std::is_same_v<Out, UInt128>) {
    FindSegmentOrder(segment, reinterpret_cast<const Int128*>(destination));
  } else {
    FindSegmentOrder(segment, destination);
  }
}

template <typename Out>
void ColumnAssembler::WriteCodes(size_t segment, Out* destination) {
  SegmentStatistics& statistics = parts_.segments[segment];
  Range<Out> range{static_cast<Out>(~Out{0}), 0};
  ForEachPart(segment, [&](const Part& part) {
    Out* out = destination + part.row;
    if (part.piece.nulls == part.piece.rows) {
      std::fill_n(out, part.count, Out{0});
      return;
    }
    const uint32_t* codes =
        (*input_.codes)[part.stager].data() + static_cast<size_t>(part.piece.base);
    if (part.piece.width == 0) {
      std::fill_n(out, part.count, static_cast<Out>(codes[0]));
    } else {
      VisitWidth(part.piece.width, [&]<typename In>(std::type_identity<In>) {
        const In* offsets = ValuesOf<In>(part.piece) + part.first;
        for (size_t i = 0; i < part.count; i++) {
          out[i] = static_cast<Out>(codes[static_cast<size_t>(offsets[i])]);
        }
      });
    }
    if (part.piece.nulls == 0 || part.IsWhole()) {
      // NULL rows still hold the code of another row of the piece.
      const Range<Out> part_range = FindRange(out, part.count);
      range.min = std::min(range.min, part_range.min);
      range.max = std::max(range.max, part_range.max);
    } else {
      ForEachOne(part.piece.validity, part.first, part.count, [&](size_t i) {
        range.min = std::min(range.min, out[i]);
        range.max = std::max(range.max, out[i]);
      });
    }
    ZeroNulls(part, destination);
  });
  if (statistics.HasValues()) {
    statistics.min = static_cast<Int128>(range.min);
    statistics.max = static_cast<Int128>(range.max);
  }
  FindSegmentOrder(segment, destination);
}

template <typename T>
void ColumnAssembler::WriteReals(size_t segment, T* destination) {
  ForEachPart(segment, [&](const Part& part) {
    if (part.piece.width != 0) {
      std::memcpy(destination + part.row, ValuesOf<T>(part.piece) + part.first,
                  part.count * sizeof(T));
    }
    ZeroNulls(part, destination);
  });
  FindSegmentOrder(segment, destination);
}

void ColumnAssembler::WriteTextEnds(size_t segment, uint32_t* destination) {
  uint32_t end = 0;
  ForEachPart(segment,
              [&](const Part& part) { end = input_.texts->WriteEnds(part, end, destination); });
  uint32_t longest = destination[0];
  for (size_t row = 1; row < SegmentRows(segment); row++) {
    longest = std::max(longest, destination[row] - destination[row - 1]);
  }
  parts_.segments[segment].longest_text = longest;
}

template <typename T>
void ColumnAssembler::ZeroNulls(const Part& part, T* destination) {
  if (part.piece.nulls > 0) {
    ForEachZero(part.piece.validity, part.first, part.count,
                [&](size_t i) { destination[part.row + i] = T{0}; });
  }
}

template <typename T>
void ColumnAssembler::FindSegmentOrder(size_t segment, const T* values) {
  if (!may_be_sorted_.load(std::memory_order_relaxed)) {
    return;
  }
  orders_[segment] = FindOrder(values, SegmentRows(segment));
  if (!orders_[segment].is_sorted) {
    may_be_sorted_.store(false, std::memory_order_relaxed);
  }
}

void ColumnAssembler::WriteSegmentValidity(size_t segment, std::byte* destination) {
  const size_t words = BitmapWords(SegmentRows(segment));
  auto* bitmap = reinterpret_cast<uint64_t*>(destination);
  std::fill_n(bitmap, words, uint64_t{0});
  ForEachPart(segment, [&](const Part& part) {
    OrBitRange(bitmap, part.row, part.piece.validity, part.first, part.count);
  });
}

std::vector<size_t> ColumnAssembler::CutTexts() {
  const size_t segments = parts_.segments.size();
  std::vector<size_t> cuts;
  uint64_t bytes = 0;
  for (size_t segment = 0; segment < segments; segment++) {
    const uint64_t room = Padded(parts_.segments[segment].text_bytes);
    if (segment % parts_.segments_per_extent == 0 ||
        bytes + room + kExtentSlackBytes > input_.largest_text_extent) {
      cuts.push_back(segment);
      bytes = 0;
    }
    parts_.segments[segment].base = static_cast<int64_t>(bytes);
    parts_.text_extents.push_back(cuts.size() - 1);
    bytes += room;
  }
  cuts.push_back(segments);
  return cuts;
}

template <typename Make>
void ColumnAssembler::WriteTexts(Make make) {
  const std::vector<size_t> cuts = CutTexts();
  for (size_t i = 0; i + 1 < cuts.size(); i++) {
    const SegmentStatistics& last = parts_.segments[cuts[i + 1] - 1];
    const uint64_t bytes = static_cast<uint64_t>(last.base) + Padded(last.text_bytes);
    make(bytes + kExtentSlackBytes, [&](std::byte* destination, size_t offset, size_t range) {
      FillTexts(cuts[i], cuts[i + 1], destination, offset, range);
    });
  }
}

void ColumnAssembler::FillTexts(size_t first, size_t end, std::byte* destination, uint64_t offset,
                                size_t bytes) {
  parallel_for_(end - first, [&](size_t i) {
    const SegmentStatistics& segment = parts_.segments[first + i];
    // The last segment's room ends with the slack.
    const uint64_t room_begin = static_cast<uint64_t>(segment.base);
    const uint64_t room_end =
        room_begin + Padded(segment.text_bytes) + (first + i + 1 == end ? kExtentSlackBytes : 0);
    const uint64_t from = std::max(room_begin, offset);
    const uint64_t to = std::min(room_end, offset + bytes);
    if (from < to) {
      WriteSegmentTexts(first + i, from - room_begin, destination + (from - offset), to - from);
    }
  });
}

void ColumnAssembler::WriteSegmentTexts(size_t segment, size_t skip, std::byte* destination,
                                        size_t bytes) {
  size_t written = 0;
  ForEachPart(segment, [&](const Part& part) {
    written += input_.texts->Copy(part, skip, destination + written, bytes - written);
  });
  std::memset(destination + written, 0, bytes - written);
}

}  // namespace margay::storage
