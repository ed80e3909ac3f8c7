// The averages of average.cl against the host's long double, on every usable device.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>

#include "kernels/embedded_sources.hpp"
#include "plan/integer128.hpp"
#include "unit/usable_devices.hpp"

namespace margay::kernels {
namespace {

const char* const kKernel = R"(
__kernel void averages(__global const long* sums, __global const long* counts, const long scale,
                       __global double* results) {
  const size_t i = get_global_id(0);
  results[i] = wide_average(wide_make((ulong)sums[2 * i], sums[2 * i + 1]),
                            wide_multiply_long(counts[i], scale));
}
)";

//! Sums and counts at which roundings happen: short and long ones, and neighbours of quotients that
//! lie in the middle between two doubles.
void MakeOperands(std::vector<Int128>& sums, std::vector<int64_t>& counts) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200000; i++) {
    const auto word = static_cast<Int128>(static_cast<UInt128>(random()) << 64 | random());
    sums.push_back(word >> (random() % 127));
    counts.push_back(static_cast<int64_t>((random() >> (1 + random() % 63)) | 1));
  }
  for (int i = 0; i < 200000; i++) {
    const auto count = static_cast<int64_t>((random() >> (8 + random() % 56)) | 1);
    const auto quotient = static_cast<Int128>((random() | uint64_t{1} << 63) >> 10 | 1);
    sums.push_back((quotient * count) + static_cast<Int128>(random() % 3) - 1);
    counts.push_back(count);
  }
  for (Int128 sum : {Int128{0}, Int128{1}, Int128{-1}, Int128{UINT64_MAX}, -Int128{UINT64_MAX},
                     kInt128Max, kInt128Min + 1}) {
    for (int64_t count : {int64_t{1}, int64_t{3}, INT64_MAX}) {
      sums.push_back(sum);
      counts.push_back(count);
    }
  }
}

TEST(AverageTest, LikeLongDouble) {
  if (std::numeric_limits<long double>::digits != 64)
    GTEST_SKIP() << "long double is another type here";
  std::vector<Int128> sums;
  std::vector<int64_t> counts;
  MakeOperands(sums, counts);
  for (const auto& device : UsableDevices()) {
    const device::DeviceInfo& info = device->Info();
    const auto program =
        device->Programs().Get(std::string(EmbeddedSource("numeric.cl")) +
                               std::string(EmbeddedSource("average.cl")) + kKernel);
    const auto sum_buffer = device->CreateBuffer(sums.size() * 16, device::Access::ReadOnly);
    const auto count_buffer = device->CreateBuffer(counts.size() * 8, device::Access::ReadOnly);
    const auto results = device->CreateBuffer(sums.size() * 8, device::Access::WriteOnly);
    auto queue = device->AcquireQueue();
    queue->Write(sum_buffer, 0, sums.data(), sums.size() * 16);
    queue->Write(count_buffer, 0, counts.data(), counts.size() * 8);
    for (int digits : {0, 2, 18}) {
      SCOPED_TRACE(info.name + " on " + info.platform + ", " + std::to_string(digits) + " digits");
      const auto scale = static_cast<int64_t>(PowerOfTen(digits));
      auto kernel = program->CreateKernel("averages");
      kernel.Argument(0, sum_buffer)
          .Argument(1, count_buffer)
          .Argument(2, scale)
          .Argument(3, results);
      queue->Launch(kernel, sums.size(), 1).Wait();
      std::vector<double> actual(sums.size());
      queue->Read(results, 0, actual.data(), actual.size() * 8);
      size_t wrong = 0;
      for (size_t i = 0; i < sums.size(); i++) {
        const auto expected = static_cast<double>(
            static_cast<long double>(sums[i]) /
            (static_cast<long double>(counts[i]) * static_cast<long double>(scale)));
        if (std::bit_cast<uint64_t>(expected) != std::bit_cast<uint64_t>(actual[i]) && wrong++ < 5)
          ADD_FAILURE() << expected << " is " << actual[i] << " of count " << counts[i];
      }
      EXPECT_EQ(wrong, 0u);
    }
  }
}

}  // namespace
}  // namespace margay::kernels
