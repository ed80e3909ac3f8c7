#include "storage/staged_texts.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string_view>

#include "storage/bitmap.hpp"
#include "storage/integer_width.hpp"

namespace margay::storage {

namespace {

const uint32_t* LengthsOf(const SegmentPart& part) {
  return reinterpret_cast<const uint32_t*>(part.piece.values);
}

uint64_t SumOf(const uint32_t* lengths, size_t count) {
  return std::accumulate(lengths, lengths + count, uint64_t{0});
}

//! All strings of a part that was staged as text.
std::string_view TextOf(const SegmentPart& part) {
  const uint32_t* lengths = LengthsOf(part);
  return {part.piece.text + SumOf(lengths, part.first),
          static_cast<size_t>(SumOf(lengths + part.first, part.count))};
}

}  // namespace

template <typename Function>
void StagedTexts::ForEachInterned(const SegmentPart& part, const Function& function) const {
  const StagedPiece& piece = part.piece;
  const StringInterner& strings = *interners_[part.stager];
  const auto visit = [&](const auto& code_at) {
    for (size_t i = 0; i < part.count; i++) {
      const bool is_null = piece.nulls > 0 && !BitAt(piece.validity, part.first + i);
      function(i, is_null ? std::string_view() : strings.Value(code_at(part.first + i)));
    }
  };
  const auto base = static_cast<uint32_t>(piece.base);
  if (piece.width == 0) {
    return visit([&](size_t) { return base; });
  }
  VisitWidth(piece.width, [&]<typename In>(std::type_identity<In>) {
    const In* offsets = reinterpret_cast<const In*>(piece.values);
    visit([&](size_t i) { return base + static_cast<uint32_t>(offsets[i]); });
  });
}

template <typename Function>
void StagedTexts::ForEachRun(const SegmentPart& part, const Function& function) const {
  if (part.piece.is_text) {
    function(TextOf(part));
  } else {
    ForEachInterned(part, [&](size_t, std::string_view value) { function(value); });
  }
}

uint64_t StagedTexts::Bytes(const SegmentPart& part) const {
  uint64_t bytes = 0;
  ForEachRun(part, [&](std::string_view run) { bytes += run.size(); });
  return bytes;
}

uint32_t StagedTexts::WriteEnds(const SegmentPart& part, uint32_t begin, uint32_t* ends) const {
  ends += part.row;
  uint32_t end = begin;
  if (part.piece.is_text) {
    const uint32_t* lengths = LengthsOf(part) + part.first;
    for (size_t i = 0; i < part.count; i++) {
      end += lengths[i];
      ends[i] = end;
    }
  } else {
    ForEachInterned(part, [&](size_t i, std::string_view value) {
      end += static_cast<uint32_t>(value.size());
      ends[i] = end;
    });
  }
  return end;
}

size_t StagedTexts::Copy(const SegmentPart& part, size_t& skip, std::byte* destination,
                         size_t room) const {
  size_t copied = 0;
  ForEachRun(part, [&](std::string_view run) {
    const size_t skipped = std::min(skip, run.size());
    skip -= skipped;
    const size_t bytes = std::min(run.size() - skipped, room - copied);
    if (bytes > 0) {
      std::memcpy(destination + copied, run.data() + skipped, bytes);
      copied += bytes;
    }
  });
  return copied;
}

}  // namespace margay::storage
