#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "device/device.hpp"
#include "device/pinned_memory.hpp"

namespace margay::memory {

//! A few page-locked pieces of one size, kept for reuse because locking pages takes longer than the
//! transfer they serve. Thread-safe.
class PinnedStaging {
 public:
  //! The right to use one piece; goes back at destruction. Move-only. May not outlive its
  //! PinnedStaging.
  class Lease {
   public:
    Lease(PinnedStaging& staging, device::PinnedMemory memory);
    ~Lease();
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&&) = delete;
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    std::byte* Data() const { return static_cast<std::byte*>(memory_.Data()); }

   private:
    PinnedStaging* staging_;
    device::PinnedMemory memory_;
  };

  //! `kept` pieces at most stay allocated while nobody uses them.
  PinnedStaging(std::shared_ptr<device::Device> device, size_t piece_bytes, size_t kept);

  //! Throws device::DeviceError.
  Lease Take();

  //! Frees the pieces nobody uses.
  void Trim();

 private:
  void Give(device::PinnedMemory memory);

  const std::shared_ptr<device::Device> device_;
  const size_t piece_bytes_;
  const size_t kept_;
  std::mutex mutex_;
  std::vector<device::PinnedMemory> idle_;
};

}  // namespace margay::memory
