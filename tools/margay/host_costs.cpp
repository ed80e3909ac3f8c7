#include "host_costs.hpp"

#include <algorithm>

namespace margay::tool {
namespace {

template <typename Number>
Number MedianOf(const std::vector<HostCosts>& runs, Number HostCosts::*cost) {
  std::vector<Number> values;
  values.reserve(runs.size());
  for (const HostCosts& run : runs) {
    values.push_back(run.*cost);
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

HostCosts HostCosts::Between(const std::map<std::string, uint64_t>& before,
                             const std::map<std::string, uint64_t>& after) {
  const auto grown = [&](const std::string& name) { return after.at(name) - before.at(name); };
  const auto milliseconds = [&](const char* stage) {
    return static_cast<double>(grown(std::string(stage) + "_nanoseconds")) / 1e6;
  };
  HostCosts costs;
  costs.lower = milliseconds("lower");
  costs.decide = milliseconds("decide");
  costs.bind = milliseconds("bind");
  costs.enqueue = milliseconds("enqueue");
  costs.wait = milliseconds("wait");
  costs.fetch = milliseconds("fetch");
  costs.launches = grown("launches");
  costs.synchronisations = grown("host_synchronisations");
  return costs;
}

HostCosts HostCosts::Median(const std::vector<HostCosts>& runs) {
  HostCosts costs;
  for (double HostCosts::*cost :
       {&HostCosts::plan, &HostCosts::lower, &HostCosts::decide, &HostCosts::bind,
        &HostCosts::enqueue, &HostCosts::wait, &HostCosts::fetch}) {
    costs.*cost = MedianOf(runs, cost);
  }
  costs.launches = MedianOf(runs, &HostCosts::launches);
  costs.synchronisations = MedianOf(runs, &HostCosts::synchronisations);
  return costs;
}

void HostCosts::Add(const HostCosts& other) {
  plan += other.plan;
  lower += other.lower;
  decide += other.decide;
  bind += other.bind;
  enqueue += other.enqueue;
  wait += other.wait;
  fetch += other.fetch;
  launches += other.launches;
  synchronisations += other.synchronisations;
}

}  // namespace margay::tool
