#include "progress_line.hpp"

#include <unistd.h>

#include <algorithm>

namespace margay::tool {
namespace {

//! Enough for each query of a benchmark of TPC-H's size to have a line.
constexpr size_t kMostLines = 25;

}  // namespace

ProgressLine::ProgressLine(std::ostream& output)
    : output_(output), is_terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressLine::Show(const std::string& what, size_t number, size_t count) {
  std::string line = what + ", " + std::to_string(number) + " of " + std::to_string(count);
  if (is_terminal_) {
    width_ = std::max(width_, line.size());
    line.resize(width_, ' ');
    output_ << '\r' << line << std::flush;
    return;
  }
  const size_t step = (count + kMostLines - 1) / kMostLines;
  if ((number - 1) % step == 0) {
    output_ << line << std::endl;
  }
}

void ProgressLine::Clear() {
  if (is_terminal_) {
    output_ << '\r' << std::string(width_, ' ') << '\r' << std::flush;
  }
}

}  // namespace margay::tool
