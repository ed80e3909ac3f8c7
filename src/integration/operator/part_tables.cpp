#include "integration/operator/part_tables.hpp"

#include <algorithm>

#include "duckdb/main/client_context.hpp"
#include "integration/image/duck_table_source.hpp"
#include "optimize/estimate/nested_loop_rows.hpp"

namespace margay::integration {

plan::NodePointer MergeScans(const plan::Node& first, const plan::Node& second) {
  auto columns = first.Columns();
  for (const auto& column : second.Columns()) {
    if (std::none_of(columns.begin(), columns.end(),
                     [&](const auto& known) { return known.id == column.id; })) {
      columns.push_back(column);
    }
  }
  return plan::Node::Scan(first.Table(), std::move(columns));
}

PartTables PartTables::Find(duckdb::ClientContext& context, const CapturedPart& part) {
  PartTables result;
  const auto scans = plan::Scans(*part.plan);
  for (size_t i = 0; i < scans.size(); i++) {
    if (part.tables[i].tap) {
      result.of_scans.emplace_back();
      continue;
    }
    const auto source = FindDuckTable(context, part.tables[i], *scans[i]);
    if (!source) {
      result.problem =
          "the table " + part.tables[i].name + " is not the one that the query was planned for";
      return result;
    }
    const auto known =
        std::find_if(result.tables.begin(), result.tables.end(),
                     [&](const PartTable& table) { return table.source->IsSameTable(*source); });
    result.of_scans.emplace_back(static_cast<size_t>(known - result.tables.begin()));
    if (known != result.tables.end()) {
      known->scan = MergeScans(*known->scan, *scans[i]);
    } else {
      result.tables.push_back({source, plan::Node::Scan(scans[i]->Table(), scans[i]->Columns())});
    }
  }
  return result;
}

TableCopies PartTables::ForScans(const TableCopies& copies) const {
  TableCopies result;
  for (const std::optional<size_t> table : of_scans) {
    result.push_back(table ? copies[*table] : nullptr);
  }
  return result;
}

schedule::PartFacts PartTables::FactsOf(const CapturedPart& part) const {
  schedule::PartFacts facts;
  facts.has_aggregate = part.has_aggregate;
  facts.is_top = part.is_top;
  if (!part.tail_reasons.empty()) {
    facts.above = part.tail_reasons.front();
  }
  facts.problem = problem;
  if (!problem.empty()) {
    return facts;
  }
  for (const PartTable& table : tables) {
    facts.table_rows.push_back(table.source->TotalRows());
  }
  for (const CapturedTap& tap : part.taps) {
    facts.tapped_rows = facts.tapped_rows.value_or(0) + tap.estimated_rows;
  }
  std::vector<uint64_t> scanned_rows;
  for (size_t i = 0; i < of_scans.size(); i++) {
    scanned_rows.push_back(of_scans[i] ? facts.table_rows[*of_scans[i]]
                                       : part.taps[*part.tables[i].tap].estimated_rows);
  }
  facts.nested_loop_rows = optimize::NestedLoopRows(*part.plan, scanned_rows);
  return facts;
}

}  // namespace margay::integration
