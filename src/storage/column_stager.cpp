#include "storage/column_stager.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "storage/bitmap.hpp"
#include "storage/encode_loops.hpp"
#include "storage/physical_type.hpp"
#include "storage/refused_column.hpp"
#include "storage/text_choice.hpp"

namespace margay::storage {

namespace {

//! Chunks of fewer rows are collected, so that a piece's own bytes outweigh its descriptor.
constexpr size_t kDirectRows = kPieceRows / 2;

//! Codes that no string has, since dictionaries are smaller.
constexpr uint32_t kNullCode = ~uint32_t{0};
constexpr uint32_t kUnknownCode = kNullCode - 1;
static_assert(kLargestDictionary < kUnknownCode);

//! 16-byte values of DuckDB are only aligned to 8.
template <typename T>
T LoadValue(const void* values, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(values) + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
bool IsAligned(const void* values) {
  return reinterpret_cast<uintptr_t>(values) % alignof(T) == 0;
}

//! Strings are staged as their codes.
template <typename T>
using StagedAs = std::conditional_t<std::is_same_v<T, std::string_view>, uint32_t, T>;

}  // namespace

void ColumnStager::Pending::Clear() {
  validity.fill(0);
  rows = 0;
  nulls = 0;
}

ColumnStager::ColumnStager(const ColumnSpecification& specification,
                           const std::shared_ptr<memory::HostAllocator>& allocator,
                           const BuildOptions& options, std::atomic<size_t>& staged_bytes,
                           std::atomic<bool>& is_text, uint32_t number)
    : name_(specification.name),
      type_(specification.type),
      options_(options),
      number_(number),
      is_text_(is_text),
      arena_(allocator, staged_bytes),
      pending_(std::make_unique<Pending>()) {
  if (type_.IsVarchar()) {
    strings_ = std::make_unique<StringInterner>(allocator, staged_bytes);
  }
}

void ColumnStager::Append(const ColumnChunk& chunk) {
  VisitPhysicalType(type_, [&]<typename T>(std::type_identity<T>) {
    if constexpr (std::is_same_v<T, std::string_view>) {
      AppendStrings(chunk);
    } else {
      AppendFixed<T>(chunk);
    }
  });
  rows_ += chunk.count;
}

StagedBatch ColumnStager::TakeBatch(uint64_t index) {
  VisitPhysicalType(type_, [&]<typename T>(std::type_identity<T>) { FlushPending<StagedAs<T>>(); });
  StagedBatch batch{index, number_, rows_, std::move(pieces_)};
  Discard();
  return batch;
}

void ColumnStager::Discard() {
  pending_->Clear();
  pieces_.clear();
  rows_ = 0;
  dictionary_id_ = 0;
}

template <typename T>
void ColumnStager::AppendFixed(const ColumnChunk& chunk) {
  const bool is_flat = chunk.selection == nullptr && IsAligned<T>(chunk.values);
  const bool has_nulls = chunk.validity != nullptr &&
                         (!is_flat || CountOnes(chunk.validity, 0, chunk.count) < chunk.count);
  if (is_flat && !has_nulls && chunk.count >= kDirectRows) {
    FlushPending<T>();
    const T* values = static_cast<const T*>(chunk.values);
    for (size_t row = 0; row < chunk.count; row += kPieceRows) {
      Stage(values + row, std::min(kPieceRows, chunk.count - row), nullptr, 0);
    }
    return;
  }
  for (size_t row = 0; row < chunk.count;) {
    size_t count = std::min(chunk.count - row, kPieceRows - pending_->rows);
    Collect<T>(chunk, row, count);
    row += count;
    if (pending_->rows == kPieceRows) {
      FlushPending<T>();
    }
  }
}

void ColumnStager::AppendStrings(const ColumnChunk& chunk) {
  if (chunk.dictionary_id != 0 && chunk.dictionary_id != dictionary_id_) {
    dictionary_codes_.assign(chunk.dictionary_size, kUnknownCode);
    dictionary_id_ = chunk.dictionary_id;
  }
  for (size_t row = 0; row < chunk.count;) {
    size_t count = std::min(chunk.count - row, kPieceRows - pending_->rows);
    if (is_text_.load(std::memory_order_relaxed)) {
      FlushPending<uint32_t>();
      StageTexts(chunk, row, count);
    } else {
      CollectStrings(chunk, row, count);
      FindWhetherText();
    }
    row += count;
    if (pending_->rows == kPieceRows) {
      FlushPending<uint32_t>();
    }
  }
}

void ColumnStager::FindWhetherText() {
  if (IsSurelyText({strings_->Size(), strings_->Bytes(), interned_rows_}, options_)) {
    is_text_.store(true, std::memory_order_relaxed);
  }
}

void ColumnStager::StageTexts(const ColumnChunk& chunk, size_t first, size_t count) {
  const auto* strings = static_cast<const std::string_view*>(chunk.values);
  auto* lengths = reinterpret_cast<uint32_t*>(arena_.Allocate(count * sizeof(uint32_t)));
  std::array<const char*, kPieceRows> addresses;
  std::array<uint64_t, kPieceRows / 64> validity{};
  OrBitRange(validity.data(), 0, nullptr, 0, count);
  StagedPiece piece;
  piece.is_text = true;
  piece.rows = static_cast<uint32_t>(count);
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t index = chunk.selection == nullptr ? first + i : chunk.selection[first + i];
    lengths[i] = 0;
    if (chunk.validity != nullptr && !BitAt(chunk.validity, index)) {
      ClearBit(validity.data(), i);
      piece.nulls++;
      continue;
    }
    const std::string_view value = strings[index];
    if (value.size() > std::numeric_limits<uint32_t>::max()) {
      throw RefusedColumn("column " + name_ + " has a string of more than 4 GiB");
    }
    addresses[i] = value.data();
    lengths[i] = static_cast<uint32_t>(value.size());
    bytes += value.size();
  }
  auto* text = reinterpret_cast<char*>(arena_.Allocate(bytes));
  piece.values = reinterpret_cast<const std::byte*>(lengths);
  piece.text = text;
  for (size_t i = 0; i < count; i++) {
    if (lengths[i] > 0) {
      std::memcpy(text, addresses[i], lengths[i]);
      text += lengths[i];
    }
  }
  if (piece.nulls > 0) {
    piece.validity = CopyValidity(validity.data(), count);
  }
  pieces_.push_back(piece);
}

const uint64_t* ColumnStager::CopyValidity(const uint64_t* validity, size_t rows) {
  const size_t bytes = BitmapWords(rows) * sizeof(uint64_t);
  std::byte* copy = arena_.Allocate(bytes);
  std::memcpy(copy, validity, bytes);
  return reinterpret_cast<const uint64_t*>(copy);
}

template <typename T>
void ColumnStager::Collect(const ColumnChunk& chunk, size_t first, size_t count) {
  Pending& pending = *pending_;
  T* values = pending.Values<T>() + pending.rows;
  if (chunk.selection == nullptr) {
    std::memcpy(values, static_cast<const std::byte*>(chunk.values) + first * sizeof(T),
                count * sizeof(T));
    OrBitRange(pending.validity.data(), pending.rows, chunk.validity, first, count);
    if (chunk.validity != nullptr) {
      pending.nulls += count - CountOnes(chunk.validity, first, count);
    }
  } else {
    const uint32_t* selection = chunk.selection + first;
    for (size_t i = 0; i < count; i++) {
      values[i] = LoadValue<T>(chunk.values, selection[i]);
    }
    if (chunk.validity == nullptr) {
      OrBitRange(pending.validity.data(), pending.rows, nullptr, 0, count);
    } else {
      for (size_t i = 0; i < count; i++) {
        bool is_valid = BitAt(chunk.validity, selection[i]);
        OrBits(pending.validity.data(), pending.rows + i, is_valid ? 1 : 0, 1);
        pending.nulls += is_valid ? 0 : 1;
      }
    }
  }
  pending.rows += count;
}

void ColumnStager::CollectStrings(const ColumnChunk& chunk, size_t first, size_t count) {
  Pending& pending = *pending_;
  uint32_t* codes = pending.Values<uint32_t>() + pending.rows;
  OrBitRange(pending.validity.data(), pending.rows, nullptr, 0, count);
  for (size_t i = 0; i < count; i++) {
    const size_t index = chunk.selection == nullptr ? first + i : chunk.selection[first + i];
    codes[i] = chunk.dictionary_id == 0 ? CodeOf(chunk, index) : KnownCodeOf(chunk, index);
    if (codes[i] == kNullCode) {
      ClearBit(pending.validity.data(), pending.rows + i);
      pending.nulls++;
    }
  }
  pending.rows += count;
  interned_rows_ += count;
}

uint32_t ColumnStager::CodeOf(const ColumnChunk& chunk, size_t index) {
  if (chunk.validity != nullptr && !BitAt(chunk.validity, index)) {
    return kNullCode;
  }
  return strings_->Intern(static_cast<const std::string_view*>(chunk.values)[index]);
}

uint32_t ColumnStager::KnownCodeOf(const ColumnChunk& chunk, size_t index) {
  uint32_t& code = dictionary_codes_[index];
  if (code == kUnknownCode) {
    code = CodeOf(chunk, index);
  }
  return code;
}

template <typename T>
void ColumnStager::FlushPending() {
  Pending& pending = *pending_;
  if (pending.rows == 0) {
    return;
  }
  T* values = pending.Values<T>();
  if (pending.nulls == 0) {
    Stage(values, pending.rows, nullptr, 0);
  } else {
    // NULL rows take the value of another row, so that the loops need no second look at validity.
    size_t donor = 0;
    while (donor + 1 < pending.rows && !BitAt(pending.validity.data(), donor)) {
      donor++;
    }
    ForEachZero(pending.validity.data(), 0, pending.rows,
                [&](size_t i) { values[i] = values[donor]; });
    Stage(values, pending.rows, pending.validity.data(), pending.nulls);
  }
  pending.Clear();
}

template <typename T>
void ColumnStager::Stage(const T* values, size_t rows, const uint64_t* validity, size_t nulls) {
  StagedPiece piece;
  piece.rows = static_cast<uint32_t>(rows);
  piece.nulls = static_cast<uint32_t>(nulls);
  if (nulls > 0) {
    piece.validity = CopyValidity(validity, rows);
  }
  if (nulls < rows) {
    if constexpr (std::is_floating_point_v<T>) {
      StageReals(values, piece);
    } else {
      StageIntegers(values, piece);
    }
  }
  pieces_.push_back(piece);
}

template <typename T>
void ColumnStager::StageIntegers(const T* values, StagedPiece& piece) {
  using Unsigned = typename UnsignedOf<T>::type;
  const Range<T> range = FindRange(values, piece.rows);
  piece.base = static_cast<Int128>(range.min);  // NOLINT: int8_t is a number here
  piece.max = static_cast<Int128>(range.max);   // NOLINT
  const auto spread =
      static_cast<Unsigned>(static_cast<Unsigned>(range.max) - static_cast<Unsigned>(range.min));
  if (spread == 0) {
    return;
  }
  const auto narrow = [&]<typename Out>(std::type_identity<Out>) {
    piece.width = sizeof(Out);
    auto* offsets = reinterpret_cast<Out*>(arena_.Allocate(piece.rows * sizeof(Out)));
    AddAndConvert(values, offsets, piece.rows,
                  static_cast<Out>(Out{0} - static_cast<Out>(range.min)));
    piece.values = reinterpret_cast<const std::byte*>(offsets);
  };
  if (spread <= 0xFFu) {
    return narrow(std::type_identity<uint8_t>());
  }
  if constexpr (sizeof(T) >= 2) {
    if (spread <= 0xFFFFu) {
      return narrow(std::type_identity<uint16_t>());
    }
  }
  if constexpr (sizeof(T) >= 4) {
    if (spread <= 0xFFFFFFFFu) {
      return narrow(std::type_identity<uint32_t>());
    }
  }
  if constexpr (sizeof(T) >= 8) {
    if (spread <= ~uint64_t{0}) {
      return narrow(std::type_identity<uint64_t>());
    }
  }
  if constexpr (sizeof(T) == 16) {
    narrow(std::type_identity<UInt128>());
  }
}

template <typename T>
void ColumnStager::StageReals(const T* values, StagedPiece& piece) {
  const RealRange<T> range = FindRealRange(values, piece.rows);
  piece.real_min = range.min;
  piece.real_max = range.max;
  piece.has_nan = range.has_nan;
  piece.width = sizeof(T);
  std::byte* copy = arena_.Allocate(piece.rows * sizeof(T));
  std::memcpy(copy, values, piece.rows * sizeof(T));
  piece.values = copy;
}

}  // namespace margay::storage
