#pragma once

#include "execute/part.hpp"

namespace margay::execute {

//! A part with more columns than a kernel takes arguments: two parts over the same rows, whose
//! results are put side by side. Both keep the table's order (or the order of groups), so that row
//! i of one belongs to row i of the other.
class SplitPart : public Part, public std::enable_shared_from_this<SplitPart> {
 public:
  //! `shared_columns` first columns of the right result (group keys) are the left one's again.
  SplitPart(std::shared_ptr<const Part> left, std::shared_ptr<const Part> right,
            size_t shared_columns);

  //! `plan` cut in two: half of the outputs or aggregates each. Nothing if there is only one.
  static std::optional<std::pair<plan::NodePointer, plan::NodePointer>> Cut(
      const plan::NodePointer& plan);

  bool IsBuilt() const override { return left_->IsBuilt() && right_->IsBuilt(); }
  BuildCounts Build(uint32_t threads) const override;
  std::string Source() const override { return left_->Source() + "\n" + right_->Source(); }
  std::string ProgramText() const override {
    return left_->ProgramText() + "\n" + right_->ProgramText();
  }
  std::vector<std::string> DescribeJoins() const override { return left_->DescribeJoins(); }
  bool EstimatedWrong() const override {
    return left_->EstimatedWrong() || right_->EstimatedWrong();
  }
  bool EvaluatesFunctions() const override {
    return left_->EvaluatesFunctions() || right_->EvaluatesFunctions();
  }
  uint64_t HostBytes() const override { return left_->HostBytes() + right_->HostBytes(); }
  std::unique_ptr<Run> Start(RunOptions options) const override;

 private:
  const std::shared_ptr<const Part> left_;
  const std::shared_ptr<const Part> right_;
  const size_t shared_columns_;
};

}  // namespace margay::execute
