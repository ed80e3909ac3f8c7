#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "memory/extent.hpp"
#include "memory/out_of_memory.hpp"

namespace margay::memory {

//! The books of one pool, shared by the pool, its extents and its reservations: what is charged,
//! which extents may be evicted and in which order. One mutex guards all of it, and the state of
//! the extents. Contents are freed after the mutex is released.
//!
//! An extent is in exactly one of these states:
//!
//!   pinned     pins > 0                 charged, not in the list
//!   evictable  pins = 0, not lost       charged, in the list
//!   lost       lost                     neither; holds no memory, and has no pins unless its
//!                                       content was moved away
//!
//! Thread-safe.
class ExtentLedger {
 public:
  ExtentLedger(std::shared_ptr<device::Device> device, uint64_t limit);

  //! Makes room and charges `bytes`. Throws LimitReached, with nothing charged; extents may have
  //! been evicted.
  void Charge(uint64_t bytes);
  void Discharge(uint64_t bytes);

  void SetLimit(uint64_t bytes);
  uint64_t Limit() const;
  uint64_t Used() const;
  //! What is charged and can't be evicted.
  uint64_t Pinned() const;

  void EvictAll();
  //! False where nothing is evictable.
  bool EvictOne();

  //! For errors that the limit did not foresee.
  OutOfMemory NoRoomFor(uint64_t bytes) const;

  //! For Extent and ExtentPin.

  bool TryPin(Extent& extent);
  void Unpin(Extent& extent);
  bool IsLost(const Extent& extent) const;
  //! Gives the lost `to` the content of `from`, which has as many bytes and one pin, and pins it.
  //! False where `to` is not lost.
  bool MoveContent(Extent& from, Extent& to);
  void Remove(Extent& extent);

 private:
  //! What an extent held, to be freed without the mutex. The buffer goes first: it may wrap the
  //! block.
  struct Content {
    std::shared_ptr<HostBlock> block;
    device::Buffer buffer;
  };

  //! With the mutex held: turns the evictable `extent` into a lost one.
  Content Lose(Extent& extent);
  //! With the mutex held: evicts until `bytes` more fit under the limit, or nothing is evictable.
  std::vector<Content> EvictFor(uint64_t bytes);
  //! With the mutex held.
  bool Fits(uint64_t bytes) const { return bytes <= limit_ && used_ <= limit_ - bytes; }

  const std::shared_ptr<device::Device> device_;
  mutable std::mutex mutex_;
  uint64_t limit_;
  uint64_t used_ = 0;
  uint64_t evictable_bytes_ = 0;
  //! The least recently used one first.
  std::list<Extent*> evictable_;
};

}  // namespace margay::memory
