#pragma once

#include <cstdint>

#include "schedule/admission.hpp"
#include "schedule/settings.hpp"

namespace margay::schedule {

//! Why an attempt to run a part on a device ended, as far as another one may help.
enum class Failure : uint8_t {
  ImageLost,    //!< a column was dropped for lack of memory before the part could hold it
  OutOfMemory,  //!< there is no room for the part's tables
  Other,
};

//! How often, and how, a part is tried on a device whose memory is limited. In auto mode once:
//! DuckDB answers sooner than a second attempt would. In force mode first beside others, then alone
//! on the device, then in more and more partitions of the rows. One execution's; not thread-safe.
class Attempts {
 public:
  explicit Attempts(const Settings& settings)
      : is_forced_(settings.mode == Mode::Force), partitions_(settings.partitions) {}

  //! How the next attempt wants the device.
  Admission::Kind Kind() const { return kind_; }
  //! In how many partitions the next attempt computes joins and groups.
  uint64_t Partitions() const { return partitions_; }
  //! Whether to try again. `was_partitioned` says whether the attempt that failed could be computed
  //! in as many partitions as it should.
  bool TryAgainAfter(Failure failure, bool was_partitioned);

 private:
  //! Whether there are more partitions to try.
  bool RaisePartitions(bool was_partitioned);

  const bool is_forced_;
  uint64_t partitions_;
  Admission::Kind kind_ = Admission::Kind::Together;
  int lost_images_ = 0;  //!< in these partitions
};

}  // namespace margay::schedule
