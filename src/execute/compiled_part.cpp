#include "execute/compiled_part.hpp"

#include <algorithm>
#include <unordered_map>

#include "compile/early_groups.hpp"
#include "compile/kept_rows.hpp"
#include "compile/refusal.hpp"
#include "compile/uniqueness.hpp"
#include "execute/aggregate_run.hpp"
#include "execute/group_table_run.hpp"
#include "execute/inner_part.hpp"
#include "execute/ordered_run.hpp"
#include "execute/rows_run.hpp"
#include "execute/split_part.hpp"
#include "plan/stages.hpp"

namespace margay::execute {

namespace {

using Images = std::vector<std::shared_ptr<storage::TableImage>>;

//! What a slow scan takes, in nanoseconds per row and compute unit. A part that spares it takes a
//! quarter of that on two cores (TPC-H's Q5 at scale 10, the slowest of its kind: 58 ms for 60 M
//! rows).
constexpr double kSlowScan = 8;

//! One run alone may be slow because memory is new, or others use the machine.
constexpr uint32_t kMostSlowRuns = 2;

std::string SourceOf(const compile::GeneratedProgram& program,
                     const std::vector<CompiledPart::Input>& inputs) {
  std::string source;
  for (const CompiledPart::Input& table : inputs) {
    if (!table.inner)
      continue;
    for (const auto& inner : table.inner->parts)
      source += inner->Source() + "\n";
  }
  for (const compile::GeneratedKernel& kernel : program.builds)
    source += kernel.source + "\n";
  return source + program.result.source;
}

//! Makes a part, the parts whose results it scans first.
class PartMaker {
 public:
  using Made = std::variant<std::shared_ptr<const CompiledPart>, Refusal>;
  using MadeInner = std::variant<std::shared_ptr<const InnerPart>, Refusal>;

  PartMaker(std::shared_ptr<device::Device> device, std::shared_ptr<memory::ExtentPool> pool,
            compile::Shape shape, std::optional<compile::JoinMethod> method, bool may_guess)
      : device_(std::move(device)),
        pool_(std::move(pool)),
        shape_(shape),
        method_(method),
        may_guess_(may_guess) {}

  Made Make(const plan::NodePointer& plan, const Images& images) {
    readers_.clear();
    CountReaders(plan);
    return MakeStage(plan, images, compile::ResultUse::Rows, nullptr);
  }

  //! Whether there may be parts for each half of the outputs of the plan that was refused.
  bool IsTooWide() const { return is_too_wide_; }

 private:
  void CountReaders(const plan::NodePointer& node) {
    if (node->Kind() == plan::NodeKind::Aggregate)
      readers_[node]++;
    for (const plan::NodePointer& input : {node->Input(), node->Build()}) {
      if (input)
        CountReaders(input);
    }
  }

  //! `wanted` says which groups of a result that is kept are of use; null: all. `kept`: see
  //! compile::GenerateProgram.
  Made MakeStage(const plan::NodePointer& plan, const Images& images, compile::ResultUse use,
                 const plan::ExpressionPointer& wanted,
                 const std::vector<compile::KeptColumn>* kept = nullptr) {
    const plan::Stages stages = plan::CutStages(plan);
    const std::vector<const plan::Node*> scans = plan::Scans(*stages.plan);
    std::vector<CompiledPart::Input> inputs;
    std::vector<compile::InputColumn> columns;
    std::vector<uint64_t> rows;
    auto image = images.begin();
    for (size_t table = 0; table < scans.size(); table++) {
      if (const plan::NodePointer& inner = stages.inners[table]) {
        const auto end = image + static_cast<ptrdiff_t>(plan::Scans(*inner).size());
        auto made = MakeInner(inner, {image, end}, stages.wanted[table]);
        if (auto* refusal = std::get_if<Refusal>(&made))
          return std::move(*refusal);
        image = end;
        inputs.push_back({nullptr, std::get<0>(std::move(made))});
      } else {
        inputs.push_back({*image++, nullptr});
      }
      AddColumns(*scans[table], inputs.back(), table, columns, rows);
    }
    auto generated = compile::GenerateProgram(*stages.plan, columns, rows, shape_, use, wanted,
                                              method_, kept, may_guess_ ? pool_->Limit() : 0);
    if (auto* refusal = std::get_if<compile::Refusal>(&generated)) {
      // Two runs would give the groups of an inner part in different orders.
      is_too_wide_ = refusal->is_too_wide && use == compile::ResultUse::Rows &&
                     std::none_of(inputs.begin(), inputs.end(),
                                  [](const auto& input) { return input.inner != nullptr; });
      return Refusal{refusal->reason};
    }
    return std::make_shared<const CompiledPart>(
        std::get<compile::GeneratedProgram>(std::move(generated)), stages.plan, std::move(inputs),
        device_, pool_);
  }

