#include "device/device_error.hpp"

#include <gtest/gtest.h>

#include <string>

namespace margay::device {
namespace {

TEST(DeviceErrorTest, SaysWhatHappenedWhereAndWhy) {
  const DeviceError error("clBuildProgram", -11, "some device", "line 3: no such type");
  EXPECT_EQ(error.Call(), "clBuildProgram");
  EXPECT_EQ(error.Code(), -11);
  EXPECT_EQ(error.CodeName(), "CL_BUILD_PROGRAM_FAILURE");
  EXPECT_EQ(error.Device(), "some device");
  EXPECT_EQ(error.BuildLog(), "line 3: no such type");
  const std::string text = error.what();
  for (const char* part : {"clBuildProgram", "CL_BUILD_PROGRAM_FAILURE", "some device", "line 3"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in: " << text;
  }
}

TEST(DeviceErrorTest, UnknownCodesAreNamedByNumber) {
  EXPECT_EQ(DeviceError("clFinish", -4711, "device").CodeName(), "OpenCL error -4711");
}

TEST(DeviceErrorTest, LackOfMemoryAndLossAreTold) {
  for (const int code : {-4, -5, -6, -61}) {
    const DeviceError error("clFinish", code, "device");
    EXPECT_TRUE(error.IsOutOfMemory()) << "code " << code << " is a lack of memory";
    EXPECT_FALSE(error.IsDeviceLost()) << "code " << code << " leaves the device alive";
  }
  for (const int code : {-2, -34, -36, -9999}) {
    const DeviceError error("clFinish", code, "device");
    EXPECT_FALSE(error.IsOutOfMemory()) << "code " << code << " is no lack of memory";
    EXPECT_TRUE(error.IsDeviceLost()) << "code " << code << " means a dead context";
  }
}

}  // namespace
}  // namespace margay::device
