#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace margay::tool {

//! Margay's first runs of a query in processes that have not seen it.
struct ColdTimes {
  //! Nothing is prepared: encoding, compiling, running.
  double nothing_milliseconds = 0;
  //! Another process has compiled the kernels before: they come from the cache on disk.
  double kernels_milliseconds = 0;
};

//! Measures first runs: this program again, twice for each query, with a cache of kernels that is
//! empty at first.
class ColdRuns {
 public:
  //! `arguments` are those of `margay bench` that say what is measured where; `scratch` is a folder
  //! of its own, which is emptied.
  ColdRuns(std::vector<std::string> arguments, std::filesystem::path scratch);
  ~ColdRuns();
  ColdRuns(const ColdRuns&) = delete;
  ColdRuns& operator=(const ColdRuns&) = delete;

  //! Throws CommandError.
  ColdTimes Run(const std::string& query) const;

 private:
  double FirstMilliseconds(const std::string& query) const;

  std::vector<std::string> arguments_;
  std::filesystem::path scratch_;
};

}  // namespace margay::tool
