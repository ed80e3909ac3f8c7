#include "text_file.hpp"

#include <fstream>

#include "command.hpp"

namespace margay::tool {

void WriteTextFile(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) {
    throw CommandError(ExitCode::Failed, path.string() + " can't be written.");
  }
}

}  // namespace margay::tool
