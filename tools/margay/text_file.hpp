#pragma once

#include <filesystem>
#include <string>

namespace margay::tool {

//! Makes `text` the content of a file. Throws CommandError.
void WriteTextFile(const std::filesystem::path& path, const std::string& text);

}  // namespace margay::tool
