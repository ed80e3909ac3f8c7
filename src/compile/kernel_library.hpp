#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "compile/kernel_digest.hpp"
#include "compile/kernel_source.hpp"

namespace margay::compile {

//! The kernels that have been written, by what was decided about their pipelines: one serves all
//! parts, partitions and statements that do the same, with any constants. Thread-safe.
class KernelLibrary {
 public:
  //! The kernel of a pipeline with this digest; null where none has been written.
  std::shared_ptr<const KernelSource> Find(const KernelDigest& digest);
  //! The same; writes it where there is none.
  std::shared_ptr<const KernelSource> Get(const KernelDigest& digest,
                                          const optimize::LoweredPipeline& pipeline);

  //! How many kernels have been written.
  uint64_t Written() const { return written_; }
  //! Forgets all kernels; those in use stay.
  void Clear();

  //! Whether each kernel that is found is written once more, to see that it is the same: for tests.
  static void SetChecked(bool is_checked);

 private:
  struct Entry {
    std::shared_ptr<const KernelSource> kernel;
    std::list<KernelDigest>::iterator place;  //!< in order_
  };

  //! Needs the mutex.
  std::shared_ptr<const KernelSource> Touch(const KernelDigest& digest);

  std::mutex mutex_;
  std::unordered_map<KernelDigest, Entry> kernels_;
  std::list<KernelDigest> order_;  //!< the one that was used last comes first
  std::atomic<uint64_t> written_{0};
};

}  // namespace margay::compile
