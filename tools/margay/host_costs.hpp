#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace margay::tool {

//! What one run of a statement costs the host: times in milliseconds.
struct HostCosts {
  double plan = 0;  //!< DuckDB's: EXPLAIN with margay_mode = off
  double lower = 0;
  double decide = 0;
  double bind = 0;
  double enqueue = 0;
  double wait = 0;  //!< for the device
  double fetch = 0;
  uint64_t launches = 0;
  uint64_t synchronisations = 0;

  //! All but the planning, from what Margay's counters were before and after a run.
  static HostCosts Between(const std::map<std::string, uint64_t>& before,
                           const std::map<std::string, uint64_t>& after);
  //! The median of each; there must be one.
  static HostCosts Median(const std::vector<HostCosts>& runs);

  void Add(const HostCosts& other);
};

}  // namespace margay::tool
