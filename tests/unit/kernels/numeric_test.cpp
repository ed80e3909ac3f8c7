// The 128-bit arithmetic of numeric.cl against the host compiler's own, on every usable device.
#include <gtest/gtest.h>

#include <random>

#include "kernels/embedded_sources.hpp"
#include "plan/integer128.hpp"
#include "unit/usable_devices.hpp"

namespace margay::kernels {
namespace {

//! Per pair of operands the kernel writes this many 128-bit results, then flags in one more.
constexpr size_t kResults = 8;

const char* const kKernel = R"(
inline void put(__global long* out, int place, wide value) {
  out[2 * place] = (long)value.low;
  out[2 * place + 1] = value.high;
}
__kernel void operations(__global const long* operands, __global long* results) {
  const size_t i = get_global_id(0);
  const wide a = wide_make((ulong)operands[4 * i], operands[4 * i + 1]);
  const wide b = wide_make((ulong)operands[4 * i + 2], operands[4 * i + 3]);
  __global long* out = results + 16 * i;
  put(out, 0, wide_add(a, b));
  put(out, 1, wide_subtract(a, b));
  put(out, 2, wide_multiply(a, b));
  put(out, 3, wide_multiply_long((long)a.low, (long)b.low));
  wide rest = wide_from_long(0);
  const wide divisor = wide_equal(b, wide_from_long(0)) ? wide_from_long(1) : b;
  put(out, 4, wide_divide(a, divisor, &rest));
  put(out, 5, rest);
  put(out, 6, wide_negate(a));
  int add_fault = 0, subtract_fault = 0, multiply_fault = 0;
  wide_add_checked(a, b, &add_fault);
  wide_subtract_checked(a, b, &subtract_fault);
  wide_multiply_checked(a, b, &multiply_fault);
  put(out, 7, wide_from_long(add_fault | subtract_fault << 1 | multiply_fault << 2 |
                             wide_less(a, b) << 3 | wide_equal(a, b) << 4));
}
)";

//! High and low word.
std::string Words(Int128 value) {
  return std::to_string(static_cast<int64_t>(value >> 64)) + ":" +
         std::to_string(static_cast<uint64_t>(value));
}

std::vector<Int128> Operands() {
  std::vector<Int128> values{0,
                             1,
                             -1,
                             2,
                             -2,
                             10,
                             INT64_MAX,
                             INT64_MIN,
                             UINT64_MAX,
                             kInt128Max,
                             kInt128Min,
                             kInt128Max - 1,
                             kInt128Min + 1,
                             PowerOfTen(38) - 1,
                             -PowerOfTen(38) + 1,
                             PowerOfTen(19)};
  std::mt19937_64 random(11);
  for (int bits : {7, 31, 33, 63, 65, 100, 127}) {
    for (int i = 0; i < 8; i++) {
      const auto word = static_cast<Int128>(static_cast<UInt128>(random()) << 64 | random());
      values.push_back(word >> (127 - bits));
    }
  }
  return values;
}

TEST(NumericTest, WideArithmetic) {
  std::vector<Int128> pairs;
  for (Int128 a : Operands()) {
    for (Int128 b : Operands()) {
      pairs.push_back(a);
      pairs.push_back(b);
    }
  }
  const size_t count = pairs.size() / 2;
  for (const auto& device : UsableDevices()) {
    const device::DeviceInfo& info = device->Info();
    SCOPED_TRACE(info.name + " on " + info.platform);
    const auto program =
        device->Programs().Get(std::string(EmbeddedSource("numeric.cl")) + kKernel);
    auto kernel = program->CreateKernel("operations");
    auto operands = device->CreateBuffer(pairs.size() * 16, device::Access::ReadOnly);
    auto results = device->CreateBuffer(count * kResults * 16, device::Access::WriteOnly);
    auto queue = device->AcquireQueue();
    queue->Write(operands, 0, pairs.data(), pairs.size() * 16);
    kernel.Argument(0, operands).Argument(1, results);
    queue->Launch(kernel, count, 1).Wait();
    std::vector<Int128> actual(count * kResults);
    queue->Read(results, 0, actual.data(), actual.size() * 16);
    for (size_t i = 0; i < count; i++) {
      const Int128 a = pairs[2 * i], b = pairs[2 * i + 1];
      const Int128* got = actual.data() + i * kResults;
      const auto wrapped = [](UInt128 value) { return static_cast<Int128>(value); };
      const auto ua = static_cast<UInt128>(a), ub = static_cast<UInt128>(b);
      const std::string pair = Words(a) + ", " + Words(b);
      EXPECT_TRUE(got[0] == wrapped(ua + ub)) << "add " << pair;
      EXPECT_TRUE(got[1] == wrapped(ua - ub)) << "subtract " << pair;
      EXPECT_TRUE(got[2] == wrapped(ua * ub)) << "multiply " << pair;
      EXPECT_TRUE(got[3] == Int128{static_cast<int64_t>(a)} * static_cast<int64_t>(b))
          << "multiply_long " << pair;
      const Int128 divisor = b == 0 ? 1 : b;
      if (!(a == kInt128Min && divisor == -1)) {
        EXPECT_TRUE(got[4] == a / divisor) << "divide " << pair;
        EXPECT_TRUE(got[5] == a % divisor) << "remainder " << pair;
      }
      EXPECT_TRUE(got[6] == wrapped(-ua)) << "negate " << pair;
      Int128 ignored;
      const auto flags = static_cast<int>(got[7]);
      EXPECT_EQ(flags & 1, __builtin_add_overflow(a, b, &ignored)) << "add_checked " << pair;
      EXPECT_EQ(flags >> 1 & 1, __builtin_sub_overflow(a, b, &ignored))
          << "subtract_checked " << pair;
      const bool overflows = __builtin_mul_overflow(a, b, &ignored);
      // A product of exactly the lowest value is a false alarm, which is allowed.
      if (overflows || ignored != kInt128Min) {
        EXPECT_EQ(flags >> 2 & 1, overflows) << "multiply_checked " << pair;
      }
      EXPECT_EQ(flags >> 3 & 1, a < b) << "less " << pair;
      EXPECT_EQ(flags >> 4 & 1, a == b) << "equal " << pair;
    }
  }
}

}  // namespace
}  // namespace margay::kernels
