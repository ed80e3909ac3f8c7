#include "optimize/estimate/provisional_form.hpp"

#include <algorithm>
#include <limits>

#include "storage/constants.hpp"
#include "storage/integer_width.hpp"

namespace margay::optimize {

namespace {

//! Counts of different values are sketches that are off by some percent.
constexpr double kShareOfUnique = 0.9;

//! Of a column of strings of which nothing is known, as many rows have each.
constexpr uint64_t kRowsPerString = 8;

uint64_t DistinctValues(uint64_t rows, const ColumnBounds& bounds) {
  const bool is_unique =
      static_cast<double>(bounds.distinct_values) >= kShareOfUnique * static_cast<double>(rows);
  return is_unique ? rows : bounds.distinct_values;
}

void SetFloat(storage::ColumnForm::Parts& parts) {
  const bool is_single = parts.type.kind == plan::TypeKind::Float32;
  parts.encoding = is_single ? storage::Encoding::Float32 : storage::Encoding::Float64;
  parts.width = is_single ? sizeof(float) : sizeof(double);
  parts.statistics.real_min = -std::numeric_limits<double>::infinity();
  parts.statistics.real_max = std::numeric_limits<double>::infinity();
  parts.statistics.has_nan = true;
}

void SetStrings(storage::ColumnForm::Parts& parts) {
  uint64_t& strings = parts.statistics.distinct_count;
  if (strings == 0)
    strings = parts.rows / kRowsPerString;
  strings = std::max<uint64_t>(strings, 1);
  parts.encoding = storage::Encoding::Dictionary;
  parts.statistics.max = static_cast<Int128>(strings) - 1;
  parts.width = storage::WidthFor(strings - 1);
  parts.dictionary = std::make_shared<const storage::Dictionary>(std::vector<std::string_view>{});
}

void SetIntegers(storage::ColumnForm::Parts& parts, const ColumnBounds& bounds) {
  const ColumnBounds::Interval interval = bounds.interval.value_or(
      ColumnBounds::Interval{parts.type.LowestValue(), parts.type.HighestValue()});
  parts.statistics.min = interval.low;
  parts.statistics.max = interval.high;
  if (!storage::FitsInt64(interval.low) || !storage::FitsInt64(interval.high)) {
    parts.encoding = storage::Encoding::Wide;
    parts.width = sizeof(Int128);
    return;
  }
  parts.encoding = storage::Encoding::Narrow;
  parts.width = storage::WidthFor(static_cast<uint64_t>(interval.high - interval.low));
}

}  // namespace

std::shared_ptr<const storage::ColumnForm> ProvisionalForm(const plan::Type& type, uint64_t rows,
                                                           const ColumnBounds& bounds) {
  storage::ColumnForm::Parts parts;
  parts.type = type;
  parts.rows = parts.statistics.rows = rows;
  parts.has_validity = bounds.can_be_null;
  parts.statistics.distinct_count = DistinctValues(rows, bounds);
  if (type.IsFloat())
    SetFloat(parts);
  else if (type.IsVarchar())
    SetStrings(parts);
  else
    SetIntegers(parts, bounds);
  storage::SegmentStatistics segment;
  segment.min = parts.statistics.min;
  segment.max = parts.statistics.max;
  segment.rows = storage::kSegmentRows;
  parts.segments.assign(storage::SegmentCount(rows), segment);
  if (!parts.segments.empty())
    parts.segments.back().rows =
        static_cast<uint32_t>(rows - (parts.segments.size() - 1) * storage::kSegmentRows);
  parts.rows_per_extent = parts.segments.size() * storage::kSegmentRows;
  return std::make_shared<const storage::ColumnForm>(std::move(parts));
}

}  // namespace margay::optimize
