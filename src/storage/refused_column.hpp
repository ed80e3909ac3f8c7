#pragma once

#include <stdexcept>

namespace margay::storage {

//! A column that storage does not take. `what()` is a sentence for EXPLAIN: the column and the
//! reason.
class RefusedColumn : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace margay::storage
