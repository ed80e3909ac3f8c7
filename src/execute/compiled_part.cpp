#include "execute/compiled_part.hpp"

#include "execute/aggregate_run.hpp"
#include "execute/group_table_run.hpp"
#include "execute/ordered_run.hpp"
#include "execute/rows_run.hpp"
#include "execute/split_part.hpp"

namespace margay::execute {

namespace {

std::string SourceOf(const compile::GeneratedProgram& program) {
  std::string source;
  for (const compile::GeneratedKernel& kernel : program.builds)
    source += kernel.source + "\n";
  return source + program.result.source;
}

}  // namespace

std::variant<std::shared_ptr<const Part>, Refusal> Part::Make(
    plan::NodePointer plan, std::vector<std::shared_ptr<storage::TableImage>> images,
    std::shared_ptr<device::Device> device, std::shared_ptr<memory::ExtentPool> pool,
    compile::Shape shape) {
  std::vector<compile::InputColumn> columns;
  std::vector<uint64_t> rows;
  const std::vector<const plan::Node*> scans = plan::Scans(*plan);
  for (size_t table = 0; table < scans.size(); table++) {
    rows.push_back(images[table]->Rows());
    // A join finds rows of its build sides by their numbers, in one extent.
    if (table > 0 && images[table]->ExtentCount() > 1) {
      return Refusal{"the join with " + scans[table]->Table() +
                     ", which takes more than one extent, is not supported yet"};
    }
    for (const plan::ScanColumn& column : scans[table]->Columns()) {
      auto image = images[table]->Find(column.id);
      if (!image)
        throw ImageLost("the cached column " + column.name + " was dropped for lack of memory");
      columns.push_back({columns.size(), table, column.name, image, image});
    }
  }
  auto generated = compile::GenerateProgram(*plan, columns, rows, shape);
  if (auto* refusal = std::get_if<compile::Refusal>(&generated)) {
    const auto halves = refusal->is_too_wide ? SplitPart::Cut(plan) : std::nullopt;
    if (!halves)
      return Refusal{refusal->reason};
    auto left = Make(halves->first, images, device, pool, shape);
    if (std::holds_alternative<Refusal>(left))
      return left;
    auto right = Make(halves->second, images, device, pool, shape);
    if (std::holds_alternative<Refusal>(right))
      return right;
    const bool is_aggregate = plan->Kind() == plan::NodeKind::Aggregate;
    return std::make_shared<const SplitPart>(std::get<0>(left), std::get<0>(right),
                                             is_aggregate ? plan->Expressions().size() : 0);
  }
  return std::make_shared<const CompiledPart>(
      std::get<compile::GeneratedProgram>(std::move(generated)), std::move(plan), std::move(images),
      std::move(device), std::move(pool));
}

CompiledPart::CompiledPart(compile::GeneratedProgram program, plan::NodePointer plan,
                           std::vector<std::shared_ptr<storage::TableImage>> images,
                           std::shared_ptr<device::Device> device,
                           std::shared_ptr<memory::ExtentPool> pool)
    : program_(std::move(program)),
      source_(SourceOf(program_)),
      plan_(std::move(plan)),
      images_(std::move(images)),
      device_(std::move(device)),
      pool_(std::move(pool)),
      learned_sizes_(program_.builds.size() + 1) {
  for (const compile::GeneratedKernel& kernel : program_.builds)
    LearnSize(kernel.build->number, kernel.build->rows);
  if (program_.result.aggregate.shared)
    LearnSize(program_.builds.size(), program_.result.aggregate.shared->slots);
}

std::vector<const compile::GeneratedKernel*> CompiledPart::Kernels() const {
  std::vector<const compile::GeneratedKernel*> kernels;
  for (const compile::GeneratedKernel& kernel : program_.builds)
    kernels.push_back(&kernel);
  kernels.push_back(&program_.result);
  return kernels;
}

bool CompiledPart::IsBuilt() const {
  for (const compile::GeneratedKernel* kernel : Kernels()) {
    if (device_->Programs().Find(kernel->source) == nullptr)
      return false;
  }
  return true;
}

void CompiledPart::Build() const {
  for (const compile::GeneratedKernel* kernel : Kernels())
    device_->Programs().Get(kernel->source);
}

std::unique_ptr<Run> CompiledPart::Start(RunOptions options) const {
  if (program_.result.aggregate.shared)
    return std::make_unique<GroupTableRun>(shared_from_this(), options);
  if (program_.result.is_aggregate)
    return std::make_unique<AggregateRun>(shared_from_this(), options);
  if (program_.result.order)
    return std::make_unique<OrderedRun>(shared_from_this(), options);
  return std::make_unique<RowsRun>(shared_from_this(), options);
}

}  // namespace margay::execute
