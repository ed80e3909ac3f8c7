#include "memory/scratch_reservation.hpp"

#include <utility>

#include "memory/extent_ledger.hpp"

namespace margay::memory {

ScratchReservation::ScratchReservation(std::shared_ptr<ExtentLedger> ledger, uint64_t bytes)
    : ledger_(std::move(ledger)), bytes_(bytes) {}

ScratchReservation::~ScratchReservation() {
  if (ledger_ != nullptr) {
    ledger_->Discharge(bytes_);
  }
}

ScratchReservation::ScratchReservation(ScratchReservation&& other) noexcept
    : ledger_(std::move(other.ledger_)), bytes_(std::exchange(other.bytes_, 0)) {}

ScratchReservation& ScratchReservation::operator=(ScratchReservation&& other) noexcept {
  if (this != &other) {
    ScratchReservation old(std::move(*this));
    ledger_ = std::move(other.ledger_);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

void ScratchReservation::Detach() {
  ledger_.reset();
  bytes_ = 0;
}

}  // namespace margay::memory
