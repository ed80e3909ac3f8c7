#pragma once

#include <cstdint>
#include <memory>

namespace margay::memory {

class ExtentLedger;

//! A charge against a pool's limit for memory that the holder allocates on the device itself, such
//! as hash tables. Move-only, not thread-safe. Release the device memory before the reservation.
class ScratchReservation {
 public:
  ScratchReservation() = default;
  //! For ExtentPool: takes over a charge that has already been made.
  ScratchReservation(std::shared_ptr<ExtentLedger> ledger, uint64_t bytes);
  ~ScratchReservation();
  ScratchReservation(ScratchReservation&& other) noexcept;
  ScratchReservation& operator=(ScratchReservation&& other) noexcept;
  ScratchReservation(const ScratchReservation&) = delete;
  ScratchReservation& operator=(const ScratchReservation&) = delete;

  uint64_t Bytes() const { return bytes_; }

  //! Gives up the charge without returning it: someone else has taken it over. For ExtentPool.
  void Detach();

 private:
  std::shared_ptr<ExtentLedger> ledger_;
  uint64_t bytes_ = 0;
};

}  // namespace margay::memory
