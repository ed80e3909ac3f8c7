// Who answers a part: by its plan and the settings, then by what is at hand.
#include "schedule/decision.hpp"

#include <gtest/gtest.h>

namespace margay::schedule {
namespace {

Settings InMode(Mode mode) {
  Settings settings;
  settings.mode = mode;
  settings.min_rows = 1000;
  return settings;
}

//! A part that every rule lets pass.
PartFacts LargeAggregate() {
  PartFacts part;
  part.has_aggregate = true;
  part.table_rows = {10, 5000};
  return part;
}

std::string ReasonOf(const PartFacts& part) {
  const auto decision = DecideByPlan(part, InMode(Mode::Auto));
  return decision ? decision->reason : std::string();
}

ImageState Image(ImageState::Kind kind, bool can_build = true) {
  return {kind, "t", kind == ImageState::Kind::Valid ? "" : "it has no image", can_build};
}

AtHand EverythingAtHand() {
  AtHand at_hand;
  at_hand.has_device = true;
  at_hand.images = {Image(ImageState::Kind::Valid)};
  at_hand.program = ProgramState::Built;
  return at_hand;
}

TEST(DecideByPlan, LeavesALargeAggregateToWhatIsAtHand) {
  EXPECT_FALSE(DecideByPlan(LargeAggregate(), InMode(Mode::Auto)));
  EXPECT_FALSE(DecideByPlan(LargeAggregate(), InMode(Mode::Force)));
}

TEST(DecideByPlan, LeavesEverythingToDuckDBWhenOff) {
  const auto decision = DecideByPlan(LargeAggregate(), InMode(Mode::Off));
  ASSERT_TRUE(decision);
  EXPECT_FALSE(decision->is_on_device);
  EXPECT_EQ(decision->reason, "margay_mode = off");
}

TEST(DecideByPlan, KeepsTopRowsButNoOtherRows) {
  PartFacts part = LargeAggregate();
  part.has_aggregate = false;
  EXPECT_EQ(ReasonOf(part),
            "the query gives rows as they are, without an aggregate or few first rows; handing on "
            "rows costs more than a device saves");
  part.above = "the function f is not supported yet";
  EXPECT_EQ(ReasonOf(part),
            "the function f is not supported yet; handing on rows costs more than a device saves");
  part.is_top = true;
  EXPECT_EQ(ReasonOf(part), "");
}

TEST(DecideByPlan, LooksAtTheLargestTable) {
  PartFacts part = LargeAggregate();
  part.table_rows = {10, 999};
  EXPECT_EQ(ReasonOf(part), "the largest table has fewer than margay_min_rows = 1000 rows");
  part.table_rows = {999};
  EXPECT_EQ(ReasonOf(part), "the table has fewer than margay_min_rows = 1000 rows");
  part.table_rows = {1000};
  EXPECT_EQ(ReasonOf(part), "");
}

TEST(DecideByPlan, TakesNoMoreRowsFromDuckDBThanTheLargestTableHas) {
  PartFacts part = LargeAggregate();
  part.tapped_rows = 5000;
  EXPECT_EQ(ReasonOf(part), "");
  part.tapped_rows = 5001;
  EXPECT_EQ(ReasonOf(part),
            "DuckDB would have to hand over about 5001 rows, more than the largest table has");
  part.table_rows.clear();
  EXPECT_EQ(ReasonOf(part),
            "all rows come from DuckDB, and handing them over costs more than it saves");
}

TEST(DecideByPlan, LeavesLongNestedLoopsToDuckDB) {
  PartFacts part = LargeAggregate();
  part.nested_loop_rows = 1000;
  EXPECT_EQ(ReasonOf(part), "");
  part.nested_loop_rows = 1001;
  EXPECT_EQ(ReasonOf(part),
            "a join without an equality would look at up to 1001 rows for each row");
}

TEST(DecideByPlan, OfAnotherTableIsAnErrorOnlyInForceMode) {
  PartFacts part = LargeAggregate();
  part.problem = "another table";
  const auto in_auto = DecideByPlan(part, InMode(Mode::Auto));
  ASSERT_TRUE(in_auto);
  EXPECT_FALSE(in_auto->is_error);
  const auto forced = DecideByPlan(part, InMode(Mode::Force));
  ASSERT_TRUE(forced);
  EXPECT_TRUE(forced->is_error);
  EXPECT_EQ(forced->reason, "another table");
}

TEST(DecideByPlan, InForceModeNoRuleKeepsAPartFromTheDevice) {
  PartFacts part;
  part.table_rows = {1};
  part.nested_loop_rows = 1'000'000;
  EXPECT_FALSE(DecideByPlan(part, InMode(Mode::Force)));
}

TEST(DecideByState, RunsOnTheDeviceWhereEverythingIsThere) {
  for (const Mode mode : {Mode::Auto, Mode::Force}) {
    const Decision decision = DecideByState(EverythingAtHand(), InMode(mode));
    EXPECT_TRUE(decision.is_on_device);
    EXPECT_EQ(decision.reason, "");
    EXPECT_EQ(decision.work, Work::None);
  }
}

TEST(DecideByState, WithoutADeviceIsAnErrorInForceModeOnly) {
  AtHand at_hand;
  at_hand.device_problem = "the device is not open yet";
  const Decision in_auto = DecideByState(at_hand, InMode(Mode::Auto));
  EXPECT_FALSE(in_auto.is_on_device);
  EXPECT_FALSE(in_auto.is_error);
  EXPECT_EQ(in_auto.reason, "the device is not open yet");
  EXPECT_EQ(in_auto.work, Work::MakeReady);
  const Decision forced = DecideByState(at_hand, InMode(Mode::Force));
  EXPECT_TRUE(forced.is_error);
  EXPECT_EQ(forced.work, Work::None);
}

TEST(DecideByState, EncodesInTheBackgroundUnlessItIsTooSoon) {
  AtHand at_hand = EverythingAtHand();
  at_hand.program = ProgramState::Unknown;
  at_hand.images = {Image(ImageState::Kind::Valid), Image(ImageState::Kind::Missing)};
  Decision decision = DecideByState(at_hand, InMode(Mode::Auto));
  EXPECT_EQ(decision.reason, "t: it has no image");
  EXPECT_EQ(decision.work, Work::MakeReady);
  at_hand.images.push_back(Image(ImageState::Kind::Missing, false));
  EXPECT_EQ(DecideByState(at_hand, InMode(Mode::Auto)).work, Work::None);
  // In force mode the query does it.
  decision = DecideByState(at_hand, InMode(Mode::Force));
  EXPECT_TRUE(decision.is_on_device);
  EXPECT_EQ(decision.reason, "t: it has no image");
}

TEST(DecideByState, ARefusedColumnCountsBeforeMissingOnes) {
  AtHand at_hand = EverythingAtHand();
  at_hand.program = ProgramState::Unknown;
  at_hand.images = {Image(ImageState::Kind::Missing),
                    {ImageState::Kind::Refused, "u", "its type has no encoding", true}};
  const Decision forced = DecideByState(at_hand, InMode(Mode::Force));
  EXPECT_TRUE(forced.is_error);
  EXPECT_FALSE(forced.is_on_device);
  EXPECT_EQ(forced.reason, "u: its type has no encoding");
  const Decision in_auto = DecideByState(at_hand, InMode(Mode::Auto));
  EXPECT_FALSE(in_auto.is_error);
  EXPECT_EQ(in_auto.work, Work::None);
}

TEST(DecideByState, CompilesInTheBackground) {
  AtHand at_hand = EverythingAtHand();
  at_hand.program = ProgramState::Made;
  Decision decision = DecideByState(at_hand, InMode(Mode::Auto));
  EXPECT_FALSE(decision.is_on_device);
  EXPECT_EQ(decision.reason, "the kernel is not compiled yet");
  EXPECT_EQ(decision.work, Work::Compile);
  EXPECT_TRUE(DecideByState(at_hand, InMode(Mode::Force)).is_on_device);
  at_hand.last_failure = "no memory";
  decision = DecideByState(at_hand, InMode(Mode::Auto));
  EXPECT_EQ(decision.reason, "the kernel is not compiled yet (the last attempt failed: no memory)");
}

TEST(DecideByState, ARefusedProgramStartsNoWork) {
  AtHand at_hand = EverythingAtHand();
  at_hand.program = ProgramState::Refused;
  at_hand.program_problem = "no kernel computes this";
  EXPECT_TRUE(DecideByState(at_hand, InMode(Mode::Force)).is_error);
  const Decision in_auto = DecideByState(at_hand, InMode(Mode::Auto));
  EXPECT_FALSE(in_auto.is_error);
  EXPECT_EQ(in_auto.reason, "no kernel computes this");
  EXPECT_EQ(in_auto.work, Work::None);
}

TEST(DecideByState, AFailedProgramIsMadeOnceMore) {
  AtHand at_hand = EverythingAtHand();
  at_hand.program = ProgramState::Failed;
  at_hand.program_problem = "a column was dropped";
  EXPECT_EQ(DecideByState(at_hand, InMode(Mode::Auto)).work, Work::MakeReady);
  EXPECT_TRUE(DecideByState(at_hand, InMode(Mode::Force)).is_on_device);
}

TEST(DecideByState, ReadsTapsBeforeTheProgramIsKnown) {
  AtHand at_hand = EverythingAtHand();
  at_hand.has_taps = true;
  at_hand.program = ProgramState::Unknown;
  EXPECT_TRUE(DecideByState(at_hand, InMode(Mode::Auto)).is_on_device);
  at_hand.last_failure = "no kernel computes this";
  const Decision decision = DecideByState(at_hand, InMode(Mode::Auto));
  EXPECT_FALSE(decision.is_on_device) << "not to collect their rows in vain";
  EXPECT_EQ(decision.reason, "the last attempt failed: no kernel computes this");
  EXPECT_EQ(decision.work, Work::None);
  EXPECT_TRUE(DecideByState(at_hand, InMode(Mode::Force)).is_on_device);
}

}  // namespace
}  // namespace margay::schedule
