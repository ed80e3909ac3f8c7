#pragma once

#include <cstdint>
#include <string>

#include "plan/type.hpp"

namespace margay::storage {

//! A column to build.
struct ColumnSpecification {
  //! Its place in the TableImage.
  uint64_t id = 0;
  //! For messages.
  std::string name;
  plan::Type type;
};

}  // namespace margay::storage
