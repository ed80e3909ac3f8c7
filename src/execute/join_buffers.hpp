#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "compile/join_table.hpp"
#include "device/device.hpp"
#include "device/kernel.hpp"
#include "memory/extent_pin.hpp"
#include "memory/extent_pool.hpp"
#include "memory/scratch_reservation.hpp"

namespace margay::execute {

//! The least and the greatest of some keys; of none, the least is larger.
struct KeyRange {
  int64_t least = INT64_MAX;
  int64_t greatest = INT64_MIN;
};

//! The join tables of one run, by their numbers: see compile::JoinTable.
class JoinBuffers {
 public:
  //! Makes an empty table, or empties one, with room for `entries` entries, for the commands of
  //! `queue` that follow. Throws memory::OutOfMemory and device::DeviceError.
  void Create(const compile::JoinTable& table, uint64_t entries, device::Queue& queue,
              memory::ExtentPool& pool);

  //! Bytes of the table of a build side that is nothing but a scan.
  static uint64_t SharedBytes(const compile::JoinTable& table);
  //! Makes such a table, empty: in extents, which outlive the run, or with `is_scratch` for the run
  //! alone. Throws the same.
  void CreateShared(const compile::JoinTable& table, bool is_scratch, device::Queue& queue,
                    memory::ExtentPool& pool);
  //! Takes a table whose extents were filled before.
  void TakeShared(const compile::JoinTable& table, std::vector<memory::ExtentPin> extents);
  //! Makes the heads and nexts of a partitioned table whose `entries` entries, or numbers up to
  //! these, have their slots. Work-groups have `lanes` work-items; `between_launches` may throw.
  //! Returns the milliseconds of the kernels. Throws memory::OutOfMemory and device::DeviceError.
  double FillPartitions(const compile::JoinTable& table, uint64_t entries, uint32_t lanes,
                        memory::ExtentPool& pool,
                        const std::function<void()>& between_launches) const;
  //! Makes the counts of such a table once its bits are there. Throws device::DeviceError.
  void CountBits(const compile::JoinTable& table, device::Queue& queue) const;
  //! The extents of such a table: heads or bits, then counts or nexts where it has them.
  std::vector<std::shared_ptr<memory::Extent>> Extents(const compile::JoinTable& table) const;

  //! Sets the arguments of `table` from `argument` on; returns the argument behind them.
  uint32_t Bind(const compile::JoinTable& table, device::Kernel& kernel, uint32_t argument) const;
  //! The same for the kernel that fills it.
  void BindFilled(const compile::JoinTable& table, device::Kernel& kernel, uint32_t argument) const;

  //! The ranged keys of a table that is filled. Throws device::DeviceError.
  KeyRange ReadKeyRange(const compile::JoinTable& table, device::Queue& queue) const;

 private:
  struct Buffers {
    memory::ScratchReservation reservation;  //!< for those that are made empty
    uint32_t capacity = 0;                   //!< in entries
    uint64_t slots = 1;
    device::Buffer heads;
    memory::ScratchExtent undefined_heads;  //!< in place of heads, where bits say which are good
    device::Buffer bits;
    device::Buffer key_range;  //!< a KeyRange, of tables with a ranged key
    device::Buffer entries;    //!< how many there are; of numbered tables
    memory::ScratchExtent nexts;
    std::vector<memory::ScratchExtent> links;
    //! In place of heads and nexts: those of a table that outlives the run, or has its form.
    std::vector<memory::ExtentPin> shared;
    std::vector<memory::ScratchExtent> shared_scratch;

    bool IsShared() const { return !shared.empty() || !shared_scratch.empty(); }
    const device::Buffer& Shared(size_t number) const {
      return shared.empty() ? shared_scratch[number].Buffer() : shared[number].Buffer();
    }
  };

  //! The buffers of a table, emptied.
  Buffers& Reset(const compile::JoinTable& table);

  std::vector<Buffers> tables_;
};

}  // namespace margay::execute
