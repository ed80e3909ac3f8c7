#pragma once

#include <atomic>
#include <functional>

#include "execute/part.hpp"

namespace margay::integration {

//! How the one who waits for a read can follow and end it. `is_interrupted` is called from several
//! threads at least every few milliseconds of work; once it says true, execute::Interrupted comes
//! out.
struct ReadControl {
  std::function<bool()> is_interrupted = [] { return false; };
  //! Share of the work done, 0 to 1; may be null.
  std::atomic<double>* progress = nullptr;

  void ThrowIfInterrupted() const {
    if (is_interrupted()) {
      throw execute::Interrupted();
    }
  }
};

}  // namespace margay::integration
