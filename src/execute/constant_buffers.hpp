#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "device/device.hpp"

namespace margay::execute {

//! What kernels of a part read beside columns and tables, and what mostly is the same in all
//! executions: constants, results of functions of dictionaries, lists of segments. It is brought to
//! the device once, as each transfer takes longer than a small kernel does. Thread-safe.
class ConstantBuffers {
 public:
  //! Of `device`, which outlives the object.
  explicit ConstantBuffers(device::Device& device) : device_(device) {}

  //! A buffer with this content, at least a word of any content, for commands of any queue. Kernels
  //! don't write to it.
  std::shared_ptr<const device::Buffer> Get(std::span<const std::byte> content);

  //! What is kept takes on the device; on the host, where contents are told apart, it is less.
  size_t Bytes() const;

 private:
  struct Constant {
    size_t Bytes() const;

    std::string content;
    std::shared_ptr<const device::Buffer> buffer;
  };

  //! The buffer of `content`, or null. Needs the mutex.
  std::shared_ptr<const device::Buffer> Find(const std::string& content);

  device::Device& device_;
  mutable std::mutex mutex_;
  std::list<Constant> constants_;  //!< the one that was used last comes first
  size_t bytes_ = 0;
};

}  // namespace margay::execute
