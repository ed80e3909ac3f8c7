// Programs that do not hold together are bugs, and told as such.
#include "optimize/physical/verify_program.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "integer_plans.hpp"
#include "optimize/physical/lowering.hpp"

namespace margay::optimize {
namespace {

using plan::Node;

std::shared_ptr<const storage::ColumnForm> Form() {
  storage::ColumnForm::Parts parts;
  parts.type = kInteger;
  parts.width = 4;
  parts.rows = parts.statistics.rows = 1000;
  parts.statistics.max = 999;
  return std::make_shared<storage::ColumnForm>(parts);
}

//! Rows of a table joined with another one.
Program JoinProgram() {
  const auto scan = [](const char* table) { return Node::Scan(table, {{0, "id", kInteger}}); };
  const auto plan = Node::Join(plan::JoinKind::Inner, scan("t"), scan("u"),
                               {{Column(0), Column(0), false}}, nullptr);
  const ScanInput input{1000, {0}, {{Form(), nullptr}}};
  return *std::get<0>(Lower(plan, {input, input}, {Shape::Loop, {}}));
}

std::string ProblemOf(const std::function<void(Program&)>& spoil) {
  Program program = JoinProgram();
  spoil(program);
  try {
    VerifyProgram(program);
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "none";
}

TEST(VerifyProgram, TellsWhatDoesNotHoldTogether) {
  EXPECT_EQ(ProblemOf([](Program&) {}), "none");
  EXPECT_EQ(ProblemOf([](Program& program) { program.result = 0; }),
            "VerifyProgram: sink 0 is the answer, but gives the host no rows");
  EXPECT_EQ(ProblemOf([](Program& program) { program.result = 2; }),
            "VerifyProgram: the program has no result");
  EXPECT_EQ(ProblemOf([](Program& program) { program.sinks[0].pipelines.clear(); }),
            "VerifyProgram: sink 0 is fed by no pipeline");
  EXPECT_EQ(ProblemOf([](Program& program) { program.pipelines[0].sink = 1; }),
            "VerifyProgram: sink 0 names a pipeline that feeds another one");
  EXPECT_EQ(ProblemOf([](Program& program) { program.sinks[0].kind = SinkKind::Rows; }),
            "VerifyProgram: sink 0 is fed by a pipeline whose kernel ends in another kind of sink");
  EXPECT_EQ(ProblemOf([](Program& program) { program.tables[0].scan.reset(); }),
            "VerifyProgram: pipeline 1 scans a table that is missing");
  EXPECT_EQ(ProblemOf([](Program& program) { program.tables[0].sink = 0; }),
            "VerifyProgram: table 0 is a scan of the plan and the content of a sink");
  EXPECT_EQ(ProblemOf([](Program& program) {
              program.tables[0].scan.reset();
              program.tables[0].sink = 0;
            }),
            "VerifyProgram: table 0 reads a sink that leaves no columns");
  EXPECT_EQ(ProblemOf([](Program& program) {
              std::swap(program.pipelines[0], program.pipelines[1]);
              program.sinks[0].pipelines = {1};
              program.sinks[1].pipelines = {0};
            }),
            "VerifyProgram: pipeline 0 reads a sink that is not complete before it");
}

}  // namespace
}  // namespace margay::optimize
