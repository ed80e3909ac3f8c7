#include "schedule/attempts.hpp"

#include <algorithm>

namespace margay::schedule {

namespace {

//! How often columns are encoded that are dropped again before the kernel has them.
constexpr int kMostLostImages = 3;

//! Where memory lacks, joins and groups are computed in partitions: first in this many, then in
//! this many times as many, up to the most.
constexpr uint64_t kFewestPartitions = 4;
constexpr uint64_t kMorePartitions = 4;
constexpr uint64_t kMostPartitions = 64;

}  // namespace

bool Attempts::RaisePartitions(bool was_partitioned) {
  if (partitions_ >= kMostPartitions || (partitions_ > 1 && !was_partitioned))
    return false;
  partitions_ = std::clamp(partitions_ * kMorePartitions, kFewestPartitions, kMostPartitions);
  lost_images_ = 0;
  return true;
}

bool Attempts::TryAgainAfter(Failure failure, bool was_partitioned) {
  if (!is_forced_ || failure == Failure::Other)
    return false;
  const bool was_alone = kind_ == Admission::Kind::Alone;
  kind_ = Admission::Kind::Alone;
  if (failure == Failure::ImageLost ? ++lost_images_ < kMostLostImages : !was_alone)
    return true;
  return RaisePartitions(was_partitioned);
}

}  // namespace margay::schedule
