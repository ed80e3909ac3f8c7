#include "device/kernel.hpp"

#include <gtest/gtest.h>

#include "device/device_error.hpp"
#include "device_fixture.hpp"

namespace margay::device {
namespace {

constexpr const char* kArgumentsSource = R"(
__kernel void arguments(__global long* output, int a, uint b, long c, ulong d,
                        __local int* scratch) {
  scratch[get_local_id(0)] = (int)get_local_id(0) + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    output[0] = a;
    output[1] = b;
    output[2] = c;
    output[3] = (long)d;
    long sum = 0;
    for (size_t i = 0; i < get_local_size(0); ++i) {
      sum += scratch[i];
    }
    output[4] = sum;
  }
}
__kernel void busy(__global ulong* output, ulong rounds) {
  ulong value = get_global_id(0);
  for (ulong i = 0; i < rounds; ++i) {
    value = value * 6364136223846793005ul + 1442695040888963407ul;
  }
  output[get_global_id(0)] = value;
}
)";

class KernelTest : public OnEveryDevice {};
MARGAY_ON_EVERY_DEVICE(KernelTest);

TEST_P(KernelTest, TakesArgumentsOfAllTypes) {
  const std::shared_ptr<Device> device = OpenDevice();
  Kernel kernel = device->Programs().Get(kArgumentsSource)->CreateKernel("arguments");
  EXPECT_EQ(kernel.Name(), "arguments");
  EXPECT_EQ(kernel.ArgumentCount(), 6u);
  EXPECT_GE(kernel.PreferredWorkGroupMultiple(), 1u);
  EXPECT_GE(kernel.LargestWorkGroup(), 16u);
  const Buffer output = device->CreateBuffer(5 * sizeof(int64_t), Access::WriteOnly);
  kernel.Argument(0, output)
      .Argument(1, int32_t{-5})
      .Argument(2, uint32_t{4000000000u})
      .Argument(3, int64_t{-6000000000})
      .Argument(4, uint64_t{1} << 62)
      .LocalArgument(5, 16 * sizeof(int32_t));
  QueueLease queue = device->AcquireQueue();
  queue->Launch(kernel, 16, 16);
  int64_t received[5] = {};
  queue->Read(output, 0, received, sizeof(received));
  EXPECT_EQ(received[0], -5);
  EXPECT_EQ(received[1], 4000000000);
  EXPECT_EQ(received[2], -6000000000);
  EXPECT_EQ(received[3], int64_t{1} << 62);
  EXPECT_EQ(received[4], 16 * 17 / 2) << "local memory holds what the work-group wrote";
}

TEST_P(KernelTest, WrongArgumentsAreErrors) {
  const std::shared_ptr<Device> device = OpenDevice();
  Kernel kernel = device->Programs().Get(kArgumentsSource)->CreateKernel("arguments");
  EXPECT_THROW(kernel.Argument(17, int32_t{0}), DeviceError);
  EXPECT_THROW(kernel.Argument(0, Buffer()), std::logic_error);
  EXPECT_THROW(device->Programs().Get(kArgumentsSource)->CreateKernel("absent"), DeviceError);
  EXPECT_FALSE(device->IsLost());
}

TEST_P(KernelTest, EventsTellTimeAndCompletion) {
  const std::shared_ptr<Device> device = OpenDevice();
  const Buffer output = device->CreateBuffer(64 * sizeof(uint64_t), Access::WriteOnly);
  Kernel kernel = device->Programs().Get(kArgumentsSource)->CreateKernel("busy");
  kernel.Argument(0, output).Argument(1, uint64_t{20000});
  QueueLease queue = device->AcquireQueue();
  const Event event = queue->Launch(kernel, 64, 0);
  queue->Flush();
  event.Wait();
  EXPECT_TRUE(event.IsComplete());
  EXPECT_GT(event.KernelNanoseconds(), 0u);
  EXPECT_TRUE(queue->Launch(kernel, 0, 1).IsComplete()) << "no work-items, nothing to do";
  EXPECT_EQ(Event().KernelNanoseconds(), 0u);
}

}  // namespace
}  // namespace margay::device
