#include "schedule/decision.hpp"

#include <algorithm>

namespace margay::schedule {

namespace {

//! Beyond, DuckDB rather sorts for an inequality than that it looks at all rows for each row.
constexpr uint64_t kMostNestedLoopRows = 1000;

Decision DuckDBAnswers(std::string reason) {
  Decision decision;
  decision.reason = std::move(reason);
  return decision;
}

Decision Error(std::string reason) {
  Decision decision = DuckDBAnswers(std::move(reason));
  decision.is_error = true;
  return decision;
}

uint64_t RowsOfLargest(const PartFacts& part) {
  return *std::max_element(part.table_rows.begin(), part.table_rows.end());
}

//! Why a part is not worth a device, by a rule; empty where it may be.
std::string ReasonAgainst(const PartFacts& part, const Settings& settings) {
  if (!part.problem.empty())
    return part.problem;
  if (!part.has_aggregate && !part.is_top) {
    const std::string cause =
        part.above.empty()
            ? "the query gives rows as they are, without an aggregate or few first rows"
            : part.above;
    return cause + "; handing on rows costs more than a device saves";
  }
  // Sums of 10 million rows of a temporary table in 1,000 groups, on two cores: DuckDB takes 24 ms,
  // a device with collecting and encoding 61 ms. Behind a window function both take 632 ms.
  if (part.table_rows.empty())
    return "all rows come from DuckDB, and handing them over costs more than it saves";
  const uint64_t largest = RowsOfLargest(part);
  if (largest < settings.min_rows) {
    return std::string(part.table_rows.size() > 1 ? "the largest table" : "the table") +
           " has fewer than margay_min_rows = " + std::to_string(settings.min_rows) + " rows";
  }
  if (part.tapped_rows.value_or(0) > largest) {
    return "DuckDB would have to hand over about " + std::to_string(*part.tapped_rows) +
           " rows, more than the largest table has";
  }
  if (part.nested_loop_rows > kMostNestedLoopRows) {
    return "a join without an equality would look at up to " +
           std::to_string(part.nested_loop_rows) + " rows for each row";
  }
  return {};
}

//! What the first image that is not valid, or one that is refused, decides; none where all are
//! valid. `can_build` says whether what is missing could be made now.
std::optional<Decision> DecideByImages(const std::vector<ImageState>& images, bool& can_build) {
  std::optional<Decision> decision;
  can_build = true;
  for (const ImageState& image : images) {
    if (image.kind == ImageState::Kind::Valid)
      continue;
    can_build = can_build && image.can_build;
    const bool is_refused = image.kind == ImageState::Kind::Refused;
    if (decision && (decision->is_error || !is_refused))
      continue;
    const std::string reason = (images.size() > 1 ? image.table + ": " : "") + image.reason;
    decision = is_refused ? Error(reason) : DuckDBAnswers(reason);
  }
  return decision;
}

//! The same for both modes: on the device, or what is missing there and what is to be done.
Decision DecideOnDevice(const AtHand& at_hand) {
  bool can_build = false;
  if (auto decision = DecideByImages(at_hand.images, can_build)) {
    decision->work = can_build && !decision->is_error ? Work::MakeReady : Work::None;
    return *decision;
  }
  Decision decision;
  // Of a part with taps the kernels depend on the rows that DuckDB has yet to give.
  decision.is_on_device = at_hand.has_taps || at_hand.program == ProgramState::Built;
  if (decision.is_on_device)
    return decision;
  switch (at_hand.program) {
    case ProgramState::Refused:
      return Error(at_hand.program_problem);
    case ProgramState::Failed:
      // In force mode the execution meets the same error again and throws it.
      decision.reason = at_hand.program_problem;
      decision.work = Work::MakeReady;
      return decision;
    default:
      decision.reason = "the kernel is not compiled yet";
      decision.work = Work::Compile;
      return decision;
  }
}

}  // namespace

std::optional<Decision> DecideByPlan(const PartFacts& part, const Settings& settings) {
  switch (settings.mode) {
    case Mode::Off:
      return DuckDBAnswers("margay_mode = off");
    case Mode::Force:
      return part.problem.empty() ? std::nullopt : std::optional(Error(part.problem));
    case Mode::Auto:
      break;
  }
  const std::string reason = ReasonAgainst(part, settings);
  return reason.empty() ? std::nullopt : std::optional(DuckDBAnswers(reason));
}

Decision DecideByState(const AtHand& at_hand, const Settings& settings) {
  if (settings.mode == Mode::Force) {
    if (!at_hand.has_device)
      return Error(at_hand.device_problem);
    Decision decision = DecideOnDevice(at_hand);
    decision.is_on_device = !decision.is_error;
    decision.work = Work::None;
    return decision;
  }
  // Not to collect the rows of taps in vain once more.
  if (at_hand.has_taps && !at_hand.last_failure.empty())
    return DuckDBAnswers("the last attempt failed: " + at_hand.last_failure);
  if (!at_hand.has_device) {
    Decision decision =
        DuckDBAnswers(at_hand.last_failure.empty() ? at_hand.device_problem : at_hand.last_failure);
    decision.work = Work::MakeReady;
    return decision;
  }
  Decision decision = DecideOnDevice(at_hand);
  if (!decision.is_on_device && !at_hand.last_failure.empty())
    decision.reason += " (the last attempt failed: " + at_hand.last_failure + ")";
  decision.is_error = false;
  return decision;
}

}  // namespace margay::schedule
