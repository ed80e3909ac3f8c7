#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "device/device.hpp"
#include "device/kernel.hpp"
#include "execute/argument_binder.hpp"
#include "memory/extent_pin.hpp"
#include "memory/extent_pool.hpp"
#include "memory/scratch_reservation.hpp"
#include "optimize/physical/join_table.hpp"
#include "optimize/physical/local_numbers.hpp"

namespace margay::execute {

//! The least and the greatest of some keys; of none, the least is larger.
struct KeyRange {
  int64_t least = INT64_MAX;
  int64_t greatest = INT64_MIN;
};

//! The join tables of one execution, by the numbers of their sinks: see optimize::JoinTable.
class JoinBuffers {
 public:
  //! Makes an empty table, or empties one, with room for `entries` entries, for the commands of
  //! `queue` that follow. Throws memory::OutOfMemory and device::DeviceError.
  void Create(size_t sink, const optimize::JoinTable& table, uint64_t entries, device::Queue& queue,
              memory::ExtentPool& pool);

  //! Bytes of the table of a build side that is nothing but a scan.
  static uint64_t SharedBytes(const optimize::JoinTable& table);
  //! Makes such a table, empty: in extents, which outlive the run, or with `is_scratch` for the run
  //! alone. Throws the same.
  void CreateShared(size_t sink, const optimize::JoinTable& table, bool is_scratch,
                    device::Queue& queue, memory::ExtentPool& pool);
  //! Takes a table whose extents were filled before.
  void TakeShared(size_t sink, const optimize::JoinTable& table,
                  std::vector<memory::ExtentPin> extents);
  //! Makes the heads and nexts of a partitioned table whose `entries` entries, or numbers up to
  //! these, have their slots. Work-groups have `lanes` work-items; `between_launches` may throw.
  //! Returns the milliseconds of the kernels. Throws memory::OutOfMemory and device::DeviceError.
  double FillPartitions(size_t sink, uint64_t entries, uint32_t lanes, memory::ExtentPool& pool,
                        const std::function<void()>& between_launches) const;
  //! Makes the counts of such a table once its bits are there. Throws device::DeviceError.
  void CountBits(size_t sink, const optimize::JoinTable& table, device::Queue& queue) const;
  //! The extents of such a table: heads or bits, then counts or nexts where it has them.
  std::vector<std::shared_ptr<memory::Extent>> Extents(size_t sink) const;

  //! Sets the arguments of the table of `sink`, which is join table `number` of a kernel whose
  //! tables have these numbers.
  void Bind(size_t sink, const optimize::JoinTable& table, size_t number,
            const optimize::LocalNumbers& numbers, ArgumentBinder& binder) const;
  //! The same for the kernel that fills it.
  void BindFilled(size_t sink, const optimize::JoinTable& table, size_t number,
                  const optimize::LocalNumbers& numbers, ArgumentBinder& binder) const;
  //! Lets go of a table.
  void Release(size_t sink);

  //! The ranged keys of a table that the commands so far fill: see device::Queue::ReadLater.
  void ReadKeyRangeLater(size_t sink, device::Queue& queue, KeyRange& range) const;

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
  Buffers& Reset(size_t sink, const optimize::JoinTable& table);

  std::vector<Buffers> tables_;
};

}  // namespace margay::execute
