#pragma once

#include <stdexcept>

namespace margay::optimize {

//! Thrown where a plan holds something that no kernel computes; the message is the reason that
//! EXPLAIN shows.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

//! Thrown where the plan as a whole is fine but has more columns than a kernel takes arguments:
//! half of it may do.
class TooManyArguments : public Unsupported {
 public:
  using Unsupported::Unsupported;
};

}  // namespace margay::optimize
