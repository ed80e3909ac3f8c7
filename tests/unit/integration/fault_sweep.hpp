#pragma once

#include <gtest/gtest.h>

#include <string>

#include "device/fault_injection.hpp"
#include "test_database.hpp"

namespace margay::integration {

//! How a call fails: out of resources once, out of memory once, or the device is lost from then on.
enum class Fault { OutOfResources, OutOfMemory, Loss };

inline void Inject(Fault fault, uint64_t call) {
  constexpr int kOutOfResources = -5;
  constexpr int kAllocationFailure = -4;
  switch (fault) {
    case Fault::OutOfResources:
      return device::FaultInjection::FailCall(call, kOutOfResources);
    case Fault::OutOfMemory:
      return device::FaultInjection::FailCall(call, kAllocationFailure);
    case Fault::Loss:
      return device::FaultInjection::LoseDeviceAtCall(call);
  }
}

//! Runs a query again and again, and lets another device call fail each time. In auto mode DuckDB
//! must then give the right answer; in force mode the answer is right or the error names the cause;
//! and after each fault the query works again.
struct FaultSweep {
  std::string query;
  std::string mode;
  Fault fault = Fault::OutOfResources;
  bool is_cold = false;  //!< the images are built anew, so that their device calls fail too
  uint64_t step = 1;     //!< every so many calls one fails

  //! Resets the injection of faults in the end.
  void Run(TestDatabase& database) const {
    const std::string expected = database.Reference(query);
    const bool is_force = mode == "force";
    database.Run("SET margay_mode = '" + mode + "'");
    RunOnDevice(database, expected);

    Prepare(database);
    device::FaultInjection::Reset();
    RunOnDevice(database, expected);
    const uint64_t calls = device::FaultInjection::Calls();
    ASSERT_GT(calls, 0U);

    uint64_t faults_seen = 0;
    for (uint64_t call = 1; call <= calls; call += step) {
      SCOPED_TRACE("call " + std::to_string(call) + " of " + std::to_string(calls));
      const uint64_t fallbacks = database.Counter("runtime_fallbacks");
      Prepare(database);
      device::FaultInjection::Reset();
      Inject(fault, call);
      const std::string answer = database.Query(query);
      device::FaultInjection::Reset();
      if (is_force && answer != expected) {
        EXPECT_NE(answer.find("margay_mode = force: "), std::string::npos) << answer;
        faults_seen++;
      } else {
        EXPECT_EQ(answer, expected);
        faults_seen += database.Counter("runtime_fallbacks") > fallbacks ? 1 : 0;
      }
      RunOnDevice(database, expected);
    }
    EXPECT_GT(faults_seen, 0U) << "no fault reached the query";
  }

  //! Drops the images where the sweep wants that; kernels stay.
  void Prepare(TestDatabase& database) const {
    if (!is_cold) {
      return;
    }
    database.State().images.Evict();
    for (const auto& open : database.State().devices.List()) {
      open->pool->EvictAll();
    }
  }

  //! Runs the query until the device answers it; auto mode needs its background work done for that.
  void RunOnDevice(TestDatabase& database, const std::string& expected) const {
    for (int i = 0; i < 20; i++) {
      const uint64_t before = database.Counter("device_executions");
      ASSERT_EQ(database.Query(query), expected);
      if (database.Counter("device_executions") > before) {
        return;
      }
      database.State().builder.WaitUntilIdle();
    }
    FAIL() << "the device never ran the query: " << database.Query("EXPLAIN " + query);
  }
};

}  // namespace margay::integration