  //! What makes a table that is kept: one of each aggregate or union, wherever the plan reads its
  //! result.
  MadeInner MakeInner(const plan::NodePointer& node, const Images& images,
                      const plan::ExpressionPointer& wanted) {
    const auto known = inners_.find(node);
    if (known != inners_.end())
      return known->second;
    MadeInner made = node->Kind() == plan::NodeKind::Union ? MakeUnion(node, images)
                                                           : MakeAggregate(node, images, wanted);
    if (const auto* inner = std::get_if<std::shared_ptr<const InnerPart>>(&made))
      inners_.emplace(node, *inner);
    return made;
  }

  //! Of groups that are read in several places each may be wanted somewhere.
  MadeInner MakeAggregate(const plan::NodePointer& aggregate, const Images& images,
                          const plan::ExpressionPointer& wanted) {
    Made made = MakeStage(aggregate, images, compile::ResultUse::Kept,
                          readers_.at(aggregate) == 1 ? wanted : nullptr);
    if (auto* refusal = std::get_if<Refusal>(&made))
      return std::move(*refusal);
    auto inner = std::make_shared<InnerPart>();
    inner->parts.push_back(std::get<0>(std::move(made)));
    const compile::GeneratedKernel& result = inner->parts[0]->Program().result;
    inner->columns = result.kept;
    inner->most_rows = std::min(result.aggregate.MostGroups(), compile::kMostEntries);
    return inner;
  }

  //! The inputs are made as they suit themselves first: what their columns are then tells what the
  //! columns of the union must be.
  MadeInner MakeUnion(const plan::NodePointer& node, const Images& images) {
    const std::vector<plan::NodePointer> inputs = plan::UnionInputs(node);
    std::vector<Images> images_of_inputs;
    auto inner = std::make_shared<InnerPart>();
    auto image = images.begin();
    for (const plan::NodePointer& input : inputs) {
      const auto end = image + static_cast<ptrdiff_t>(plan::Scans(*input).size());
      images_of_inputs.emplace_back(image, end);
      image = end;
      Made made = MakeRows(input, images_of_inputs.back(), nullptr);
      if (auto* refusal = std::get_if<Refusal>(&made))
        return std::move(*refusal);
      inner->parts.push_back(std::get<0>(std::move(made)));
    }
    try {
      inner->columns = UnitedColumns(inner->parts);
    } catch (const compile::Unsupported& unsupported) {
      return Refusal{unsupported.what()};
    }
    inner->most_rows = inner->columns[0].form->Rows();
    for (size_t i = 0; i < inputs.size(); i++) {
      const std::vector<compile::KeptColumn>& own = inner->parts[i]->Program().result.kept;
      if (std::equal(own.begin(), own.end(), inner->columns.begin(), &compile::AreStoredAlike))
        continue;
      Made made = MakeRows(inputs[i], images_of_inputs[i], &inner->columns);
      if (auto* refusal = std::get_if<Refusal>(&made))
        return std::move(*refusal);
      inner->parts[i] = std::get<0>(std::move(made));
    }
    return inner;
  }

  //! A part whose rows are kept. Groups are read as rows.
  Made MakeRows(const plan::NodePointer& node, const Images& images,
                const std::vector<compile::KeptColumn>* kept) {
    if (node->Kind() != plan::NodeKind::Aggregate)
      return MakeStage(node, images, compile::ResultUse::Kept, nullptr, kept);
    return MakeStage(plan::Node::Project(node, plan::OutputColumns(*node)), images,
                     compile::ResultUse::Kept, nullptr, kept);
  }

