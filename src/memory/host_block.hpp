#pragma once

#include <cstddef>

namespace margay::memory {

//! A piece of host memory that its allocator may take back, with its content, whenever it is not
//! pinned: at any moment and from any thread. It never takes back a pinned block.
//!
//! Thread-safe.
class HostBlock {
 public:
  virtual ~HostBlock() = default;

  //! The address of the content, aligned to 4096 bytes, which stays where it is until as many
  //! Unpin() calls follow; the same address at every pin. nullptr where the content has been
  //! dropped: it is then gone for ever. A dropped block answers nullptr also when memory is short:
  //! it never throws.
  virtual std::byte* TryPin() = 0;

  //! Ends one TryPin() that returned an address.
  virtual void Unpin() = 0;

  //! Bytes, as asked for.
  virtual size_t Size() const = 0;
};

}  // namespace margay::memory
