#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "memory/host_allocator.hpp"

namespace margay::memory {

//! Keeps a block in place. Move-only, not thread-safe.
class HostPin {
 public:
  HostPin() = default;
  //! An empty pin where the block has been dropped.
  explicit HostPin(std::shared_ptr<HostBlock> block)
      : block_(std::move(block)), address_(block_->TryPin()) {}
  ~HostPin() { Release(); }
  HostPin(HostPin&& other) noexcept
      : block_(std::move(other.block_)), address_(std::exchange(other.address_, nullptr)) {}
  HostPin& operator=(HostPin&& other) noexcept {
    if (this != &other) {
      Release();
      block_ = std::move(other.block_);
      address_ = std::exchange(other.address_, nullptr);
    }
    return *this;
  }
  HostPin(const HostPin&) = delete;
  HostPin& operator=(const HostPin&) = delete;

  //! A new block, pinned. Throws OutOfMemory.
  static HostPin Allocate(HostAllocator& allocator, size_t bytes);

  std::byte* Address() const { return address_; }
  const std::shared_ptr<HostBlock>& Block() const { return block_; }

  //! Leaves the block pinned: someone else will unpin it.
  void Detach() { address_ = nullptr; }

 private:
  void Release() {
    if (address_ != nullptr) {
      block_->Unpin();
    }
  }

  std::shared_ptr<HostBlock> block_;
  std::byte* address_ = nullptr;
};

}  // namespace margay::memory
