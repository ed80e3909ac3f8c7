// A process that ends while its threads compile and launch.
#include <chrono>
#include <cstdlib>
#include <thread>

#include "device/device_error.hpp"
#include "device/exit_watch.hpp"
#include "device_fixture.hpp"

namespace margay::device {
namespace {

constexpr const char* kDeviceVariable = "MARGAY_TEST_DEVICE";
constexpr const char* kDelayVariable = "MARGAY_TEST_MILLISECONDS";

class ProcessExitTest : public OnEveryDevice {};
MARGAY_ON_EVERY_DEVICE(ProcessExitTest);

//! Compiles and launches until OpenCL refuses to.
void Work(Device& device, int thread) {
  try {
    for (int number = 0;; number++) {
      const std::string source =
          "// " + std::to_string(thread) + " " + std::to_string(number) + "\n" + kScaleSource;
      const auto program = device.Programs().Get(source);
      Scale(device, std::vector<int32_t>(100000, 7), number);
    }
  } catch (const DeviceError&) {
    // The process ends.
  }
}

TEST(ProcessExit, DISABLED_EndsWhileThreadsWork) {
  WatchMainThread();
  ProgramCache::SetDirectory("");
  const auto device = DeviceRegistry::Instance().Open(std::stoul(std::getenv(kDeviceVariable)));
  for (int thread = 0; thread < 3; thread++)
    std::thread([device, thread] { Work(*device, thread); }).detach();
  std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(std::getenv(kDelayVariable))));
  std::exit(0);
}

TEST_P(ProcessExitTest, EndsWellWhileThreadsWork) {
  if (IsOclgrind())
    GTEST_SKIP() << "Oclgrind crashes when several threads call it";
  for (const int delay : {0, 20, 60, 150, 300}) {
    const int process = SpawnTest("ProcessExit.DISABLED_EndsWhileThreadsWork",
                                  {std::string(kDeviceVariable) + "=" + std::to_string(GetParam()),
                                   std::string(kDelayVariable) + "=" + std::to_string(delay)});
    EXPECT_TRUE(WaitForSuccess(process)) << "after " << delay << " ms";
  }
}

}  // namespace
}  // namespace margay::device
