// Tables that nobody has, known by what statistics tell of them, and the printed programs of plans
// over them: no rows, no device.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "integer_plans.hpp"
#include "optimize/physical/lowering.hpp"
#include "optimize/physical/program_outline.hpp"
#include "storage/constants.hpp"
#include "storage/integer_width.hpp"

namespace margay::optimize {

inline constexpr plan::TypeKind kBigint = plan::TypeKind::Int64;

//! A column of integers from 0 on, of floats from 1 to 2, or of strings.
struct MadeUpColumn {
  std::string name;
  Int128 values = 100;  //!< so many integers lie between the least and the greatest
  plan::Type type = kInteger;
  bool is_unique = false;
  bool is_sorted = false;
  bool can_be_null = false;
  uint64_t distinct = 0;                          //!< different values; 0 where that is not known
  std::vector<std::string_view> dictionary = {};  //!< strings: none for text
  uint32_t longest_text = 10;                     //!< bytes of the longest one
};

struct MadeUpTable {
  std::string name;
  uint64_t rows = 0;
  std::vector<MadeUpColumn> columns;
};

inline std::shared_ptr<const storage::ColumnForm> FormOf(const MadeUpColumn& column,
                                                         uint64_t rows) {
  storage::ColumnForm::Parts parts;
  storage::ColumnStatistics& statistics = parts.statistics;
  parts.type = column.type;
  parts.rows = statistics.rows = rows;
  parts.has_validity = column.can_be_null;
  statistics.distinct_count = column.is_unique ? rows : column.distinct;
  statistics.sorted = column.is_sorted;
  if (column.type.IsFloat()) {
    const bool is_single = column.type.kind == plan::TypeKind::Float32;
    parts.encoding = is_single ? storage::Encoding::Float32 : storage::Encoding::Float64;
    parts.width = is_single ? sizeof(float) : sizeof(double);
    statistics.real_min = 1;
    statistics.real_max = 2;
  } else if (column.type.IsVarchar() && column.dictionary.empty()) {
    parts.encoding = storage::Encoding::Text;
    parts.width = sizeof(uint32_t);
  } else if (column.type.IsVarchar()) {
    parts.encoding = storage::Encoding::Dictionary;
    parts.dictionary = std::make_shared<const storage::Dictionary>(column.dictionary);
    statistics.max = static_cast<Int128>(column.dictionary.size()) - 1;
    statistics.distinct_count = column.dictionary.size();
  } else {
    const bool is_wide = !storage::FitsInt64(column.values - 1);
    statistics.max = column.values - 1;
    parts.encoding = is_wide ? storage::Encoding::Wide : storage::Encoding::Narrow;
    parts.width =
        is_wide ? sizeof(Int128) : storage::WidthFor(static_cast<uint64_t>(statistics.max));
  }
  storage::SegmentStatistics segment;
  segment.max = statistics.max;
  segment.rows = storage::kSegmentRows;
  segment.longest_text = column.longest_text;
  parts.segments.assign(storage::SegmentCount(rows), segment);
  return std::make_shared<const storage::ColumnForm>(std::move(parts));
}

//! What marks a column as one of an encoded table. It holds nothing.
inline std::shared_ptr<const storage::ColumnImage> EmptyImage() {
  return std::make_shared<const storage::ColumnImage>(storage::ColumnImage::Parts{});
}

//! A scan of all columns of a table.
inline plan::NodePointer ScanOf(const MadeUpTable& table) {
  std::vector<plan::ScanColumn> columns;
  for (const MadeUpColumn& column : table.columns)
    columns.push_back({columns.size(), column.name, column.type});
  return plan::Node::Scan(table.name, std::move(columns));
}

//! Why there is no program, or the program.
inline std::variant<std::shared_ptr<const Program>, plan::Refusal> LowerOver(
    const std::vector<MadeUpTable>& tables, const plan::NodePointer& plan,
    const LoweringOptions& options = {}) {
  std::vector<ScanInput> inputs;
  for (const plan::Node* scan : plan::Scans(*plan)) {
    const auto table = std::find_if(tables.begin(), tables.end(), [&](const MadeUpTable& other) {
      return other.name == scan->Table();
    });
    if (table == tables.end())
      throw std::logic_error("there is no table " + scan->Table());
    ScanInput& input = inputs.emplace_back();
    input.rows = table->rows;
    for (const plan::ScanColumn& column : scan->Columns()) {
      input.ids.push_back(column.id);
      input.columns.push_back({FormOf(table->columns[column.id], table->rows), EmptyImage()});
    }
  }
  return Lower(plan, inputs, options);
}

//! The printed program of `plan`, read back. Throws where there is none.
inline Outline ProgramOf(const std::vector<MadeUpTable>& tables, const plan::NodePointer& plan,
                         const LoweringOptions& options = {}) {
  const auto lowered = LowerOver(tables, plan, options);
  if (const auto* refusal = std::get_if<plan::Refusal>(&lowered))
    throw std::runtime_error(refusal->reason);
  return Outline::Read(OutlineOf(*std::get<0>(lowered)).ToString());
}

//! Why there is no program for `plan`; empty where there is one.
inline std::string RefusalOf(const std::vector<MadeUpTable>& tables, const plan::NodePointer& plan,
                             const LoweringOptions& options = {}) {
  const auto lowered = LowerOver(tables, plan, options);
  const auto* refusal = std::get_if<plan::Refusal>(&lowered);
  return refusal == nullptr ? "" : refusal->reason;
}

//! The value of an attribute; empty where there is none.
inline std::string ValueOf(const Outline& part, std::string_view attribute) {
  const std::string* value = part.Find(attribute);
  return value == nullptr ? "" : *value;
}

//! The part of this name and number. It lives as long as `outline`. Throws where there is none.
inline const Outline& PartOf(const Outline& outline, std::string_view name, size_t number = 0) {
  const auto parts = outline.PartsNamed(name);
  if (number >= parts.size())
    throw std::runtime_error("there is no such " + std::string(name) + ":\n" + outline.ToString());
  return *parts[number];
}

//! The pipeline that gives the result.
inline const Outline& LastPipeline(const Outline& program) {
  return *program.PartsNamed("pipeline").back();
}

//! An attribute of all parts of one name.
inline std::vector<std::string> ValuesOf(const Outline& outline, std::string_view name,
                                         std::string_view attribute) {
  std::vector<std::string> values;
  for (const Outline* part : outline.PartsNamed(name))
    values.push_back(ValueOf(*part, attribute));
  return values;
}

//! A line for each pipeline: the table that is scanned, those that are joined, and the sink, as in
//! `t@0, direct u@1 -> single result`.
inline std::vector<std::string> FlowOf(const Outline& program) {
  const auto sinks = program.PartsNamed("sink");
  std::vector<std::string> flow;
  for (const Outline* pipeline : program.PartsNamed("pipeline")) {
    std::string& line = flow.emplace_back(ValueOf(*pipeline, "table"));
    for (const Outline* probe : pipeline->PartsNamed("probe"))
      line += ", " + ValueOf(*probe, "method") + " " + ValueOf(*probe, "table");
    line += " -> " + ValueOf(*sinks.at(std::stoul(ValueOf(*pipeline, "sink"))), "kind");
  }
  return flow;
}

using Flow = std::vector<std::string>;

//! The rows of `input` in which a column is below `bound`.
inline plan::NodePointer Below(plan::NodePointer input, size_t column, int64_t bound) {
  return plan::Node::Filter(std::move(input), Compare(plan::Operation::Less, column, bound));
}

//! A join by a column of each side.
inline plan::NodePointer JoinOf(plan::JoinKind kind, plan::NodePointer probe, size_t probe_column,
                                plan::NodePointer build, size_t build_column) {
  return plan::Node::Join(kind, std::move(probe), std::move(build),
                          {{Column(probe_column), Column(build_column), false}}, nullptr);
}

inline plan::Aggregate CountRows() {
  return {plan::AggregateFunction::CountStar, nullptr, kBigint};
}

//! A sum, an average, a minimum, ... of what is not NULL in `argument`.
inline plan::Aggregate Of(plan::AggregateFunction function, plan::ExpressionPointer argument) {
  using plan::AggregateFunction;
  plan::Type type = argument->GetType();
  if (function == AggregateFunction::Sum)
    type = type.IsFloat() ? plan::TypeKind::Float64 : plan::TypeKind::Int128;
  else if (function == AggregateFunction::Average)
    type = plan::TypeKind::Float64;
  else if (function == AggregateFunction::Count)
    type = kBigint;
  return {function, std::move(argument), type};
}

//! The number of rows for each group.
inline plan::NodePointer Counted(plan::NodePointer input,
                                 std::vector<plan::ExpressionPointer> groups = {}) {
  return plan::Node::GroupBy(std::move(input), std::move(groups), {CountRows()});
}

//! The sum of a column of integers.
inline plan::NodePointer Summed(plan::NodePointer input, size_t column) {
  return plan::Node::GroupBy(std::move(input), {},
                             {Of(plan::AggregateFunction::Sum, Column(column))});
}

}  // namespace margay::optimize