  //! The columns that hold the rows of all of `parts`. Throws compile::Unsupported.
  static std::vector<compile::KeptColumn> UnitedColumns(
      const std::vector<std::shared_ptr<const CompiledPart>>& parts) {
    std::vector<compile::KeptColumn> united;
    for (size_t column = 0; column < parts[0]->Program().result.kept.size(); column++) {
      std::vector<compile::KeptColumn> columns;
      columns.reserve(parts.size());
      for (const auto& part : parts)
        columns.push_back(part->Program().result.kept[column]);
      united.push_back(compile::Concatenation(columns));
    }
    return united;
  }

  //! Adds what the kernels know about the columns that `scan` reads from `input`.
  static void AddColumns(const plan::Node& scan, const CompiledPart::Input& input, size_t table,
                         std::vector<compile::InputColumn>& columns, std::vector<uint64_t>& rows) {
    if (input.inner) {
      rows.push_back(input.inner->most_rows);
      for (const plan::ScanColumn& column : scan.Columns()) {
        columns.push_back({columns.size(), table, column.name, input.inner->columns[column.id].form,
                           nullptr, column.id});
      }
      return;
    }
    rows.push_back(input.image->Rows());
    for (const plan::ScanColumn& column : scan.Columns()) {
      auto image = input.image->Find(column.id);
      if (!image)
        throw ImageLost("the cached column " + column.name + " was dropped for lack of memory");
      columns.push_back({columns.size(), table, column.name, image, image, column.id});
    }
  }

