#include "device/intel_runtime.hpp"

#include <dlfcn.h>
#include <errno.h>

#include <cstdlib>
#include <sstream>
#include <string_view>
#include <system_error>

namespace margay::device {

namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libintelocl.so";

//! What libintelocl.so needs from its own folder, in the order of their own needs.
constexpr const char* kNeededLibraries[] = {"libintlc.so.5", "libirng.so", "libsvml.so",
                                            "libimf.so", "libtbb.so.12"};

//! How deep below the folder of dependencies/ a build puts its programs at most.
constexpr int kBuildDepth = 3;

//! An environment variable as a path; empty if it is unset.
fs::path EnvironmentPath(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? fs::path(value) : fs::path();
}

//! The folder of the shared object (or program) that this code is in.
fs::path OwnFolder() {
  static const char anchor = 0;
  Dl_info info;
  if (dladdr(&anchor, &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  std::error_code error;
  const fs::path own = fs::canonical(info.dli_fname, error);
  return error ? fs::path() : own.parent_path();
}

//! The folder of the running program, as it was called and with links followed: a virtual
//! environment's python is a link to the system's.
std::vector<fs::path> ProgramFolders() {
  std::vector<fs::path> folders;
  const std::string_view invocation = program_invocation_name;
  if (invocation.find('/') != std::string_view::npos) {
    folders.push_back(fs::path(invocation).parent_path());
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    folders.push_back(program.parent_path());
  }
  return folders;
}

//! The lib folders of the environments whose packages PYTHONPATH names: .../lib is two folders above
//! .../lib/python3.11/site-packages.
std::vector<fs::path> PythonPathFolders() {
  std::vector<fs::path> folders;
  std::istringstream entries(EnvironmentPath("PYTHONPATH").string());
  for (std::string entry; std::getline(entries, entry, ':');) {
    if (!entry.empty())
      folders.push_back(fs::path(entry) / ".." / "..");
  }
  return folders;
}

void PreloadNeededLibraries(const fs::path& folder) {
  for (const char* library : kNeededLibraries) {
    dlopen((folder / library).c_str(), RTLD_NOW | RTLD_LOCAL);
  }
}

}  // namespace

std::vector<fs::path> IntelRuntimeFolders(const std::vector<std::string>& search_paths) {
  std::vector<fs::path> folders;
  if (const fs::path chosen = EnvironmentPath("MARGAY_INTEL_OPENCL"); !chosen.empty()) {
    folders.push_back(chosen);
  }
  folders.insert(folders.end(), search_paths.begin(), search_paths.end());
  if (const fs::path own = OwnFolder(); !own.empty()) {
    folders.push_back(own);
    folders.push_back(own / "intel-opencl" / "lib");
    fs::path above = own.parent_path();
    for (int level = 0; level < kBuildDepth; ++level, above = above.parent_path()) {
      folders.push_back(above / "dependencies" / "intel-opencl" / "lib");
    }
  }
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const fs::path environment = EnvironmentPath(variable); !environment.empty()) {
      folders.push_back(environment / "lib");
    }
  }
  const std::vector<fs::path> python_path = PythonPathFolders();
  folders.insert(folders.end(), python_path.begin(), python_path.end());
  for (const fs::path& folder : ProgramFolders()) {
    folders.push_back(folder / ".." / "lib");
  }
  if (const fs::path home = EnvironmentPath("HOME"); !home.empty()) {
    folders.push_back(home / ".local" / "lib");
  }
  return folders;
}

const OpenClApi* LoadIntelRuntime(const std::vector<fs::path>& folders, std::string* problem) {
  for (const fs::path& folder : folders) {
    std::error_code error;
    const fs::path library = fs::canonical(folder / kLibrary, error);
    if (error) {
      continue;
    }
    if (const OpenClApi* api = OpenClApi::Load(library, problem)) {
      problem->clear();
      return api;
    }
    PreloadNeededLibraries(folder);
    if (const OpenClApi* api = OpenClApi::Load(library, problem)) {
      problem->clear();
      return api;
    }
    *problem = "Intel's runtime was found, but does not load: " + *problem +
               "; intel-opencl-rt needs intel-cmplr-lib-rt (PyPI) beside it";
  }
  return nullptr;
}

}  // namespace margay::device
