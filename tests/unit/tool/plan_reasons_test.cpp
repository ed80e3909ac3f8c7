#include "plan_reasons.hpp"

#include <gtest/gtest.h>

namespace margay::tool {
namespace {

TEST(PlanReasons, NamesEachReasonOnce) {
  EXPECT_EQ(PlanReasons(R"([{"name": "HASH_JOIN", "extra_info": {"Conditions": "a = b"},
      "children": [
        {"name": "MARGAY_NOTE", "extra_info": {"Runs in": "DuckDB", "Reason": "no joins"},
         "children": []},
        {"name": "MARGAY_NOTE", "extra_info": {"Runs in": "DuckDB", "Reason": "no joins"},
         "children": []},
        {"name": "MARGAY", "extra_info": {"Margay": "DuckDB: too small"}, "children": []}]}])"),
            "no joins; too small");
}

TEST(PlanReasons, AreEmptyForADevice) {
  EXPECT_EQ(PlanReasons(R"([{"name": "ORDER_BY", "extra_info": {}, "children": [
        {"name": "MARGAY", "extra_info": {"Margay": "device"}, "children": []}]}])"),
            "");
}

}  // namespace
}  // namespace margay::tool
