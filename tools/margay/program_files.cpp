#include "program_files.hpp"

#include <initializer_list>

namespace margay::tool {

std::filesystem::path ThisProgram() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

namespace {

//! The first of these paths, relative to the program's own folder, that exists.
std::filesystem::path FindBesideProgram(std::initializer_list<const char*> candidates) {
  const std::filesystem::path program = ThisProgram();
  std::error_code error;
  for (const char* candidate : candidates) {
    std::filesystem::path path = (program.parent_path() / candidate).lexically_normal();
    if (std::filesystem::exists(path, error)) {
      return path;
    }
  }
  return {};
}

}  // namespace

std::filesystem::path FindTpchGenerator() {
  return FindBesideProgram({"tpchgen-cli", "../dependencies/bin/tpchgen-cli"});
}

std::filesystem::path FindTpchQueries() {
  return FindBesideProgram(
      {"share/tpch/queries", "../dependencies/duckdb-source/extension/tpch/dbgen/queries"});
}

std::filesystem::path FindSsbQueries() {
  return FindBesideProgram({"share/ssb/queries"});
}

std::filesystem::path FindPeers() {
  return FindBesideProgram({"../../bench/peers"});
}

std::filesystem::path FindExtension() {
  return FindBesideProgram({"margay.duckdb_extension"});
}

}  // namespace margay::tool
