#include "optimize/physical/gathered_columns.hpp"

#include <algorithm>
#include <stdexcept>

#include "storage/constants.hpp"

namespace margay::optimize {

void GatheredColumns::Add(const InputColumn& column, bool is_gathered) {
  if (is_gathered)
    AddForm(*column.form, column.HoldsText() ? column.TextImage().get() : nullptr);
  if (column.RefersToText())
    AddForm(*column.TextImage(), column.TextImage().get());
}

void GatheredColumns::AddForm(const storage::ColumnForm& form, const storage::ColumnImage* text) {
  const auto [entry, is_new] = places_.try_emplace(&form);
  if (!is_new)
    return;
  Places& places = entry->second;
  std::vector<int64_t> bases;
  for (const storage::SegmentStatistics& segment : form.Segments())
    bases.push_back(segment.base);
  places.has_base_table = bases.size() > 1;
  if (places.has_base_table)
    places.base = parameters_.AddTable(std::move(bases));
  else
    places.base = parameters_.AddInteger(bases.empty() ? 0 : bases[0], Machine::Int64);
  places.extents = std::max<size_t>(form.ExtentCount(), 1);
  if (places.extents > 1)
    places.rows_per_extent =
        parameters_.AddInteger(static_cast<Int128>(form.RowsPerExtent()), Machine::Int64);
  if (text == nullptr)
    return;
  for (size_t segment = 1; segment < text->Segments().size(); segment++) {
    if (text->TextExtentOf(segment) != text->TextExtentOf(segment - 1)) {
      places.text_begins.push_back(
          parameters_.AddInteger(Int128{segment} * storage::kSegmentRows, Machine::Int64));
    }
  }
}

const GatheredColumns::Places& GatheredColumns::Of(const storage::ColumnForm& form) const {
  const auto found = places_.find(&form);
  if (found == places_.end())
    throw std::logic_error("GatheredColumns: rows of this column are not found by their numbers");
  return found->second;
}

}  // namespace margay::optimize
