#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "device/opencl_api.hpp"

// Private to src/device. Intel's CPU runtime, as the PyPI package intel-opencl-rt installs it,
// comes without a usable .icd file. Its library exports the whole API, so it is opened by its path;
// the process's environment stays as it is.

namespace margay::device {

//! The folders where libintelocl.so may be, in order of preference: $MARGAY_INTEL_OPENCL,
//! `search_paths`, around this shared object, the active Python or conda environment, those whose
//! packages PYTHONPATH names, ../lib of the running program, and ~/.local/lib.
std::vector<std::filesystem::path> IntelRuntimeFolders(
    const std::vector<std::string>& search_paths);

//! Opens the first runtime found in `folders`. Null if there is none (`problem` stays empty) or
//! none can be opened (`problem` says why, and what to install).
const OpenClApi* LoadIntelRuntime(const std::vector<std::filesystem::path>& folders,
                                  std::string* problem);

}  // namespace margay::device