  const std::shared_ptr<device::Device> device_;
  const std::shared_ptr<memory::ExtentPool> pool_;
  const compile::Shape shape_;
  const std::optional<compile::JoinMethod> method_;
  const bool may_guess_;
  std::unordered_map<plan::NodePointer, std::shared_ptr<const InnerPart>> inners_;
  std::unordered_map<plan::NodePointer, size_t> readers_;  //!< per aggregate of the plan
  bool is_too_wide_ = false;
};

}  // namespace

std::variant<std::shared_ptr<const Part>, Refusal> Part::Make(
    const plan::NodePointer& plan, const std::vector<std::shared_ptr<storage::TableImage>>& images,
    const std::shared_ptr<device::Device>& device, const std::shared_ptr<memory::ExtentPool>& pool,
    compile::Shape shape, std::optional<compile::JoinMethod> method, bool may_guess) {
  PartMaker maker(device, pool, shape, method, may_guess);
  const auto grouped = compile::GroupBeforeJoins(plan, [&](size_t scan, uint64_t column) {
    const auto image = images[scan]->Find(column);
    return image && !image->HasValidity() && compile::HasUniqueValues(image->Statistics());
  });
  if (grouped) {
    PartMaker::Made made = maker.Make(grouped, images);
    if (auto* part = std::get_if<std::shared_ptr<const CompiledPart>>(&made))
      return std::move(*part);
  }
  PartMaker::Made made = maker.Make(plan, images);
  if (auto* part = std::get_if<std::shared_ptr<const CompiledPart>>(&made))
    return std::move(*part);
  // Rows that are looked up come in no order that two halves would share.
  if (may_guess)
    return Make(plan, images, device, pool, shape, method, false);
  const auto halves = maker.IsTooWide() ? SplitPart::Cut(plan) : std::nullopt;
  if (!halves)
    return std::get<Refusal>(made);
  auto left = Make(halves->first, images, device, pool, shape, method, false);
  if (std::holds_alternative<Refusal>(left))
    return left;
  auto right = Make(halves->second, images, device, pool, shape, method, false);
  if (std::holds_alternative<Refusal>(right))
    return right;
  const bool is_aggregate = plan->Kind() == plan::NodeKind::Aggregate;
  return std::make_shared<const SplitPart>(std::get<0>(left), std::get<0>(right),
                                           is_aggregate ? plan->Expressions().size() : 0);
}

CompiledPart::CompiledPart(compile::GeneratedProgram program, plan::NodePointer plan,
                           std::vector<Input> inputs, std::shared_ptr<device::Device> device,
                           std::shared_ptr<memory::ExtentPool> pool)
    : program_(std::move(program)),
      source_(SourceOf(program_, inputs)),
      plan_(std::move(plan)),
      inputs_(std::move(inputs)),
      device_(std::move(device)),
      pool_(std::move(pool)),
      constants_(*device_),
      learned_sizes_(program_.builds.size() + 1) {
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

std::vector<std::shared_ptr<const CompiledPart>> CompiledPart::Inners() const {
  std::vector<std::shared_ptr<const CompiledPart>> inners;
  for (const Input& input : inputs_) {
    if (input.inner)
      inners.insert(inners.end(), input.inner->parts.begin(), input.inner->parts.end());
  }
  return inners;
}

bool CompiledPart::IsBuilt() const {
  for (const auto& inner : Inners()) {
    if (!inner->IsBuilt())
      return false;
  }
  for (const compile::GeneratedKernel* kernel : Kernels()) {
    if (device_->Programs().Find(kernel->source) == nullptr)
      return false;
  }
  return true;
}

void CompiledPart::Build() const {
  for (const auto& inner : Inners())
    inner->Build();
  for (const compile::GeneratedKernel* kernel : Kernels())
    device_->Programs().Get(kernel->source);
}

std::vector<std::string> CompiledPart::DescribeJoins() const {
  std::vector<std::string> joins;
  for (const auto& inner : Inners()) {
    const std::vector<std::string> of_inner = inner->DescribeJoins();
    joins.insert(joins.end(), of_inner.begin(), of_inner.end());
  }
  const std::vector<const plan::Node*> scans = plan::Scans(*plan_);
  for (const compile::GeneratedKernel& kernel : program_.builds) {
    joins.push_back(scans[kernel.build->table]->Table() + ": " +
                    std::string(compile::JoinMethodName(kernel.build->Method())));
  }
  return joins;
}

bool CompiledPart::GuessedWrong() const {
  const auto inners = Inners();
  return slow_runs_ >= kMostSlowRuns ||
         std::any_of(inners.begin(), inners.end(),
                     [](const auto& inner) { return inner->GuessedWrong(); });
}

void CompiledPart::LearnTime(double nanoseconds, uint64_t rows) const {
  const bool is_slow = program_.spared_rows != 0 &&
                       nanoseconds > kSlowScan * static_cast<double>(program_.spared_rows + rows);
  slow_runs_ = is_slow ? slow_runs_ + 1 : 0;
}

bool CompiledPart::EvaluatesFunctions() const {
  const auto has_function = [](const compile::RowOutput& output) {
    return output.function != nullptr;
  };
  const auto& outputs = program_.result.outputs;
  const auto& packed = program_.result.collect.outputs;
  return std::any_of(outputs.begin(), outputs.end(), has_function) ||
         std::any_of(packed.begin(), packed.end(), has_function);
}

uint64_t CompiledPart::HostBytes() const {
  uint64_t bytes = 0;
  for (const auto& inner : Inners())
    bytes += inner->HostBytes();
  for (const compile::GeneratedKernel* kernel : Kernels()) {
    bytes += kernel->parameters.LookupBytes().size() +
             kernel->collect.parameters.LookupBytes().size() + kernel->structure_name.size() +
             kernel->filter->Bytes();
  }
  return bytes;
}

std::string CompiledPart::NameOf(const compile::GeneratedKernel& kernel) const {
  const std::string& table = plan::Scans(*plan_)[kernel.table]->Table();
  if (kernel.build)
    return table + " into a join table";
  return table + (kernel.is_aggregate ? " into groups" : " into rows");
}

std::unique_ptr<Run> CompiledPart::Start(RunOptions options) const {
  return StartKernelRun(options);
}

std::unique_ptr<KernelRun> CompiledPart::StartKernelRun(const RunOptions& options) const {
  if (program_.result.aggregate.shared)
    return std::make_unique<GroupTableRun>(shared_from_this(), options);
  if (program_.result.is_aggregate)
    return std::make_unique<AggregateRun>(shared_from_this(), options);
  if (program_.result.order)
    return std::make_unique<OrderedRun>(shared_from_this(), options);
  return std::make_unique<RowsRun>(shared_from_this(), options);
}

}  // namespace margay::execute
