#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "memory/extent_pool.hpp"
#include "storage/dictionary.hpp"

namespace margay::storage {

//! The strings of a dictionary as kernels read them:
//!   ends   uint per code            where its string ends, from the first one's begin
//!   bytes  from BytesBegin() on     one string behind the other, and kExtentSlackBytes more
size_t BytesBegin(const Dictionary& dictionary);
std::vector<uint8_t> PackStrings(const Dictionary& dictionary);

//! Strings that were packed for kernels, near their device. Made when they are first needed, and
//! again after they were lost. Thread-safe: two who miss them may both make them, and the later
//! ones stay.
class DictionaryStrings {
 public:
  //! Those of `dictionary`. Throws memory::OutOfMemory.
  memory::ExtentPin Pin(const Dictionary& dictionary, memory::ExtentPool& pool);

 private:
  std::mutex mutex_;
  std::shared_ptr<memory::Extent> extent_;
};

}  // namespace margay::storage
