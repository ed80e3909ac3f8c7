#include "memory/extent.hpp"

#include <utility>

#include "memory/extent_ledger.hpp"

namespace margay::memory {

Extent::Extent(std::shared_ptr<ExtentLedger> ledger, size_t bytes, device::Buffer buffer,
               std::shared_ptr<HostBlock> block, const std::byte* host_address)
    : ledger_(std::move(ledger)),
      bytes_(bytes),
      block_(std::move(block)),
      host_address_(host_address),
      buffer_(std::move(buffer)) {}

Extent::~Extent() {
  ledger_->Remove(*this);
}

std::optional<ExtentPin> Extent::TryPin() {
  if (!ledger_->TryPin(*this)) {
    return std::nullopt;
  }
  return ExtentPin(shared_from_this());
}

bool Extent::IsLost() const {
  return ledger_->IsLost(*this);
}

}  // namespace margay::memory
