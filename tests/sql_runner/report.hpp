#pragma once

#include <cstddef>
#include <string>

namespace margay::test {

//! Counts checks, and prints those that fail.
class Report {
 public:
  void Pass() { ++passed_; }
  //! `place` is file:line, `setting` says what the query ran on, `problem` ends with a line break.
  void Fail(const std::string& place, const std::string& setting, const std::string& sql,
            const std::string& problem);
  void Skip(const std::string& place, const std::string& reason);

  size_t Passed() const { return passed_; }
  size_t Failed() const { return failed_; }

 private:
  size_t passed_ = 0;
  size_t failed_ = 0;
};

}  // namespace margay::test
