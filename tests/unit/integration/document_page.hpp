#pragma once

#include <fstream>
#include <sstream>
#include <string>

namespace margay::integration {

//! The text of a document of the repository, in whose root tests run.
inline std::string ReadPage(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace margay::integration
