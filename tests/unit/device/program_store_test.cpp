#include "device/program_store.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "device_fixture.hpp"

namespace margay::device {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

TEST(ProgramStoreTest, KeepsBinaries) {
  const TemporaryFolder folder;
  const ProgramStore store(folder.Path() / "made" / "when needed");
  const std::string binary("some\0bytes", 10);
  EXPECT_EQ(store.Load("key"), std::nullopt);
  EXPECT_TRUE(store.Save("key", binary));
  EXPECT_EQ(store.Load("key"), binary);
  EXPECT_EQ(store.Load("other key"), std::nullopt);
  EXPECT_TRUE(store.Save("key", "newer"));
  EXPECT_EQ(store.Load("key"), "newer");
}

TEST(ProgramStoreTest, BelievesNoDamagedFile) {
  const TemporaryFolder folder;
  const ProgramStore store(folder.Path());
  ASSERT_TRUE(store.Save("the key", "the binary"));
  const fs::path path = store.PathOf("the key");
  const std::string good = ReadFile(path);
  for (size_t position = 0; position < good.size(); ++position) {
    std::string damaged = good;
    damaged[position] = static_cast<char>(damaged[position] ^ 4);
    WriteFile(path, damaged);
    EXPECT_EQ(store.Load("the key"), std::nullopt) << "byte " << position << " was changed";
    WriteFile(path, good.substr(0, position));
    EXPECT_EQ(store.Load("the key"), std::nullopt) << "cut after " << position << " bytes";
  }
  WriteFile(path, good + "x");
  EXPECT_EQ(store.Load("the key"), std::nullopt) << "a byte too many";
  EXPECT_TRUE(store.Save("the key", "the binary"));
  EXPECT_EQ(store.Load("the key"), "the binary") << "a damaged file is replaced";
}

TEST(ProgramStoreTest, BelievesNoFileOfAnotherKey) {
  const TemporaryFolder folder;
  const ProgramStore store(folder.Path());
  ASSERT_TRUE(store.Save("foreign", "binary"));
  fs::copy_file(store.PathOf("foreign"), store.PathOf("our own"));
  EXPECT_EQ(store.Load("our own"), std::nullopt);
}

TEST(ProgramStoreTest, DoesWithoutAFolder) {
  const TemporaryFolder folder;
  WriteFile(folder.Path() / "file", "");
  for (const fs::path& unusable : {fs::path(), folder.Path() / "file", fs::path("/proc/nowhere")}) {
    const ProgramStore store(unusable);
    EXPECT_FALSE(store.Save("key", "binary")) << unusable;
    EXPECT_EQ(store.Load("key"), std::nullopt) << unusable;
  }
}

TEST(ProgramStoreTest, ParallelWritersLeaveWholeFiles) {
  const TemporaryFolder folder;
  const ProgramStore store(folder.Path());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&store] {
      for (int round = 0; round < 100; ++round) {
        const std::string key = "key " + std::to_string(round % 3);
        EXPECT_TRUE(store.Save(key, std::string(5000, 'b')));
        EXPECT_EQ(store.Load(key), std::string(5000, 'b'));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.Path()), fs::directory_iterator()), 3)
      << "no temporary files stay behind";
}

}  // namespace
}  // namespace margay::device
