#include "device/opencl_api.hpp"

#include <dlfcn.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace margay::device {

namespace {

//! The libraries opened so far.
struct LoadedLibraries {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<const OpenClApi>> apis;
};

//! Never destroyed: see OpenClApi::Load().
LoadedLibraries& Loaded() {
  static auto* const loaded = new LoadedLibraries();
  return *loaded;
}

}  // namespace

const OpenClApi* OpenClApi::Load(const std::string& library, std::string* problem) {
  const std::lock_guard lock(Loaded().mutex);
  std::unique_ptr<const OpenClApi>& known = Loaded().apis[library];
  if (known != nullptr) {
    return known.get();
  }
  // RTLD_LOCAL keeps the LLVM inside one runtime apart from the LLVM inside another.
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* message = dlerror();
    *problem = message != nullptr ? message : library + " could not be opened";
    return nullptr;
  }
  auto api = std::make_unique<OpenClApi>();
#define MARGAY_RESOLVE(function)                                                           \
  api->function.name = "cl" #function;                                                     \
  api->function.pointer =                                                                  \
      reinterpret_cast<decltype(api->function.pointer)>(dlsym(handle, "cl" #function));    \
  if (api->function.pointer == nullptr) {                                                  \
    *problem = library + " does not provide cl" #function " (OpenCL 1.2 or newer needed)"; \
    return nullptr;                                                                        \
  }
  MARGAY_OPENCL_FUNCTIONS(MARGAY_RESOLVE)
#undef MARGAY_RESOLVE
  known = std::move(api);
  return known.get();
}

}  // namespace margay::device
