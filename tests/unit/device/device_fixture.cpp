#include "device_fixture.hpp"

#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <stdexcept>

#include "device/program_cache.hpp"

namespace margay::device {

const char* const kScaleSource = R"(
__kernel void scale(__global const int* input, __global int* output, int factor, ulong count) {
  const size_t i = get_global_id(0);
  if (i < count) {
    output[i] = input[i] * factor;
  }
}
)";

namespace {

//! As it was at the start: the ICD loader cuts OCL_ICD_FILENAMES in place.
const std::vector<std::string> inherited_environment = [] {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  return variables;
}();

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = std::filesystem::temp_directory_path() / "margay-test-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error("no temporary folder could be made");
  }
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<size_t> UsableDevices() {
  std::vector<size_t> usable;
  for (const DeviceInfo& info : DeviceRegistry::Instance().Devices()) {
    if (info.IsUsable()) {
      usable.push_back(info.index);
    }
  }
  return usable;
}

std::string DeviceTestName(const ::testing::TestParamInfo<size_t>& info) {
  std::string name = std::to_string(info.param);
  for (const char character : DeviceRegistry::Instance().Devices()[info.param].platform) {
    if (std::isalnum(static_cast<unsigned char>(character))) {
      name += character;
    }
  }
  return name;
}

int SpawnTest(const std::string& test, const std::vector<std::string>& environment,
              const std::string& program) {
  std::vector<std::string> arguments = {program, "--gtest_also_run_disabled_tests",
                                        "--gtest_filter=" + test};
  std::vector<char*> argument_pointers;
  for (std::string& argument : arguments) {
    argument_pointers.push_back(argument.data());
  }
  argument_pointers.push_back(nullptr);

  std::vector<std::string> variables = environment;
  for (const std::string& inherited : inherited_environment) {
    const std::string name = inherited.substr(0, inherited.find('=') + 1);
    const bool is_replaced =
        std::any_of(environment.begin(), environment.end(),
                    [&](const std::string& variable) { return variable.starts_with(name); });
    if (!is_replaced) {
      variables.push_back(inherited);
    }
  }
  std::vector<char*> variable_pointers;
  for (std::string& variable : variables) {
    variable_pointers.push_back(variable.data());
  }
  variable_pointers.push_back(nullptr);

  pid_t process = 0;
  if (posix_spawn(&process, program.c_str(), nullptr, nullptr, argument_pointers.data(),
                  variable_pointers.data()) != 0) {
    throw std::runtime_error(program + " could not be started");
  }
  return process;
}

bool WaitForSuccess(int process) {
  int status = 0;
  return waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::vector<int32_t> Scale(Device& device, const std::vector<int32_t>& values, int32_t factor) {
  const size_t bytes = values.size() * sizeof(int32_t);
  const Buffer input = device.CreateBuffer(bytes, Access::ReadOnly);
  const Buffer output = device.CreateBuffer(bytes, Access::WriteOnly);
  Kernel kernel = device.Programs().Get(kScaleSource)->CreateKernel("scale");
  kernel.Argument(0, input).Argument(1, output).Argument(2, factor);
  kernel.Argument(3, uint64_t{values.size()});
  std::vector<int32_t> result(values.size());
  QueueLease queue = device.AcquireQueue();
  queue->Write(input, 0, values.data(), bytes);
  queue->Launch(kernel, values.size(), 1);
  queue->Read(output, 0, result.data(), bytes);
  return result;
}

namespace {

//! Keeps stored programs out of the user's own folder.
class ProgramFolder : public ::testing::Environment {
 public:
  void SetUp() override {
    folder_.emplace();
    ProgramCache::SetDirectory(folder_->Path());
  }
  void TearDown() override { folder_.reset(); }

  const std::filesystem::path& Path() const { return folder_->Path(); }

 private:
  std::optional<TemporaryFolder> folder_;
};

//! Owned by GoogleTest.
auto* const program_folder =
    static_cast<ProgramFolder*>(::testing::AddGlobalTestEnvironment(new ProgramFolder()));

}  // namespace

void OnEveryDevice::SetUp() {
  FaultInjection::Reset();
  ProgramCache::SetDirectory(program_folder->Path());
}

void OnEveryDevice::TearDown() {
  FaultInjection::Reset();
  ProgramCache::SetDirectory(program_folder->Path());
}

}  // namespace margay::device
