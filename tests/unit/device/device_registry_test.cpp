#include "device/device_registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "device/device_error.hpp"
#include "device_fixture.hpp"

namespace margay::device {
namespace {

DeviceRegistry& Registry() {
  return DeviceRegistry::Instance();
}

std::optional<size_t> FindOnPlatform(std::string_view part) {
  for (const DeviceInfo& info : Registry().Devices()) {
    if (info.platform.find(part) != std::string::npos) {
      return info.index;
    }
  }
  return std::nullopt;
}

TEST(DeviceRegistryTest, ListsDevicesWithTheirFacts) {
  ASSERT_FALSE(Registry().Devices().empty()) << Registry().Problem();
  size_t index = 0;
  for (const DeviceInfo& info : Registry().Devices()) {
    EXPECT_EQ(info.index, index++) << "an index is the position in the list";
    EXPECT_FALSE(info.name.empty());
    EXPECT_FALSE(info.platform.empty());
    EXPECT_GT(info.compute_units, 0u);
    EXPECT_GE(info.global_memory, info.largest_buffer);
    EXPECT_EQ(info.IsUsable(), info.supports_double && info.supports_int64_atomics) << info.problem;
  }
}

TEST(DeviceRegistryTest, ListsNoDeviceTwice) {
  const auto intel_cpus =
      std::count_if(Registry().Devices().begin(), Registry().Devices().end(), [](const auto& info) {
        return info.kind == DeviceKind::Cpu && info.platform.starts_with("Intel");
      });
  EXPECT_LE(intel_cpus, 1) << "Intel's runtime is found by the loader or by path, not by both";
}

TEST(DeviceRegistryTest, HasNoProblemWhereADeviceIsUsable) {
  ASSERT_FALSE(UsableDevices().empty()) << "tests need PoCL or Intel's runtime";
  EXPECT_EQ(Registry().Problem(), "");
}

TEST(DeviceRegistryTest, AutoPrefersGpuThenIntelThenPocl) {
  std::string problem;
  const std::optional<size_t> chosen = Registry().Find("auto", &problem);
  ASSERT_TRUE(chosen) << problem;
  const std::optional<size_t> gpu = Registry().Find("gpu", nullptr);
  const std::optional<size_t> intel = FindOnPlatform("Intel");
  const std::optional<size_t> pocl = FindOnPlatform("Portable Computing Language");
  EXPECT_EQ(chosen, gpu ? gpu : intel ? intel : pocl);
  EXPECT_NE(chosen, FindOnPlatform("Oclgrind")) << "auto never chooses the kernel checker";
}

TEST(DeviceRegistryTest, FindsByIndexKindAndPartOfName) {
  const DeviceInfo& info = Registry().Devices()[UsableDevices().front()];
  EXPECT_EQ(Registry().Find(std::to_string(info.index), nullptr), info.index);
  EXPECT_TRUE(Registry().Find(info.name.substr(1), nullptr));
  std::string shouted = info.platform;
  std::transform(shouted.begin(), shouted.end(), shouted.begin(), ::toupper);
  const std::optional<size_t> by_platform = Registry().Find(shouted, nullptr);
  ASSERT_TRUE(by_platform);
  EXPECT_EQ(Registry().Devices()[*by_platform].platform, info.platform);
  if (const std::optional<size_t> cpu = Registry().Find("CPU", nullptr)) {
    EXPECT_EQ(Registry().Devices()[*cpu].kind, DeviceKind::Cpu);
  }
}

TEST(DeviceRegistryTest, NamesWhatExistsWhereNothingMatches) {
  for (const char* selector : {"no such device", "4711", ""}) {
    std::string problem;
    EXPECT_EQ(Registry().Find(selector, &problem), std::nullopt) << selector;
    for (const DeviceInfo& info : Registry().Devices()) {
      EXPECT_NE(problem.find(info.name), std::string::npos)
          << info.name << " is missing in: " << problem;
    }
  }
}

TEST(DeviceRegistryTest, SharesOpenDevices) {
  const size_t index = UsableDevices().front();
  const std::shared_ptr<Device> first = Registry().Open(index);
  EXPECT_EQ(first, Registry().Open(index));
  first->MarkLost();
  const std::shared_ptr<Device> second = Registry().Open(index);
  EXPECT_NE(first, second) << "a lost device is replaced";
  EXPECT_FALSE(second->IsLost());
  EXPECT_THROW(Registry().Open(4711), std::out_of_range);
}

TEST(DeviceRegistryTest, DISABLED_WithoutRuntimes) {
  EXPECT_TRUE(Registry().Devices().empty());
  const std::string problem = Registry().Problem();
  EXPECT_NE(problem.find("pocl-opencl-icd"), std::string::npos) << problem;
  EXPECT_NE(problem.find("intel-opencl-rt"), std::string::npos) << problem;
  std::string find_problem;
  EXPECT_EQ(Registry().Find("auto", &find_problem), std::nullopt);
  EXPECT_EQ(find_problem, problem);
}

TEST(DeviceRegistryTest, SaysWhatToInstallWhereThereIsNoRuntime) {
  if (Registry().Find("gpu", nullptr)) {
    GTEST_SKIP() << "loaders find a GPU's driver without its .icd file";
  }
  // A copy elsewhere does not find Intel's runtime beside itself; the loader finds no drivers.
  const TemporaryFolder folder;
  const std::filesystem::path copy = folder.Path() / "device_tests";
  std::filesystem::copy_file("/proc/self/exe", copy);
  const std::string nowhere = (folder.Path() / "nowhere").string();
  std::filesystem::create_directory(nowhere);
  EXPECT_TRUE(WaitForSuccess(SpawnTest(
      "DeviceRegistryTest.DISABLED_WithoutRuntimes",
      {"OCL_ICD_VENDORS=" + nowhere, "OPENCL_VENDOR_PATH=" + nowhere, "HOME=" + nowhere,
       "VIRTUAL_ENV=" + nowhere, "CONDA_PREFIX=" + nowhere, "MARGAY_INTEL_OPENCL=" + nowhere},
      copy)));
}

TEST(DeviceRegistryTest, AllDevicesComputeInOneProcess) {
  std::vector<std::shared_ptr<Device>> devices;
  for (const size_t index : UsableDevices()) {
    devices.push_back(Registry().Open(index));
  }
  for (int round = 0; round < 2; ++round) {
    for (const std::shared_ptr<Device>& device : devices) {
      EXPECT_EQ(Scale(*device, {1, 2, 3}, 7), (std::vector<int32_t>{7, 14, 21}))
          << device->Info().platform;
    }
  }
}

}  // namespace
}  // namespace margay::device
