#include "execute/split_part.hpp"

namespace margay::execute {

namespace {

//! The runs of both parts, batch by batch.
class SplitRun : public Run {
 public:
  SplitRun(std::unique_ptr<Run> left, std::unique_ptr<Run> right, size_t shared_columns)
      : left_(std::move(left)), right_(std::move(right)), shared_columns_(shared_columns) {}

  std::optional<ResultBatch> Next() override {
    auto left = left_->Next();
    auto right = right_->Next();
    Sum();
    if (left.has_value() != right.has_value() || (left && left->rows != right->rows)) {
      throw std::logic_error("the two halves of a split part have different rows");
    }
    if (!left)
      return std::nullopt;
    left->columns.insert(left->columns.end(),
                         right->columns.begin() + static_cast<ptrdiff_t>(shared_columns_),
                         right->columns.end());
    left->owner =
        std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
            left->owner, right->owner);
    return left;
  }
  const RunStatistics& Statistics() const override { return statistics_; }
  double Progress() const override { return (left_->Progress() + right_->Progress()) / 2; }

 private:
  void Sum() {
    statistics_ = left_->Statistics();
    statistics_.AddWork(right_->Statistics());
  }

  const std::unique_ptr<Run> left_;
  const std::unique_ptr<Run> right_;
  const size_t shared_columns_;
  RunStatistics statistics_;
};

}  // namespace

SplitPart::SplitPart(std::shared_ptr<const Part> left, std::shared_ptr<const Part> right,
                     size_t shared_columns)
    : left_(std::move(left)), right_(std::move(right)), shared_columns_(shared_columns) {}

std::optional<std::pair<plan::NodePointer, plan::NodePointer>> SplitPart::Cut(
    const plan::NodePointer& plan) {
  if (plan->Kind() == plan::NodeKind::Aggregate) {
    const auto& aggregates = plan->Aggregates();
    if (aggregates.size() < 2)
      return std::nullopt;
    const auto middle = aggregates.begin() + static_cast<ptrdiff_t>(aggregates.size() / 2);
    return std::pair{
        plan::Node::GroupBy(plan->Input(), plan->Expressions(), {aggregates.begin(), middle}),
        plan::Node::GroupBy(plan->Input(), plan->Expressions(), {middle, aggregates.end()})};
  }
  const bool is_project = plan->Kind() == plan::NodeKind::Project;
  std::vector<plan::ExpressionPointer> outputs;
  if (is_project) {
    outputs = plan->Expressions();
  } else {
    const auto& columns = plan::BottomScan(*plan).Columns();
    for (size_t i = 0; i < plan->OutputTypes().size(); i++) {
      outputs.push_back(plan::Expression::Column(i, plan->OutputTypes()[i],
                                                 i < columns.size() ? columns[i].name : ""));
    }
  }
  if (outputs.size() < 2)
    return std::nullopt;
  const plan::NodePointer& input = is_project ? plan->Input() : plan;
  const auto middle = outputs.begin() + static_cast<ptrdiff_t>(outputs.size() / 2);
  return std::pair{plan::Node::Project(input, {outputs.begin(), middle}),
                   plan::Node::Project(input, {middle, outputs.end()})};
}

BuildCounts SplitPart::Build(uint32_t threads) const {
  BuildCounts counts = left_->Build(threads);
  counts.Add(right_->Build(threads));
  return counts;
}

std::unique_ptr<Run> SplitPart::Start(RunOptions options) const {
  return std::make_unique<SplitRun>(left_->Start(options), right_->Start(options), shared_columns_);
}

}  // namespace margay::execute
