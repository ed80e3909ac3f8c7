#include "report.hpp"

#include <iostream>

namespace margay::test {

void Report::Fail(const std::string& place, const std::string& setting, const std::string& sql,
                  const std::string& problem) {
  ++failed_;
  std::cout << "FAILED " << place << " [" << setting << "]\n"
            << sql << "\n"
            << problem << std::endl;
}

void Report::Skip(const std::string& place, const std::string& reason) {
  std::cout << "skipped the rest at " << place << ": " << reason << std::endl;
}

}  // namespace margay::test
