#pragma once

#include <cstddef>
#include <ostream>
#include <string>

namespace margay::tool {

//! Says how far long work has come: on a terminal in one line that is written over, elsewhere in
//! lines, about twenty of them for any number of steps.
class ProgressLine {
 public:
  //! `output` is what standard error goes to.
  explicit ProgressLine(std::ostream& output);

  //! Step `number` of `count`, counted from 1, begins.
  void Show(const std::string& what, size_t number, size_t count);

  //! Removes the line from the terminal.
  void Clear();

 private:
  std::ostream& output_;
  bool is_terminal_;
  //! Places that the longest line so far took.
  size_t width_ = 0;
};

}  // namespace margay::tool
