#include "device/bandwidth.hpp"

#include <gtest/gtest.h>

#include "device_fixture.hpp"

namespace margay::device {
namespace {

class BandwidthTest : public OnEveryDevice {};
MARGAY_ON_EVERY_DEVICE(BandwidthTest);

TEST_P(BandwidthTest, IsPlausible) {
  const std::shared_ptr<Device> device = OpenDevice();
  if (IsOclgrind()) {
    GTEST_SKIP() << "Oclgrind would take hours";
  }
  const double bandwidth = MeasureReadBandwidth(*device);
  RecordProperty("gigabytes_per_second", std::to_string(bandwidth / 1e9));
  EXPECT_GT(bandwidth, 1e8) << device->Info().platform;
  EXPECT_LT(bandwidth, 1e14) << device->Info().platform;
}

}  // namespace
}  // namespace margay::device
