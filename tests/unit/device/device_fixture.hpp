#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/device_registry.hpp"
#include "device/fault_injection.hpp"

namespace margay::device {

//! A folder of its own under the system's temporary one, removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& Path() const { return path_; }

 private:
  std::filesystem::path path_;
};

//! The indexes of all usable devices.
std::vector<size_t> UsableDevices();

//! A test's name for the device at an index: its platform, in letters and digits.
std::string DeviceTestName(const ::testing::TestParamInfo<size_t>& info);

//! Starts this test program again, for the one (disabled) test `test`, with `environment` added,
//! and returns its process. `program` may be a copy of this program.
int SpawnTest(const std::string& test, const std::vector<std::string>& environment,
              const std::string& program = "/proc/self/exe");
//! Waits for a process; true if it ended well.
bool WaitForSuccess(int process);

//! A kernel `scale` that multiplies ints: (input, output, factor, count).
extern const char* const kScaleSource;

//! Runs kScaleSource over `values` and returns the result.
std::vector<int32_t> Scale(Device& device, const std::vector<int32_t>& values, int32_t factor);

//! A test that runs once for every usable device. Stored programs go to a temporary folder.
class OnEveryDevice : public ::testing::TestWithParam<size_t> {
 protected:
  void SetUp() override;
  void TearDown() override;

  //! The device under test, opened anew if a test before has lost it.
  std::shared_ptr<Device> OpenDevice() { return DeviceRegistry::Instance().Open(GetParam()); }

  //! Oclgrind interprets kernels, slowly, and crashes when several threads call it.
  bool IsOclgrind() {
    return DeviceRegistry::Instance().Devices()[GetParam()].platform == "Oclgrind";
  }
};

#define MARGAY_ON_EVERY_DEVICE(suite)                   \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(suite); \
  INSTANTIATE_TEST_SUITE_P(Devices, suite, ::testing::ValuesIn(UsableDevices()), DeviceTestName)

}  // namespace margay::device
