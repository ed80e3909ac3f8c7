#include "duckdb/table_copy.hpp"

namespace margay::integration {

bool TableCopy::HasColumns(const plan::Node& scan, uint64_t& lost) {
  bool has_all = true;
  for (const auto& column : scan.Columns()) {
    auto found = image_->Find(column.id);
    if (found && found->IsLost()) {
      image_->Remove(column.id);
      lost++;
      found = nullptr;
    }
    has_all = has_all && found != nullptr;
  }
  return has_all;
}

PartOrRefusal TableCopy::PartFor(const std::string& key, const plan::NodePointer& plan,
                                 compile::Shape shape) {
  std::string full_key = std::string(compile::ShapeName(shape)) + "\n" + key;
  Columns columns;
  for (const auto& column : plan::BottomScan(*plan).Columns()) {
    columns.push_back(image_->Find(column.id));
    if (!columns.back()) {
      throw execute::ImageLost("the column " + column.name + " was dropped for lack of memory");
    }
  }
  // What a dictionary function gives may depend on more than its text: settings, for one.
  if (plan::UsesDictionaryFunctions(*plan)) {
    return execute::Part::Make(plan, image_, place_->device, place_->pool, shape);
  }
  {
    std::lock_guard<std::mutex> guard(mutex_);
    auto found = parts_.find(full_key);
    if (found != parts_.end() && found->second.columns == columns) {
      return found->second.part;
    }
  }
  auto part = execute::Part::Make(plan, image_, place_->device, place_->pool, shape);
  std::lock_guard<std::mutex> guard(mutex_);
  if (parts_.insert_or_assign(full_key, MadePart{std::move(columns), part}).second) {
    order_.push_back(full_key);
  }
  if (order_.size() > kMostParts) {
    parts_.erase(order_.front());
    order_.pop_front();
  }
  return part;
}

}  // namespace margay::integration
