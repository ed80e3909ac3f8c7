#include "kernels/like_pattern.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

namespace margay::kernels {

namespace {

constexpr uint32_t kNone = 0xFFFFFFFF;
constexpr uint32_t kBeginsAnywhere = 1;
constexpr uint32_t kEndsAnywhere = 2;
constexpr size_t kHeaderWords = 3;
constexpr size_t kPieceWords = 6;
constexpr char kOneCharacter = static_cast<char>(0xFF);  // no byte of UTF-8

//! Bytes that a kernel may read behind a needle.
constexpr size_t kSlackBytes = 16;

//! A needle of this many bytes is rare enough; a longer one is not worth looking at rows from their
//! beginning, which the first piece spares.
constexpr size_t kGoodNeedleBytes = 4;

//! The most frequent characters of written text, most frequent first; all others are rarer. Which
//! ones they are decides about speed alone.
constexpr std::string_view kFrequent = " etaoinsrhldcumfpgwybvk0123456789,.-xjqz";

size_t Rarity(char byte) {
  return std::min(kFrequent.find(byte), kFrequent.size());
}

//! How rare the rarest byte is.
size_t RarestByte(std::string_view needle) {
  size_t rarity = 0;
  for (char byte : needle) {
    rarity = std::max(rarity, Rarity(byte));
  }
  return rarity;
}

//! The places of the three rarest bytes in ascending order; in shorter needles some twice.
std::array<uint32_t, 3> ProbesOf(std::string_view needle) {
  std::vector<uint32_t> places(needle.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(),
                   [&](uint32_t a, uint32_t b) { return Rarity(needle[a]) > Rarity(needle[b]); });
  places.resize(3, places.front());
  std::sort(places.begin(), places.end());
  return {places[0], places[1], places[2]};
}

bool IsContinuation(char byte) {
  return (static_cast<uint8_t>(byte) & 0xC0) == 0x80;
}

}  // namespace

LikePattern LikePattern::Parse(std::string_view pattern) {
  LikePattern result;
  result.begins_anywhere_ = pattern.starts_with('%');
  result.ends_anywhere_ = pattern.ends_with('%');
  while (!pattern.empty()) {
    const size_t end = std::min(pattern.find('%'), pattern.size());
    if (end > 0) {
      result.AddPiece(pattern.substr(0, end), true);
    }
    pattern.remove_prefix(std::min(end + 1, pattern.size()));
  }
  return result;
}

LikePattern LikePattern::Containing(std::string_view needle) {
  LikePattern result;
  result.begins_anywhere_ = result.ends_anywhere_ = true;
  if (!needle.empty()) {
    result.AddPiece(needle, false);
  }
  return result;
}

void LikePattern::AddPiece(std::string_view piece, bool has_wildcards) {
  Piece result;
  result.bytes = piece;
  if (has_wildcards && piece.find('_') != std::string_view::npos) {
    result.characters = static_cast<uint32_t>(
        std::count_if(piece.begin(), piece.end(), [](char byte) { return !IsContinuation(byte); }));
    std::replace(result.bytes.begin(), result.bytes.end(), '_', kOneCharacter);
  }
  pieces_.push_back(std::move(result));
}

uint32_t LikePattern::Needle() const {
  uint32_t best = kNone;
  std::pair<size_t, size_t> best_rank;
  for (uint32_t i = 0; i < pieces_.size(); i++) {
    const bool is_fixed =
        (i == 0 && !begins_anywhere_) || (i + 1 == pieces_.size() && !ends_anywhere_);
    if (is_fixed || pieces_[i].characters > 0) {
      continue;
    }
    const std::pair<size_t, size_t> rank{std::min(pieces_[i].bytes.size(), kGoodNeedleBytes),
                                         RarestByte(pieces_[i].bytes)};
    if (best == kNone || rank > best_rank) {
      best = i;
      best_rank = rank;
    }
    if (rank.first == kGoodNeedleBytes) {
      break;
    }
  }
  return best;
}

bool LikePattern::HasNeedle() const {
  return begins_anywhere_ && Needle() != kNone;
}

std::vector<uint8_t> LikePattern::Bytes() const {
  std::vector<uint32_t> words{
      static_cast<uint32_t>(pieces_.size()),
      (begins_anywhere_ ? kBeginsAnywhere : 0) | (ends_anywhere_ ? kEndsAnywhere : 0), Needle()};
  size_t place = (kHeaderWords + kPieceWords * pieces_.size()) * sizeof(uint32_t);
  std::string bytes;
  for (const Piece& piece : pieces_) {
    const std::array<uint32_t, 3> probes = ProbesOf(piece.bytes);
    words.insert(words.end(), {static_cast<uint32_t>(place + bytes.size()),
                               static_cast<uint32_t>(piece.bytes.size()), piece.characters,
                               probes[0], probes[1], probes[2]});
    bytes += piece.bytes;
  }
  std::vector<uint8_t> result(place + bytes.size() + kSlackBytes, 0);
  std::memcpy(result.data(), words.data(), place);
  std::copy(bytes.begin(), bytes.end(), result.begin() + static_cast<std::ptrdiff_t>(place));
  return result;
}

}  // namespace margay::kernels
