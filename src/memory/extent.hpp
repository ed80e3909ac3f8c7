#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <optional>

#include "device/buffer.hpp"
#include "memory/extent_pin.hpp"
#include "memory/host_block.hpp"

namespace margay::memory {

class ExtentLedger;

//! An immutable array of bytes near one device. Its content may be dropped whenever it is not
//! pinned: by its pool to make room, and on a zero-copy device also by the owner of the host
//! memory. The extent is then an empty shell, unless ExtentPool::Restore() brings the same content
//! back.
//!
//! Thread-safe. Made by ExtentPool::Create(), which it may outlive.
class Extent : public std::enable_shared_from_this<Extent> {
 public:
  //! For ExtentPool: starts with one pin and takes over a charge of `bytes`. On a zero-copy device
  //! the content lies in `block`, pinned at `host_address`, and `buffer` wraps it; elsewhere it
  //! lies in `buffer`.
  Extent(std::shared_ptr<ExtentLedger> ledger, size_t bytes, device::Buffer buffer,
         std::shared_ptr<HostBlock> block = nullptr, const std::byte* host_address = nullptr);
  ~Extent();
  Extent(const Extent&) = delete;
  Extent& operator=(const Extent&) = delete;

  size_t Bytes() const { return bytes_; }

  //! Keeps the content in place as long as the pin lives, and makes the extent the most recently
  //! used one. nullopt: lost. Throws device::DeviceError where the device fails.
  std::optional<ExtentPin> TryPin();

  //! Whether the content is gone. An unpinned extent may be lost a moment later.
  bool IsLost() const;

 private:
  friend class ExtentLedger;
  friend class ExtentPin;

  const std::shared_ptr<ExtentLedger> ledger_;
  const size_t bytes_;

  //! All below is guarded by the ledger's mutex.

  size_t pins_ = 1;
  bool is_lost_ = false;
  //! The content on a zero-copy device; pinned exactly while pins_ > 0.
  std::shared_ptr<HostBlock> block_;
  const std::byte* host_address_;
  //! The content on other devices. On a zero-copy device a wrapper that exists while pins_ > 0,
  //! since the memory must outlive it.
  device::Buffer buffer_;
  //! Place among the evictable extents; only while pins_ == 0 and the extent is not lost.
  std::list<Extent*>::iterator position_;
};

}  // namespace margay::memory
