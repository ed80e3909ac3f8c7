#include "integration/image/table_extents.hpp"

namespace margay::integration {

TableExtents::TableExtents(duckdb::ClientContext& context, const TableCopies& copies,
                           ReadControl control)
    : context_(context), control_(std::move(control)) {
  for (const auto& copy : copies) {
    if (!copy || !copy->CanReadAgain()) {
      continue;
    }
    for (uint64_t id : copy->Image()->ColumnIds()) {
      if (auto column = copy->Image()->Find(id)) {
        places_[column.get()] = {copy, id, column};
      }
    }
  }
}

bool TableExtents::Has(const storage::ColumnImage& column) const {
  return places_.count(&column) != 0;
}

std::vector<storage::PinnedExtents> TableExtents::Restore(
    const std::vector<const storage::ColumnImage*>& columns, size_t extent) {
  std::shared_ptr<TableCopy> copy;
  std::vector<storage::ColumnSpecification> specifications;
  std::vector<std::shared_ptr<const storage::ColumnImage>> restored;
  for (const auto* column : columns) {
    const auto& place = places_.at(column);
    copy = place.copy;
    specifications.push_back({place.id, "", column->Type()});
    restored.push_back(place.column);
  }
  try {
    return copy->Source().ReadExtent(context_, specifications, restored, extent,
                                     *copy->Place()->pool, control_);
  } catch (const storage::RowsDiffer& difference) {
    // They would differ again. Others may have encoded a column anew meanwhile.
    for (size_t i = 0; i < restored.size(); i++) {
      if (copy->Image()->Find(specifications[i].id) == restored[i]) {
        copy->Image()->Remove(specifications[i].id);
      }
    }
    throw execute::ImageLost(difference.what());
  }
}

}  // namespace margay::integration
