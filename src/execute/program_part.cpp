#include "execute/program_part.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <set>
#include <unordered_set>

#include "execute/program_run.hpp"
#include "execute/split_part.hpp"
#include "optimize/physical/lowering.hpp"
#include "optimize/physical/program_outline.hpp"
#include "optimize/unsupported.hpp"

namespace margay::execute {

namespace {

using Images = ProgramPart::Images;

//! What the scans of `plan` read. Throws ImageLost.
std::vector<optimize::ScanInput> InputsOf(const plan::Node& plan, const Images& images) {
  std::vector<optimize::ScanInput> inputs;
  const std::vector<const plan::Node*> scans = plan::Scans(plan);
  for (size_t i = 0; i < scans.size(); i++) {
    optimize::ScanInput& input = inputs.emplace_back();
    input.rows = images[i]->Rows();
    for (const plan::ScanColumn& column : scans[i]->Columns()) {
      auto image = images[i]->Find(column.id);
      if (!image)
        throw ImageLost("the cached column " + column.name + " was dropped for lack of memory");
      input.ids.push_back(column.id);
      input.columns.push_back({image, image});
    }
  }
  return inputs;
}

//! A part, or why there is none.
struct Attempt {
  std::shared_ptr<const Part> part;
  std::string reason;
  bool is_too_wide = false;  //!< there may be parts for each half of the plan's outputs
};

Attempt TryMake(const plan::NodePointer& plan, const Images& images, const Place& place,
                const optimize::LoweringOptions& options) {
  auto lowered = optimize::Lower(plan, InputsOf(*plan, images), options);
  if (auto* refusal = std::get_if<plan::Refusal>(&lowered))
    return {nullptr, refusal->reason, false};
  auto program = std::get<0>(std::move(lowered));
  for (size_t i = 0; i < program->pipelines.size(); i++) {
    try {
      compile::CheckKernel(*program->pipelines[i].lowered);
    } catch (const optimize::TooManyArguments& wide) {
      const bool has_union =
          std::any_of(program->tables.begin(), program->tables.end(),
                      [](const optimize::ProgramTable& table) { return !table.IsStored(); });
      if (has_union && !options.stores_unions) {
        optimize::LoweringOptions storing = options;
        storing.stores_unions = true;
        return TryMake(plan, images, place, storing);
      }
      // Two runs would give the rows of what stays on the device in different orders.
      const bool has_inner =
          std::any_of(program->tables.begin(), program->tables.end(),
                      [](const optimize::ProgramTable& table) { return table.sink.has_value(); });
      return {nullptr, wide.what(), !has_inner && i + 1 == program->pipelines.size()};
    } catch (const optimize::Unsupported& unsupported) {
      return {nullptr, unsupported.what(), false};
    }
  }
  return {std::make_shared<const ProgramPart>(std::move(program), images, place), {}, false};
}

std::vector<compile::KernelDigest> DigestsOf(const optimize::Program& program) {
  std::vector<compile::KernelDigest> digests;
  for (const optimize::ProgramPipeline& pipeline : program.pipelines)
    digests.push_back(compile::KernelDigest::Of(*pipeline.lowered));
  return digests;
}

}  // namespace

std::variant<std::shared_ptr<const Part>, plan::Refusal> Part::Make(
    const plan::NodePointer& plan, const Images& images, const Place& place, optimize::Shape shape,
    std::optional<optimize::JoinMethod> method, bool uses_estimates) {
  Attempt attempt =
      TryMake(plan, images, place, {shape, method, uses_estimates ? place.pool->Limit() : 0});
  if (attempt.part)
    return attempt.part;
  // Rows that are looked up come in no order that two halves would share.
  if (uses_estimates)
    return Make(plan, images, place, shape, method, false);
  const auto halves = attempt.is_too_wide ? SplitPart::Cut(plan) : std::nullopt;
  if (!halves)
    return plan::Refusal{attempt.reason};
  auto left = Make(halves->first, images, place, shape, method, false);
  if (std::holds_alternative<plan::Refusal>(left))
    return left;
  auto right = Make(halves->second, images, place, shape, method, false);
  if (std::holds_alternative<plan::Refusal>(right))
    return right;
  const bool is_aggregate = plan->Kind() == plan::NodeKind::Aggregate;
  return std::make_shared<const SplitPart>(std::get<0>(left), std::get<0>(right),
                                           is_aggregate ? plan->Expressions().size() : 0);
}

ProgramPart::ProgramPart(std::shared_ptr<const optimize::Program> program, Images images,
                         Place place)
    : program_(std::move(program)),
      digests_(DigestsOf(*program_)),
      images_(std::move(images)),
      place_(std::move(place)),
      constants_(std::make_unique<ConstantBuffers>(*place_.device)),
      learned_(std::make_unique<LearnedFacts>(*program_)) {}

storage::TableImage* ProgramPart::ImageOf(size_t table) const {
  const auto& scan = program_->tables[table].scan;
  return scan ? images_[*scan].get() : nullptr;
}

bool ProgramPart::IsBuilt() const {
  return std::all_of(digests_.begin(), digests_.end(), [&](const compile::KernelDigest& digest) {
    const auto kernel = place_.kernels->Find(digest);
    return kernel && place_.device->Programs().IsInMemory(kernel->program);
  });
}

ProgramPart::Kernels ProgramPart::GetKernels() const {
  Kernels kernels;
  for (size_t i = 0; i < digests_.size(); i++)
    kernels.push_back(place_.kernels->Get(digests_[i], *program_->pipelines[i].lowered));
  return kernels;
}

BuildCounts ProgramPart::Build(uint32_t threads) const {
  BuildCounts counts;
  // Several pipelines may have one kernel.
  for (const auto& digest : std::unordered_set(digests_.begin(), digests_.end()))
    counts.written += place_.kernels->Find(digest) ? 0 : 1;
  std::set<std::shared_ptr<const compile::KernelSource>> missing;
  for (const auto& kernel : GetKernels()) {
    if (!place_.device->Programs().IsInMemory(kernel->program))
      missing.insert(kernel);
  }
  counts.built = missing.size();
  const Kernels kernels(missing.begin(), missing.end());
  std::atomic<size_t> next = 0;
  const auto build_next = [&] {
    for (size_t i = next++; i < kernels.size(); i = next++)
      place_.device->Programs().Get(kernels[i]->program);
  };
  std::vector<std::future<void>> others;
  // A simulator crashes where several threads call it.
  const size_t most = place_.device->Info().is_simulator ? 1 : threads;
  const size_t workers = std::min<size_t>(most, kernels.size());
  for (size_t i = 1; i < workers; i++)
    others.push_back(std::async(std::launch::async, build_next));
  build_next();
  for (std::future<void>& other : others)
    other.get();
  return counts;
}

std::string ProgramPart::Source() const {
  std::string source;
  for (const auto& kernel : GetKernels())
    source += (source.empty() ? "" : "\n") + kernel->program.Text();
  return source;
}

std::string ProgramPart::ProgramText() const {
  return optimize::OutlineOf(*program_).ToString();
}

std::vector<std::string> ProgramPart::DescribeJoins() const {
  std::vector<std::string> joins;
  for (const optimize::ProgramPipeline& pipeline : program_->pipelines) {
    if (const auto* build = std::get_if<optimize::JoinBuildSink>(&pipeline.lowered->sink)) {
      joins.push_back(program_->tables[pipeline.lowered->table].name + ": " +
                      std::string(optimize::JoinMethodName(build->table.Method())));
    }
  }
  return joins;
}

bool ProgramPart::EvaluatesFunctions() const {
  const auto has_function = [](const optimize::RowOutput& output) {
    return output.function != nullptr;
  };
  return std::any_of(program_->pipelines.begin(), program_->pipelines.end(),
                     [&](const optimize::ProgramPipeline& pipeline) {
                       const auto& sink = pipeline.lowered->sink;
                       if (const auto* rows = std::get_if<optimize::RowSink>(&sink))
                         return std::any_of(rows->outputs.begin(), rows->outputs.end(),
                                            has_function);
                       const auto* groups = std::get_if<optimize::GroupSink>(&sink);
                       return groups != nullptr && groups->packing &&
                              std::any_of(groups->packing->outputs.begin(),
                                          groups->packing->outputs.end(), has_function);
                     });
}

uint64_t ProgramPart::HostBytes() const {
  uint64_t bytes = 0;
  for (const optimize::ProgramPipeline& pipeline : program_->pipelines) {
    const optimize::LoweredPipeline& lowered = *pipeline.lowered;
    bytes += lowered.values->parameters.TableBytes() + lowered.segment_filter->Bytes();
    const auto* groups = std::get_if<optimize::GroupSink>(&lowered.sink);
    if (groups != nullptr && groups->packing)
      bytes += groups->packing->values->parameters.TableBytes();
  }
  return bytes;
}

std::string ProgramPart::NameOf(size_t pipeline) const {
  const optimize::LoweredPipeline& lowered = *program_->pipelines[pipeline].lowered;
  const std::string& table = program_->tables[lowered.table].name;
  if (std::holds_alternative<optimize::JoinBuildSink>(lowered.sink))
    return table + " into a join table";
  return table + (std::holds_alternative<optimize::GroupSink>(lowered.sink) ? " into groups"
                                                                            : " into rows");
}

std::unique_ptr<Run> ProgramPart::Start(RunOptions options) const {
  return std::make_unique<ProgramRun>(shared_from_this(), std::move(options));
}

}  // namespace margay::execute
