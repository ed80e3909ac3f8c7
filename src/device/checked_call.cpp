#include "device/checked_call.hpp"

#include "device/device_error.hpp"
#include "device/fault_injection.hpp"

namespace margay::device {

void CallTarget::BeforeCall(const char* call, const CallPermit& permit) {
  const int injected = FaultInjection::CountCall(is_device_);
  CheckResult(call, IsLost() || !permit.IsGiven() ? CL_DEVICE_NOT_AVAILABLE : injected);
}

void CallTarget::CheckResult(const char* call, cl_int code) {
  if (code == CL_SUCCESS) {
    return;
  }
  if (is_device_ && IsDeviceLostCode(code)) {
    MarkLost();
  }
  throw DeviceError(call, code, name_);
}

}  // namespace margay::device
