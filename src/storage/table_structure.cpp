#include "storage/table_structure.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace margay::storage {

size_t TableStructure::Bytes() const {
  size_t bytes = 0;
  for (const auto& extent : extents) {
    bytes += extent->Bytes();
  }
  return bytes;
}

bool TableStructure::IsLost() const {
  return std::any_of(extents.begin(), extents.end(),
                     [](const auto& extent) { return extent->IsLost(); });
}

std::optional<std::vector<memory::ExtentPin>> TableStructure::TryPin() const {
  std::vector<memory::ExtentPin> pins;
  for (const auto& extent : extents) {
    auto pin = extent->TryPin();
    if (!pin) {
      return std::nullopt;
    }
    pins.push_back(std::move(*pin));
  }
  return pins;
}

std::shared_ptr<const TableStructure> TableStructures::Find(
    const std::string& name, const std::vector<std::shared_ptr<const ColumnImage>>& columns) const {
  std::shared_lock lock(mutex_);
  auto found = structures_.find(name);
  return found != structures_.end() && found->second->columns == columns ? found->second : nullptr;
}

void TableStructures::Add(const std::string& name,
                          std::shared_ptr<const TableStructure> structure) {
  std::unique_lock lock(mutex_);
  structures_[name].swap(structure);
  lock.unlock();  // A replaced one is freed without the lock.
}

std::vector<std::shared_ptr<const TableStructure>> TableStructures::List() const {
  std::vector<std::shared_ptr<const TableStructure>> result;
  std::shared_lock lock(mutex_);
  for (const auto& [name, structure] : structures_) {
    if (!structure->IsLost()) {
      result.push_back(structure);
    }
  }
  return result;
}

}  // namespace margay::storage
