#pragma once

#include <stdexcept>

namespace margay::compile {

//! Thrown inside the generator where a plan holds something it has no code for; the message is the
//! reason that EXPLAIN shows. GenerateKernel() turns it into a value.
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

//! Thrown where an expression has no code in the vector dialect; it has in the row dialect.
class NotVectorizable : public std::runtime_error {
 public:
  NotVectorizable() : std::runtime_error("no vector code") {}
};

}  // namespace margay::compile
