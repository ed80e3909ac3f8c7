#pragma once

#include <map>
#include <memory>
#include <vector>

#include "execute/join_buffers.hpp"
#include "execute/kept_table.hpp"

namespace margay::execute {

//! What the kernels of one run leave for those that come behind them.
struct RunTables {
  JoinBuffers joins;
  std::map<size_t, KeyRange> key_ranges;  //!< of join tables with a ranged key, by number
  std::vector<std::shared_ptr<const KeptTable>> kept;  //!< by table; null for tables of images
};

}  // namespace margay::execute
