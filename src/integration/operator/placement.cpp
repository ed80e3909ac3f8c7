#include "integration/operator/placement.hpp"

#include <chrono>

#include "device/device_error.hpp"
#include "duckdb/common/error_data.hpp"
#include "duckdb/main/client_context.hpp"
#include "integration/instance.hpp"
#include "integration/operator/part_tables.hpp"

namespace margay::integration {
namespace {

using schedule::AtHand;
using schedule::ImageState;
using schedule::ProgramState;

//! The device that the settings choose; null with a reason where there is none.
std::shared_ptr<const OpenDevice> OpenPlace(duckdb::ClientContext& context,
                                            const Settings& settings, std::string& reason) {
  try {
    return Instance::Get(context)->devices.Open(settings, reason);
  } catch (const device::DeviceError& error) {
    reason = error.what();
    return nullptr;
  }
}

double MillisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

ImageState StateOf(const ImageFinding& finding, const std::string& table) {
  ImageState state;
  state.kind = finding.kind == ImageFinding::Kind::Valid     ? ImageState::Kind::Valid
               : finding.kind == ImageFinding::Kind::Refused ? ImageState::Kind::Refused
                                                             : ImageState::Kind::Missing;
  state.table = table;
  state.reason = finding.reason;
  state.can_build = finding.can_build;
  return state;
}

//! Looks what is at hand for one part, from the device to its kernels, until something is missing.
class Search {
 public:
  Search(duckdb::ClientContext& context, std::shared_ptr<const CapturedPart> part,
         const PartTables& tables, Placement& placement)
      : context_(context),
        instance_(Instance::Get(context)),
        part_(std::move(part)),
        tables_(tables),
        placement_(placement) {}

  //! Fills in the placement as far as it finds something.
  AtHand Look(Purpose purpose) {
    at_hand_.has_taps = !part_->taps.empty();
    at_hand_.last_failure = instance_->builder.Problem(JobFor(nullptr));
    FindPlace(purpose);
    if (!placement_.place) {
      return at_hand_;
    }
    at_hand_.has_device = true;
    placement_.shape = ShapeFor(placement_.settings, *placement_.place->device);
    FindCopies();
    if (!placement_.copies.empty() && !at_hand_.has_taps) {
      FindProgram();
    }
    return at_hand_;
  }

  BuildJob JobFor(std::shared_ptr<const execute::Part> made) const {
    return {part_, placement_.settings, std::move(made)};
  }

 private:
  void FindPlace(Purpose purpose) {
    if (placement_.settings.mode == Mode::Force || purpose == Purpose::Explanation) {
      placement_.place = OpenPlace(context_, placement_.settings, at_hand_.device_problem);
      return;
    }
    placement_.place = instance_->devices.FindOpen(placement_.settings);
    if (!placement_.place) {
      at_hand_.device_problem =
          at_hand_.last_failure.empty() ? "the device is not open yet" : at_hand_.last_failure;
    }
  }

  void FindCopies() {
    TableCopies copies;
    for (const PartTable& table : tables_.tables) {
      const auto finding = instance_->images.Find(
          {context_, table.source, *table.scan, placement_.place,
           placement_.settings.dictionary_strings, placement_.settings.mode == Mode::Force});
      at_hand_.images.push_back(StateOf(finding, table.source->Name().table));
      if (finding.kind == ImageFinding::Kind::Valid) {
        copies.push_back(finding.copy);
      }
    }
    if (copies.size() == tables_.tables.size()) {
      placement_.copies = tables_.ForScans(copies);
    }
  }

  void FindProgram() {
    const auto start = std::chrono::steady_clock::now();
    MakeProgram();
    placement_.times.lower_milliseconds = MillisecondsSince(start);
  }

  void MakeProgram() {
    try {
      auto made = MakePart(*part_, placement_.copies, placement_.shape, placement_.settings,
                           instance_->counters);
      if (const auto* refusal = std::get_if<plan::Refusal>(&made)) {
        at_hand_.program = ProgramState::Refused;
        at_hand_.program_problem = refusal->reason;
        return;
      }
      placement_.made = std::get<MadePart>(made);
      at_hand_.program = placement_.made.part->IsBuilt() ? ProgramState::Built : ProgramState::Made;
      at_hand_.last_failure = instance_->builder.Problem(JobFor(placement_.made.part));
    } catch (std::exception& error) {
      at_hand_.program = ProgramState::Failed;
      at_hand_.program_problem = duckdb::ErrorData(error).RawMessage();
    }
  }

  duckdb::ClientContext& context_;
  const duckdb::shared_ptr<Instance> instance_;
  const std::shared_ptr<const CapturedPart> part_;
  const PartTables& tables_;
  Placement& placement_;
  AtHand at_hand_;
};

}  // namespace

Placement PlacePart(duckdb::ClientContext& context, const std::shared_ptr<const CapturedPart>& part,
                    Purpose purpose) {
  const auto start = std::chrono::steady_clock::now();
  Placement placement;
  placement.settings = ReadSettings(context);
  PartTables tables;
  schedule::PartFacts facts;
  if (placement.settings.mode != Mode::Off) {
    tables = PartTables::Find(context, *part);
    facts = tables.FactsOf(*part);
  }
  if (auto decision = schedule::DecideByPlan(facts, placement.settings)) {
    placement.decision = *decision;
    return placement;
  }
  Search search(context, part, tables, placement);
  placement.decision = schedule::DecideByState(search.Look(purpose), placement.settings);
  placement.times.decide_milliseconds =
      MillisecondsSince(start) - placement.times.lower_milliseconds;
  const schedule::Work work = placement.decision.work;
  if (purpose == Purpose::Execution && work != schedule::Work::None) {
    Instance::Get(context)->builder.Start(
        search.JobFor(work == schedule::Work::Compile ? placement.made.part : nullptr));
  }
  return placement;
}

}  // namespace margay::integration
