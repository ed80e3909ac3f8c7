#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace margay::optimize {

//! How a join finds the matches of a row: the form of its join table.
enum class JoinMethod : uint8_t {
  Direct,           //!< the place of the keys in the product of their domains is their slot
  Hash,             //!< a hash of the keys is their slot
  PartitionedHash,  //!< as Hash, but entries are split by their slots before they are put there
  Bitmap,           //!< as Direct, but all that is known of a slot is whether it has an entry
  RankBitmap,       //!< as Bitmap, over sorted keys: the slots with an entry before it tell its row
  NestedLoop,       //!< all entries are looked at
};

inline constexpr std::array kJoinMethods{JoinMethod::Direct,          JoinMethod::Hash,
                                         JoinMethod::PartitionedHash, JoinMethod::Bitmap,
                                         JoinMethod::RankBitmap,      JoinMethod::NestedLoop};

constexpr std::string_view JoinMethodName(JoinMethod method) {
  switch (method) {
    case JoinMethod::Direct:
      return "direct";
    case JoinMethod::Hash:
      return "hash";
    case JoinMethod::PartitionedHash:
      return "partitioned_hash";
    case JoinMethod::Bitmap:
      return "bitmap";
    case JoinMethod::RankBitmap:
      return "rank_bitmap";
    case JoinMethod::NestedLoop:
      return "nested_loop";
  }
  return {};
}

}  // namespace margay::optimize
