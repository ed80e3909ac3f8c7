#include "device/fault_injection.hpp"

#include <atomic>

#include "device/opencl_api.hpp"

namespace margay::device {

namespace {

//! Far beyond any count of calls.
constexpr uint64_t kNever = UINT64_MAX;

std::atomic<uint64_t> calls{0};
std::atomic<uint64_t> fail_at{kNever};
std::atomic<int> fail_code{CL_SUCCESS};
std::atomic<uint64_t> lose_at{kNever};

}  // namespace

void FaultInjection::FailCall(uint64_t n, int code) {
  fail_code = code;
  fail_at = calls + n;
}

void FaultInjection::LoseDeviceAtCall(uint64_t n) {
  lose_at = calls + n;
}

uint64_t FaultInjection::Calls() {
  return calls;
}

void FaultInjection::Reset() {
  fail_at = kNever;
  lose_at = kNever;
  calls = 0;
}

int FaultInjection::CountCall(bool is_on_device) {
  const uint64_t number = calls.fetch_add(1, std::memory_order_relaxed) + 1;
  if (number == fail_at.load(std::memory_order_relaxed)) {
    return fail_code;
  }
  uint64_t lose = lose_at.load(std::memory_order_relaxed);
  if (is_on_device && number >= lose && lose_at.compare_exchange_strong(lose, kNever)) {
    return CL_DEVICE_NOT_AVAILABLE;
  }
  return CL_SUCCESS;
}

}  // namespace margay::device
