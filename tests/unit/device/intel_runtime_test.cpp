#include "device/intel_runtime.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace margay::device {
namespace {

namespace fs = std::filesystem;

TEST(IntelRuntime, TellsWhatItLacksWhereItDoesNotLoad) {
  const fs::path folder = fs::path(testing::TempDir()) / "margay_intel_runtime_test";
  fs::create_directories(folder);
  std::ofstream(folder / "libintelocl.so") << "no library";
  std::string problem;
  EXPECT_EQ(LoadIntelRuntime({folder / "missing", folder}, &problem), nullptr);
  EXPECT_NE(problem.find("was found, but does not load"), std::string::npos) << problem;
  EXPECT_NE(problem.find("intel-cmplr-lib-rt"), std::string::npos) << problem;
  problem.clear();
  EXPECT_EQ(LoadIntelRuntime({folder / "missing"}, &problem), nullptr);
  EXPECT_EQ(problem, "") << "there is none";
  fs::remove_all(folder);
}

TEST(IntelRuntime, LooksIntoTheEnvironmentsOfPythonPath) {
  const char* before = getenv("PYTHONPATH");
  const std::string restored = before != nullptr ? before : "";
  setenv("PYTHONPATH", "/one/lib/python3.11/site-packages::/two/lib/python3.12/site-packages", 1);
  const std::vector<fs::path> folders = IntelRuntimeFolders({});
  before != nullptr ? setenv("PYTHONPATH", restored.c_str(), 1) : unsetenv("PYTHONPATH");
  for (const char* folder : {"/one/lib", "/two/lib"}) {
    EXPECT_TRUE(std::any_of(folders.begin(), folders.end(), [&](const fs::path& candidate) {
      return candidate.lexically_normal() == fs::path(folder) / "";
    })) << folder;
  }
}

}  // namespace
}  // namespace margay::device
