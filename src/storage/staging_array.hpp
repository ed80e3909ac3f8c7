#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "memory/host_allocator.hpp"
#include "memory/host_pin.hpp"

namespace margay::storage {

//! An array in one pinned block of a HostAllocator. Not thread-safe.
template <typename T>
class StagingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  //! `total` counts the bytes and outlives the array.
  StagingArray(std::shared_ptr<memory::HostAllocator> allocator, std::atomic<size_t>& total)
      : allocator_(std::move(allocator)), total_(total) {}
  ~StagingArray() { total_ -= capacity_ * sizeof(T); }
  StagingArray(const StagingArray&) = delete;
  StagingArray& operator=(const StagingArray&) = delete;

  size_t Size() const { return size_; }
  T& operator[](size_t position) { return items_[position]; }
  const T& operator[](size_t position) const { return items_[position]; }

  //! Throws memory::OutOfMemory.
  void Append(const T& item) {
    if (size_ == capacity_) {
      Reallocate(capacity_ == 0 ? kFirstCapacity : 2 * capacity_, size_);
    }
    items_[size_++] = item;
  }

  //! `size` items of zero bytes, whatever was there before. Throws memory::OutOfMemory.
  void Reset(size_t size) {
    Reallocate(size, 0);
    size_ = size;
    std::memset(static_cast<void*>(items_), 0, size * sizeof(T));
  }

  void Swap(StagingArray& other) {
    std::swap(pin_, other.pin_);
    std::swap(items_, other.items_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  static constexpr size_t kFirstCapacity = 256;

  void Reallocate(size_t capacity, size_t kept) {
    memory::HostPin pin = memory::HostPin::Allocate(*allocator_, capacity * sizeof(T));
    if (kept > 0) {
      std::memcpy(pin.Address(), pin_.Address(), kept * sizeof(T));
    }
    total_ += capacity * sizeof(T);
    total_ -= capacity_ * sizeof(T);
    pin_ = std::move(pin);
    items_ = reinterpret_cast<T*>(pin_.Address());
    capacity_ = capacity;
  }

  const std::shared_ptr<memory::HostAllocator> allocator_;
  std::atomic<size_t>& total_;
  memory::HostPin pin_;
  T* items_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace margay::storage
