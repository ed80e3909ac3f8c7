#include "execute/compiled_part.hpp"

#include "execute/aggregate_run.hpp"
#include "execute/rows_run.hpp"
#include "execute/split_part.hpp"

namespace margay::execute {

std::variant<std::shared_ptr<const Part>, Refusal> Part::Make(
    plan::NodePointer plan, std::shared_ptr<storage::TableImage> image,
    std::shared_ptr<device::Device> device, std::shared_ptr<memory::ExtentPool> pool,
    compile::Shape shape) {
  std::vector<compile::InputColumn> columns;
  for (const plan::ScanColumn& column : plan::BottomScan(*plan).Columns()) {
    columns.push_back({columns.size(), column.name, image->Find(column.id)});
    if (!columns.back().image) {
      throw ImageLost("the cached column " + column.name + " was dropped for lack of memory");
    }
  }
  auto generated = compile::GenerateKernel(*plan, columns, image->Rows(), shape);
  if (auto* refusal = std::get_if<compile::Refusal>(&generated)) {
    const auto halves = refusal->is_too_wide ? SplitPart::Cut(plan) : std::nullopt;
    if (!halves)
      return Refusal{refusal->reason};
    auto left = Make(halves->first, image, device, pool, shape);
    if (std::holds_alternative<Refusal>(left))
      return left;
    auto right = Make(halves->second, image, device, pool, shape);
    if (std::holds_alternative<Refusal>(right))
      return right;
    const bool is_aggregate = plan->Kind() == plan::NodeKind::Aggregate;
    return std::make_shared<const SplitPart>(std::get<0>(left), std::get<0>(right),
                                             is_aggregate ? plan->Expressions().size() : 0);
  }
  return std::make_shared<const CompiledPart>(
      std::get<compile::GeneratedKernel>(std::move(generated)), std::move(plan), std::move(image),
      std::move(device), std::move(pool));
}

CompiledPart::CompiledPart(compile::GeneratedKernel kernel, plan::NodePointer plan,
                           std::shared_ptr<storage::TableImage> image,
                           std::shared_ptr<device::Device> device,
                           std::shared_ptr<memory::ExtentPool> pool)
    : kernel_(std::move(kernel)),
      plan_(std::move(plan)),
      image_(std::move(image)),
      device_(std::move(device)),
      pool_(std::move(pool)) {}

bool CompiledPart::IsBuilt() const {
  return device_->Programs().Find(kernel_.source) != nullptr;
}

void CompiledPart::Build() const {
  device_->Programs().Get(kernel_.source);
}

std::vector<std::string> CompiledPart::ColumnDescriptions() const {
  std::vector<std::string> lines;
  for (const compile::InputColumn& column : kernel_.columns) {
    lines.push_back(column.name + " " + column.image->Type().ToString() + ": " +
                    std::string(storage::EncodingName(column.image->GetEncoding())) + ", " +
                    std::to_string(column.image->Width()) + " bytes" +
                    (column.IsText() ? " and the string" : "") +
                    (column.image->HasValidity() ? ", validity" : ""));
  }
  return lines;
}

std::unique_ptr<Run> CompiledPart::Start(RunOptions options) const {
  if (kernel_.is_aggregate)
    return std::make_unique<AggregateRun>(shared_from_this(), options);
  return std::make_unique<RowsRun>(shared_from_this(), options);
}

}  // namespace margay::execute
