#pragma once

#include <string>

namespace margay::plan {

//! Why a plan, or a part of one, can't run on a device: a sentence for EXPLAIN.
struct Refusal {
  std::string reason;
};

}  // namespace margay::plan
