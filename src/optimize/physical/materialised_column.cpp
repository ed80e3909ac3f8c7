#include "optimize/physical/materialised_column.hpp"

#include <algorithm>
#include <limits>

#include "optimize/physical/group_values.hpp"

namespace margay::optimize {

namespace {

//! The narrowest type whose values kernels read back without a base.
plan::Type StoredType(const Range& range) {
  if (range.low >= 0 && range.high <= UINT8_MAX)
    return plan::TypeKind::UInt8;
  if (range.low >= 0 && range.high <= UINT16_MAX)
    return plan::TypeKind::UInt16;
  switch (MachineFor(range)) {
    case Machine::Int32:
      return plan::TypeKind::Int32;
    case Machine::Int64:
      return plan::TypeKind::Int64;
    default:
      return plan::TypeKind::Int128;
  }
}

storage::Encoding EncodingOf(const plan::Type& stored) {
  switch (stored.kind) {
    case plan::TypeKind::Float32:
      return storage::Encoding::Float32;
    case plan::TypeKind::Float64:
      return storage::Encoding::Float64;
    case plan::TypeKind::Int128:
      return storage::Encoding::Wide;
    default:
      return storage::Encoding::Narrow;
  }
}

void SetRows(const MaterialisedSize& rows, storage::ColumnForm::Parts& form) {
  form.rows = form.statistics.rows = rows.most;
  form.expected_rows = std::min(rows.expected, rows.most);
}

}  // namespace

MaterialisedColumn MaterialiseColumn(const plan::Type& type, const Range& range, bool can_be_null,
                                     std::shared_ptr<const storage::Dictionary> texts,
                                     const MaterialisedSize& rows, size_t group_keys) {
  MaterialisedColumn column;
  column.stored = type.IsFloat() ? type : StoredType(range);
  storage::ColumnForm::Parts form;
  form.type = type;
  form.encoding = texts ? storage::Encoding::Dictionary : EncodingOf(column.stored);
  form.width = static_cast<size_t>(column.stored.PhysicalBytes());
  SetRows(rows, form);
  form.statistics.min = range.low;
  form.statistics.max = range.high;
  if (type.IsFloat()) {
    form.statistics.real_min = -std::numeric_limits<double>::infinity();
    form.statistics.real_max = std::numeric_limits<double>::infinity();
    form.statistics.has_nan = true;
  }
  form.statistics.distinct_count = group_keys == 1 ? rows.most : 0;
  form.group_keys = group_keys;
  form.has_validity = can_be_null;
  form.dictionary = std::move(texts);
  column.form = std::make_shared<const storage::ColumnForm>(std::move(form));
  return column;
}

MaterialisedColumn MaterialiseText(const InputColumn& text, bool can_be_null,
                                   const MaterialisedSize& rows) {
  MaterialisedColumn column;
  column.stored = plan::TypeKind::UInt32;
  storage::ColumnForm::Parts form;
  form.type = plan::TypeKind::Varchar;
  form.encoding = storage::Encoding::TextRow;
  form.width = static_cast<size_t>(column.stored.PhysicalBytes());
  SetRows(rows, form);
  form.has_validity = can_be_null;
  form.text_source = text.TextImage();
  form.text_slice = text.Slice();
  column.form = std::make_shared<const storage::ColumnForm>(std::move(form));
  return column;
}

std::vector<MaterialisedColumn> MaterialiseGroups(const AggregateLayout& layout,
                                                  const std::vector<plan::Aggregate>& aggregates) {
  const MaterialisedSize rows{layout.MostGroups(), layout.expected_groups};
  std::vector<MaterialisedColumn> columns;
  for (size_t i = 0; i < layout.keys.size(); i++) {
    const GroupKey& key = layout.keys[i];
    columns.push_back(MaterialiseColumn(key.type, RangeOfKey(key), key.HasNull(), key.texts, rows,
                                        layout.KeysBeside(i)));
  }
  for (size_t i = 0; i < aggregates.size(); i++) {
    columns.push_back(
        MaterialiseColumn(aggregates[i].type, RangeOfAggregate(layout, i, aggregates[i]),
                          CanBeNull(layout, i, aggregates[i]), layout.sources[i].texts, rows, 0));
  }
  return columns;
}

RowOutput OutputOf(const MaterialisedColumn& column) {
  RowOutput output;
  output.type = column.stored;
  output.can_be_null = column.form->HasValidity();
  output.has_validity_bits = output.can_be_null;
  return output;
}

}  // namespace margay::optimize
