#include "device/program_cache.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "device/device_error.hpp"
#include "device_fixture.hpp"

namespace margay::device {
namespace {

namespace fs = std::filesystem;

//! A source that no other call returns.
std::string FreshSource() {
  static int number = 0;
  return "// " + std::to_string(++number) + "\n" + kScaleSource;
}

void ExpectWorks(Device& device, const Program& program) {
  const Buffer buffer = device.CreateBuffer(sizeof(int32_t), Access::ReadWrite);
  Kernel kernel = program.CreateKernel("scale");
  kernel.Argument(0, buffer).Argument(1, buffer).Argument(2, 6).Argument(3, uint64_t{1});
  QueueLease queue = device.AcquireQueue();
  int32_t value = 7;
  queue->Write(buffer, 0, &value, sizeof(value));
  queue->Launch(kernel, 1, 1);
  queue->Read(buffer, 0, &value, sizeof(value));
  EXPECT_EQ(value, 42) << device.Info().platform;
}

class ProgramCacheTest : public OnEveryDevice {
 protected:
  void SetUp() override {
    OnEveryDevice::SetUp();
    ProgramCache::SetDirectory(folder_.Path());
    device_ = OpenDevice();
    device_->Programs().Clear();
  }

  ProgramCache& Cache() { return device_->Programs(); }

  fs::path OnlyFile() {
    const auto files = fs::directory_iterator(folder_.Path());
    EXPECT_EQ(std::distance(begin(files), end(files)), 1);
    return fs::directory_iterator(folder_.Path())->path();
  }

  TemporaryFolder folder_;
  std::shared_ptr<Device> device_;
};
MARGAY_ON_EVERY_DEVICE(ProgramCacheTest);

TEST_P(ProgramCacheTest, CompilesOnceThenUsesMemory) {
  const std::string source = FreshSource();
  EXPECT_EQ(Cache().Find(source), nullptr) << "Find() never compiles";
  const std::shared_ptr<Program> program = Cache().Get(source);
  EXPECT_EQ(Cache().Get(source), program);
  EXPECT_EQ(Cache().Find(source), program);
  ExpectWorks(*device_, *program);
  EXPECT_NE(Cache().Get(source, "-DOTHER=1"), program) << "options are part of a program";
  ASSERT_EQ(Cache().Snapshot().size(), 2u);
  const ProgramStatistics statistics = program->Statistics();
  EXPECT_EQ(*statistics.source, source);
  EXPECT_GT(statistics.memory_bytes, statistics.binary_bytes);
  EXPECT_EQ(statistics.origin, "compiled");
  EXPECT_NE(statistics.options.find("-cl-std=CL1.2"), std::string::npos);
  EXPECT_GT(statistics.build_milliseconds, 0);
  EXPECT_GT(statistics.binary_bytes, 0u);
  EXPECT_EQ(statistics.uses, 3u);
}

TEST_P(ProgramCacheTest, UsesTheDiskAfterMemoryIsCleared) {
  const std::string source = FreshSource();
  Cache().Get(source);
  Cache().Clear();
  EXPECT_TRUE(Cache().Snapshot().empty());
  const std::shared_ptr<Program> found = Cache().Find(source);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->Statistics().origin, "disk");
  ExpectWorks(*device_, *found);
  EXPECT_EQ(Cache().Get(source), found);
}

TEST_P(ProgramCacheTest, DropsWhatWasUsedLongestAgo) {
  const std::string first = FreshSource(), second = FreshSource(), third = FreshSource();
  const std::shared_ptr<Program> held = Cache().Get(first);
  // Room for two of them, which are alike.
  Cache().Limit(held->Statistics().memory_bytes * 5 / 2);
  Cache().Get(second);
  Cache().Get(first);
  Cache().Get(third);
  EXPECT_EQ(Cache().Snapshot().size(), 2U);
  EXPECT_EQ(Cache().Get(first), held) << "it was used after the second";
  EXPECT_EQ(Cache().Get(second)->Statistics().origin, "disk");
  ExpectWorks(*device_, *held);
  Cache().Limit(1);
  EXPECT_EQ(Cache().Snapshot().size(), 1U) << "the last one stays";
  Cache().Limit(ProgramCache::kMostBytes);
  EXPECT_GT(Cache().Clear(), 0U);
}

TEST_P(ProgramCacheTest, RebuildsWhatIsDamagedOnDisk) {
  const std::string source = FreshSource();
  Cache().Get(source);
  const fs::path path = OnlyFile();
  const auto size = fs::file_size(path);
  const auto truncate = [&] { fs::resize_file(path, size / 2); };
  const auto damage = [&] {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size) - 100);
    file << "damage";
  };
  const auto empty = [&] { fs::resize_file(path, 0); };
  for (const std::function<void()>& spoil : {std::function<void()>(truncate), {damage}, {empty}}) {
    spoil();
    Cache().Clear();
    EXPECT_EQ(Cache().Find(source), nullptr) << "a spoilt file is no program";
    const std::shared_ptr<Program> program = Cache().Get(source);
    EXPECT_EQ(program->Statistics().origin, "compiled");
    ExpectWorks(*device_, *program);
    Cache().Clear();
    EXPECT_NE(Cache().Find(source), nullptr) << "the spoilt file was replaced";
  }
}

