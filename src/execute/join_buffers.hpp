#pragma once

#include <vector>

#include "compile/join_table.hpp"
#include "device/device.hpp"
#include "device/kernel.hpp"
#include "memory/extent_pool.hpp"
#include "memory/scratch_reservation.hpp"

namespace margay::execute {

//! The join tables of one run, by their numbers: see compile::JoinTable.
class JoinBuffers {
 public:
  //! Makes an empty table, or empties one, with room for `entries` entries. Throws
  //! memory::OutOfMemory and device::DeviceError.
  void Create(const compile::JoinTable& table, uint64_t entries, device::Device& device,
              memory::ExtentPool& pool);

  //! Sets the arguments of `table` from `argument` on; returns the argument behind them.
  uint32_t Bind(const compile::JoinTable& table, device::Kernel& kernel, uint32_t argument) const;
  //! The same for the kernel that fills it.
  void BindFilled(const compile::JoinTable& table, device::Kernel& kernel, uint32_t argument) const;

 private:
  struct Buffers {
    memory::ScratchReservation reservation;
    uint32_t capacity = 0;  //!< in entries
    device::Buffer heads;
    device::Buffer entries;  //!< how many there are; of numbered tables
    device::Buffer nexts;
    std::vector<device::Buffer> links;
  };

  std::vector<Buffers> tables_;
};

}  // namespace margay::execute
