//! sql_tests: runs the test files of tests/sql with Margay off and on every device and shape, and
//! compares. script.hpp describes the files.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "compile/kernel_library.hpp"
#include "device/device_registry.hpp"
#include "device/program_cache.hpp"
#include "file_runner.hpp"
#include "report.hpp"

namespace margay::test {

namespace {

struct CommandLine {
  std::vector<std::string> paths;
  std::vector<std::string> devices;
  std::vector<std::string> shapes = {"loop", "lanes"};
  std::string filter;
  std::string cache = "build/test-kernel-cache";
  uint64_t every = 1;
  bool oclgrind = false;
  bool plain = false;
  bool with_auto = false;
  bool stop_on_first = false;
  bool unoptimized = false;
  bool list = false;
  bool verbose = false;
};

struct FoundDevice {
  std::string index;
  std::string name;
  std::string platform;
  bool usable = false;

  bool IsOclgrind() const { return platform.find("Oclgrind") != std::string::npos; }
};

std::vector<FoundDevice> FindDevices() {
  auto database = OpenDatabase(":memory:");
  duckdb::Connection connection(*database);
  auto answer = Answer::Of(connection, "SELECT name, platform, usable FROM margay_devices()");
  if (answer.HasError()) {
    throw std::runtime_error(answer.Error());
  }
  std::vector<FoundDevice> devices;
  for (const auto& row : answer.Rows()) {
    devices.push_back({std::to_string(devices.size()), row[0].value_or(""), row[1].value_or(""),
                       row[2].value_or("") == "true"});
  }
  return devices;
}

//! The devices that were asked for, or all that can be used (with --oclgrind: Oclgrind's).
std::vector<Target> FindTargets(const CommandLine& line) {
  std::vector<Target> targets;
  auto& registry = device::DeviceRegistry::Instance();
  auto add = [&](const std::string& device, const std::string& name) {
    const auto index = registry.Find(device, nullptr);
    const bool has_own_memory = index && !registry.Open(*index)->IsZeroCopy();
    for (const auto& shape : line.shapes) {
      targets.push_back({device, name, shape, has_own_memory});
    }
  };
  for (const auto& device : line.devices) {
    add(device, device);
  }
  if (line.devices.empty()) {
    for (const auto& device : FindDevices()) {
      if (device.usable && device.IsOclgrind() == line.oclgrind) {
        add(device.index, device.platform + ", " + device.name);
      }
    }
  }
  if (targets.empty()) {
    throw std::runtime_error(line.oclgrind
                                 ? "Oclgrind's platform is not there: is its library loaded?"
                                 : "there is no usable OpenCL device");
  }
  return targets;
}

//! Test files under the given files and folders, in order of their names.
std::vector<std::string> FindFiles(const CommandLine& line) {
  namespace fs = std::filesystem;
  auto paths = line.paths;
  if (paths.empty()) {
    paths.push_back(line.oclgrind ? "tests/sql/tiny" : "tests/sql");
  }
  std::vector<std::string> files;
  for (const auto& path : paths) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.path().extension() == ".test") {
        files.push_back(entry.path().string());
      }
    }
  }
  std::erase_if(files,
                [&](const auto& file) { return file.find(line.filter) == std::string::npos; });
  std::sort(files.begin(), files.end());
  return files;
}

//! A folder that exists as long as the object.
class ScratchDirectory {
 public:
  ScratchDirectory()
      : path_(std::filesystem::temp_directory_path() /
              ("margay_sql_tests." + std::to_string(getpid()))) {}
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  //! An empty folder inside.
  std::string Fresh(const std::string& name) const {
    auto folder = path_ / name;
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    return folder.string();
  }

 private:
  std::filesystem::path path_;
};

int Run(const CommandLine& line) {
  auto files = FindFiles(line);
  if (files.empty()) {
    throw std::runtime_error("no test file matches");
  }
  if (line.list) {
    for (const auto& file : files) {
      std::cout << file << "\n";
    }
    return 0;
  }
  device::ProgramCache::SetOptimized(!line.unoptimized);
  RunnerOptions options;
  options.stop_on_first = line.stop_on_first;
  options.with_auto = line.with_auto;
  options.every = line.every;
  options.cache_directory = std::filesystem::absolute(line.cache).string();
  if (!line.plain) {
    options.targets = FindTargets(line);
    for (const auto& target : options.targets) {
      std::cout << "on " << target.Name() << "\n";
    }
  }
  Report report;
  ScratchDirectory scratch;
  for (const auto& file : files) {
    auto begin = std::chrono::steady_clock::now();
    if (line.verbose) {
      std::cout << file << std::flush;
    }
    FileRunner(options, report, file, scratch.Fresh("file")).Run();
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (line.verbose) {
      std::cout << ": " << seconds.count() << " s" << std::endl;
    }
    if (line.stop_on_first && report.Failed() > 0) {
      break;
    }
  }
  std::cout << report.Passed() << " passed, " << report.Failed() << " failed" << std::endl;
  return report.Failed() == 0 ? 0 : 1;
}

}  // namespace

}  // namespace margay::test

int main(int argc, char** argv) {
  margay::test::CommandLine line;
  CLI::App app("Runs SQL tests with Margay off and on every device and shape, and compares.");
  app.add_option("paths", line.paths, "test files and folders; default tests/sql");
  app.add_option("--device", line.devices, "a device as margay_device takes it; default all usable")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--shape", line.shapes, "loop or lanes; default both")
      ->check(CLI::IsMember({"loop", "lanes"}))
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--filter", line.filter, "only files whose path holds this text");
  app.add_option("--cache", line.cache, "folder of compiled kernels; default " + line.cache);
  app.add_option("--every", line.every, "only one in so many queries on the devices")
      ->check(CLI::PositiveNumber);
  app.add_flag("--oclgrind", line.oclgrind, "on Oclgrind, and only tests/sql/tiny by default");
  app.add_flag("--plain", line.plain, "with DuckDB alone: checks the tests themselves");
  app.add_flag("--auto", line.with_auto, "every query in auto mode too");
  app.add_flag("--stop-on-first", line.stop_on_first, "stop at the first failure");
  app.add_flag("--unoptimized", line.unoptimized,
               "compile kernels without optimization, which takes less than half the time");
  app.add_flag("--list", line.list, "print the test files, run nothing");
  app.add_flag("--verbose", line.verbose, "print every file and its time");
  CLI11_PARSE(app, argc, argv);
  try {
    margay::compile::KernelLibrary::SetChecked(true);
    return margay::test::Run(line);
  } catch (const std::exception& exception) {
    std::cerr << "sql_tests: " << exception.what() << std::endl;
    return 2;
  }
}
