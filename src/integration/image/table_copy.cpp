#include "integration/image/table_copy.hpp"

#include <algorithm>

namespace margay::integration {

std::vector<plan::ScanColumn> TableCopy::MissingColumns(const plan::Node& scan, bool can_restore,
                                                        uint64_t& lost) {
  std::vector<plan::ScanColumn> missing;
  const bool can_read_again = CanReadAgain();
  for (const auto& column : scan.Columns()) {
    const auto found = image_->Find(column.id);
    const bool is_lost = found && found->IsLost();
    if (found && (!is_lost || (can_restore && can_read_again))) {
      continue;
    }
    missing.push_back(column);
    lost += is_lost ? 1 : 0;
    if (is_lost && !can_read_again) {
      image_->Remove(column.id);
    }
  }
  return missing;
}

TableCopy::Inputs TableCopy::InputsOf(const plan::Node& plan, const TableCopies& copies) {
  Inputs inputs;
  auto scans = plan::Scans(plan);
  for (size_t i = 0; i < scans.size(); i++) {
    inputs.images.push_back(copies[i]->image_);
    for (const auto& column : scans[i]->Columns()) {
      inputs.columns.push_back(copies[i]->image_->Find(column.id));
      if (!inputs.columns.back()) {
        throw execute::ImageLost("the column " + column.name + " was dropped for lack of memory");
      }
    }
  }
  return inputs;
}

PartOrRefusal TableCopy::PartFor(const plan::NodePointer& plan, const TableCopies& copies,
                                 optimize::Shape shape, std::optional<optimize::JoinMethod> method,
                                 Counters& counters) {
  auto& keeper = *copies[0];
  auto inputs = InputsOf(*plan, copies);
  auto make = [&](bool uses_estimates = true) {
    counters.parts_lowered++;
    return execute::Part::Make(plan, inputs.images, *keeper.place_, shape, method, uses_estimates);
  };
  if (plan::DependsOnSettings(*plan)) {
    return make();
  }
  const PartKey key{shape, method, plan};
  const auto kept = keeper.FindPart(key, inputs);
  std::shared_ptr<const execute::Part> wrong;
  if (kept) {
    const auto* known = std::get_if<std::shared_ptr<const execute::Part>>(&*kept);
    if (known == nullptr || !(*known)->EstimatedWrong()) {
      return *kept;
    }
    wrong = *known;
  }
  auto part = make(wrong == nullptr);
  if (wrong && std::holds_alternative<plan::Refusal>(part)) {
    return wrong;
  }
  const auto* made = std::get_if<std::shared_ptr<const execute::Part>>(&part);
  if (made != nullptr &&
      ((*made)->EvaluatesFunctions() || (*made)->HostBytes() > kLargestCachedPart)) {
    return part;  // which needs the connection of its query, or memory that nobody counts
  }
  if (std::all_of(copies.begin(), copies.end(),
                  [](const auto& copy) { return copy->IsCached(); })) {
    keeper.CachePart(key, std::move(inputs), part);
  }
  return part;
}

bool TableCopy::PartKey::operator==(const PartKey& other) const {
  return shape == other.shape && method == other.method && plan::SameNode(*plan, *other.plan);
}

std::optional<PartOrRefusal> TableCopy::FindPart(const PartKey& key, const Inputs& inputs) {
  const std::lock_guard<std::mutex> guard(mutex_);
  const auto found = parts_.find(key);
  if (found == parts_.end() || found->second.inputs != inputs) {
    return std::nullopt;
  }
  order_.splice(order_.begin(), order_, found->second.place);
  return found->second.part;
}

void TableCopy::CachePart(const PartKey& key, Inputs inputs, const PartOrRefusal& part) {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (const auto known = parts_.find(key); known != parts_.end()) {
    order_.erase(known->second.place);
    parts_.erase(known);
  }
  order_.push_front(key);
  parts_.emplace(key, CachedPart{std::move(inputs), part, order_.begin()});
  if (order_.size() > kMostParts) {
    parts_.erase(order_.back());
    order_.pop_back();
  }
}

void TableCopy::Forget(const storage::TableImage& image) {
  std::lock_guard<std::mutex> guard(mutex_);
  order_.remove_if([&](const PartKey& key) {
    const auto& images = parts_.at(key).inputs.images;
    bool is_used = std::any_of(images.begin(), images.end(),
                               [&](const auto& used) { return used.get() == &image; });
    if (is_used) {
      parts_.erase(key);
    }
    return is_used;
  });
}

std::vector<std::string> DescribeColumns(const plan::Node& plan, const TableCopies& copies) {
  std::vector<std::string> lines;
  auto scans = plan::Scans(plan);
  for (size_t i = 0; i < scans.size(); i++) {
    for (const auto& column : scans[i]->Columns()) {
      auto image = copies[i] ? copies[i]->Image()->Find(column.id) : nullptr;
      if (!image) {
        continue;
      }
      lines.push_back((scans.size() > 1 ? scans[i]->Table() + "." : "") + column.name + " " +
                      image->Type().ToString() + ": " +
                      std::string(storage::EncodingName(image->GetEncoding())) + ", " +
                      std::to_string(image->Width()) + " bytes" +
                      (image->HasValidity() ? ", validity" : ""));
    }
  }
  return lines;
}

}  // namespace margay::integration
