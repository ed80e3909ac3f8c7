#include "device/fault_injection.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <numeric>
#include <thread>

#include "device/checked_call.hpp"
#include "device/device_error.hpp"
#include "device/device_query.hpp"
#include "device/device_state.hpp"
#include "device_fixture.hpp"

namespace margay::device {
namespace {

//! Uses every kind of object once; throws DeviceError or returns the sum of 3, 6, ..., 300.
int64_t SmallJob(Device& device) {
  std::vector<int32_t> values(100);
  std::iota(values.begin(), values.end(), 1);
  const std::vector<int32_t> scaled = Scale(device, values, 3);
  const size_t bytes = scaled.size() * sizeof(int32_t);
  const PinnedMemory pinned = device.CreatePinnedMemory(bytes);
  const Buffer buffer = device.CreateBuffer(bytes, Access::ReadWrite);
  const Buffer copy = device.CreateBuffer(bytes, Access::ReadWrite);
  QueueLease queue = device.AcquireQueue();
  queue->Fill(buffer, 0, bytes, 255);
  queue->WriteAsync(buffer, 0, scaled.data(), bytes).Wait();
  queue->Copy(buffer, 0, copy, 0, bytes);
  queue->ReadAsync(copy, 0, pinned.Data(), bytes);
  queue->Flush();
  queue->Finish();
  const auto* mapped = static_cast<int32_t*>(queue->Map(copy, 0, bytes, false));
  int64_t sum = 0;
  for (size_t i = 0; i < scaled.size(); ++i) {
    sum += mapped[i] == static_cast<int32_t*>(pinned.Data())[i] ? mapped[i] : -1;
  }
  queue->Unmap(copy, const_cast<int32_t*>(mapped));
  return sum;
}

constexpr int64_t kRightAnswer = 3 * 100 * 101 / 2;

class FaultInjectionTest : public OnEveryDevice {};
MARGAY_ON_EVERY_DEVICE(FaultInjectionTest);

TEST_P(FaultInjectionTest, EveryCallOfAJobMayFail) {
  const std::shared_ptr<Device> device = OpenDevice();
  device->Programs().Clear();
  ASSERT_EQ(SmallJob(*device), kRightAnswer);
  device->Programs().Clear();
  FaultInjection::Reset();
  ASSERT_EQ(SmallJob(*device), kRightAnswer);
  const uint64_t calls = FaultInjection::Calls();
  ASSERT_GT(calls, 20u);
  uint64_t errors = 0;
  for (uint64_t call = 1; call <= calls; ++call) {
    device->Programs().Clear();
    FaultInjection::Reset();
    FaultInjection::FailCall(call, CL_OUT_OF_RESOURCES);
    try {
      EXPECT_EQ(SmallJob(*device), kRightAnswer) << "call " << call;
    } catch (const DeviceError& error) {
      ++errors;
      EXPECT_EQ(error.Code(), CL_OUT_OF_RESOURCES) << error.what();
      EXPECT_TRUE(error.IsOutOfMemory());
    }
    EXPECT_FALSE(device->IsLost());
    EXPECT_EQ(SmallJob(*device), kRightAnswer) << "after a fault in call " << call;
  }
  EXPECT_GE(errors, calls - 4) << "only the loading of a stored program may recover by itself";
}

TEST_P(FaultInjectionTest, TheDeviceMayBeLostAtEveryCall) {
  ASSERT_EQ(SmallJob(*OpenDevice()), kRightAnswer);
  OpenDevice()->MarkLost();
  FaultInjection::Reset();
  ASSERT_EQ(SmallJob(*OpenDevice()), kRightAnswer);
  const uint64_t calls = FaultInjection::Calls();
  for (uint64_t call = 1; call <= calls; ++call) {
    OpenDevice()->MarkLost();
    FaultInjection::Reset();
    FaultInjection::LoseDeviceAtCall(call);
    std::shared_ptr<Device> device;
    try {
      device = OpenDevice();
      SmallJob(*device);
      ADD_FAILURE() << "call " << call << " lost the device, yet the job went on";
    } catch (const DeviceError& error) {
      EXPECT_TRUE(error.IsDeviceLost()) << error.what();
    }
    if (device != nullptr) {
      EXPECT_TRUE(device->IsLost());
      EXPECT_THROW(device->CreateBuffer(1, Access::ReadOnly), DeviceError) << "lost is lost";
    }
    EXPECT_EQ(SmallJob(*OpenDevice()), kRightAnswer) << "after the loss in call " << call;
  }
}

TEST_P(FaultInjectionTest, ErrorsOfDeadContextsMarkTheDeviceLost) {
  for (const int code : {CL_INVALID_CONTEXT, CL_DEVICE_NOT_AVAILABLE, CL_INVALID_COMMAND_QUEUE}) {
    const std::shared_ptr<Device> device = OpenDevice();
    FaultInjection::FailCall(1, code);
    EXPECT_THROW(device->CreateBuffer(1, Access::ReadOnly), DeviceError);
    EXPECT_TRUE(device->IsLost()) << "code " << code;
  }
}

TEST_P(FaultInjectionTest, EveryCallOfACompilationMayFail) {
  ProgramCache::SetDirectory("");
  const std::shared_ptr<Device> device = OpenDevice();
  const std::string source = std::string("// compiled here\n") + kScaleSource;
  for (uint64_t call = 1;; ++call) {
    device->Programs().Clear();
    FaultInjection::Reset();
    FaultInjection::FailCall(call, CL_OUT_OF_HOST_MEMORY);
    try {
      device->Programs().Get(source);
      EXPECT_GE(call, 3u) << "creating and building can't be done without";
      break;
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.Code(), CL_OUT_OF_HOST_MEMORY) << error.what();
    }
  }
}

//! How often a context is referred to, by the objects made in it and by whoever retained it.
class ContextReferences {
 public:
  ContextReferences(const OpenClApi& api, cl_context context) : context_(context) {
    Dl_info library;
    dladdr(reinterpret_cast<void*>(api.Finish.pointer), &library);
    void* handle = dlopen(library.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    get_info_ = reinterpret_cast<decltype(get_info_)>(dlsym(handle, "clGetContextInfo"));
    release_ = reinterpret_cast<decltype(release_)>(dlsym(handle, "clReleaseContext"));
    reinterpret_cast<decltype(&::clRetainContext)>(dlsym(handle, "clRetainContext"))(context_);
  }
  ~ContextReferences() { release_(context_); }

  cl_uint Count() const {
    cl_uint count = 0;
    get_info_(context_, CL_CONTEXT_REFERENCE_COUNT, sizeof(count), &count, nullptr);
    return count;
  }

 private:
  cl_context context_;
  decltype(&::clGetContextInfo) get_info_;
  decltype(&::clReleaseContext) release_;
};

//! The runtimes clean up after commands in threads of their own.
bool BecomesTrueSoon(const std::function<bool()>& condition) {
  for (int attempt = 0; attempt < 200 && !condition(); ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

TEST_P(FaultInjectionTest, NoFaultLeaksAnObject) {
  std::string problem;
  const OpenClApi* api = OpenClApi::Load("libOpenCL.so.1", &problem);
  ASSERT_NE(api, nullptr) << problem;
  std::vector<FoundDevice> found = QueryDevices(*api, &problem);
  if (GetParam() >= found.size()) {
    GTEST_SKIP() << "only for devices of the loader";
  }
  const FoundDevice& device = found[GetParam()];
  OpenDevice()->Programs().Clear();
  SmallJob(*OpenDevice());
  for (const auto reuse : {Device::Reuse::Automatic, Device::Reuse::Always}) {
    bool has_failed = true;
    for (uint64_t call = 1; has_failed; ++call) {
      FaultInjection::Reset();
      auto state = std::make_shared<DeviceState>(device);
      const ContextReferences references(*api, state->Context());
      ASSERT_EQ(references.Count(), 2u) << "the state's and ours";
      FaultInjection::Reset();
      FaultInjection::FailCall(call, CL_OUT_OF_RESOURCES);
      try {
        Device opened(std::move(state), reuse);
        SmallJob(opened);
        SmallJob(opened);
      } catch (const DeviceError&) {
      }
      has_failed = FaultInjection::Calls() >= call;
      EXPECT_TRUE(BecomesTrueSoon([&] { return references.Count() == 1; }))
          << references.Count() - 1 << " references left after a fault in call " << call;
    }
  }
}

}  // namespace
}  // namespace margay::device