TEST_P(ProgramCacheTest, DoesWithoutADirectory) {
  for (const char* directory : {"", "/proc/nowhere"}) {
    ProgramCache::SetDirectory(directory);
    EXPECT_EQ(ProgramCache::Directory(), directory);
    const std::string source = FreshSource();
    ExpectWorks(*device_, *Cache().Get(source));
    Cache().Clear();
    EXPECT_EQ(Cache().Find(source), nullptr);
  }
}

TEST_P(ProgramCacheTest, BuildErrorsCarryTheLog) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      Cache().Get("__kernel void broken() { undeclared_thing = 1; }");
      FAIL() << "a broken program must not build";
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.Call(), "clBuildProgram");
      EXPECT_NE(error.BuildLog().find("undeclared_thing"), std::string::npos) << error.what();
      EXPECT_FALSE(error.IsDeviceLost());
      EXPECT_FALSE(error.IsOutOfMemory());
    }
  }
  EXPECT_TRUE(Cache().Snapshot().empty()) << "failures are not remembered";
}

TEST_P(ProgramCacheTest, ThreadsShareOneCompilation) {
  if (IsOclgrind()) {
    GTEST_SKIP() << "Oclgrind is not thread-safe";
  }
  const std::string sources[] = {FreshSource(), FreshSource()};
  std::vector<std::shared_ptr<Program>> programs(8);
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < programs.size(); ++thread) {
    threads.emplace_back([&, thread] {
      programs[thread] = Cache().Get(sources[thread % 2]);
      ExpectWorks(*device_, *programs[thread]);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(Cache().Snapshot().size(), 2u);
  for (size_t thread = 2; thread < programs.size(); ++thread) {
    EXPECT_EQ(programs[thread], programs[thread % 2]);
  }
}

constexpr const char* kFolderVariable = "MARGAY_TEST_PROGRAM_FOLDER";
constexpr const char* kDeviceVariable = "MARGAY_TEST_DEVICE";
constexpr int kSharedPrograms = 3;

std::string SharedSource(int number) {
  return "// shared " + std::to_string(number) + "\n" + kScaleSource;
}

TEST(ProgramCacheProcessTest, DISABLED_Child) {
  ProgramCache::SetDirectory(std::getenv(kFolderVariable));
  const std::shared_ptr<Device> device =
      DeviceRegistry::Instance().Open(std::stoul(std::getenv(kDeviceVariable)));
  for (int number = 0; number < kSharedPrograms; ++number) {
    ExpectWorks(*device, *device->Programs().Get(SharedSource(number)));
  }
}

TEST_P(ProgramCacheTest, ProcessesShareTheDirectory) {
  std::vector<int> processes;
  for (int process = 0; process < 3; ++process) {
    processes.push_back(
        SpawnTest("ProgramCacheProcessTest.DISABLED_Child",
                  {std::string(kFolderVariable) + "=" + folder_.Path().string(),
                   std::string(kDeviceVariable) + "=" + std::to_string(GetParam())}));
  }
  for (const int process : processes) {
    EXPECT_TRUE(WaitForSuccess(process));
  }
  for (int number = 0; number < kSharedPrograms; ++number) {
    const std::shared_ptr<Program> program = Cache().Find(SharedSource(number));
    ASSERT_NE(program, nullptr) << "a process before has stored it";
    ExpectWorks(*device_, *program);
  }
  const auto files = fs::directory_iterator(folder_.Path());
  EXPECT_EQ(std::distance(begin(files), end(files)), kSharedPrograms)
      << "no temporary files stay behind";
}

}  // namespace
}  // namespace margay::device
