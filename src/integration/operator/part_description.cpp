#include "integration/operator/part_description.hpp"

#include <algorithm>

#include "duckdb/common/string_util.hpp"

namespace margay::integration {
namespace {

std::string Milliseconds(double value) {
  return duckdb::StringUtil::Format("%.2f ms", value);
}

std::string Join(const std::vector<std::string>& items, const char* divider) {
  std::string text;
  for (const auto& item : items) {
    text += (text.empty() ? "" : divider) + item;
  }
  return text;
}

std::vector<std::string> DescribeKernels(const std::vector<execute::KernelStatistics>& kernels) {
  std::vector<std::string> lines;
  lines.reserve(kernels.size());
  for (const auto& kernel : kernels) {
    lines.push_back(duckdb::StringUtil::Format(
        "%s: %.3f ms%s", kernel.name, kernel.milliseconds,
        kernel.launches == 1 ? "" : " in " + std::to_string(kernel.launches) + " launches"));
  }
  return lines;
}

std::string Counted(uint64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

std::string TailError(const CapturedPart& part, const Settings& settings) {
  return Join(part.tail_reasons, ", ") + ", so that DuckDB would run " + Join(part.tails, ", ") +
         " over more than margay_tail_rows = " + std::to_string(settings.tail_rows) + " rows";
}

std::string Decision(const CapturedPart& part, const Placement& placement) {
  if (placement.decision.is_error) {
    return "error: " + placement.decision.reason;
  }
  if (!placement.decision.is_on_device) {
    return "DuckDB: " + placement.decision.reason;
  }
  // DuckDB's estimates are good for rows of tables, but not for groups.
  const auto& settings = placement.settings;
  if (settings.mode == Mode::Force && !part.tail_reasons.empty() && !part.has_aggregate &&
      part.estimated_rows > settings.tail_rows) {
    return "error, if the estimate of " + std::to_string(part.estimated_rows) +
           " rows is right: " + TailError(part, settings);
  }
  return placement.decision.reason.empty() ? "device"
                                           : "device (first: " + placement.decision.reason + ")";
}

void DescribePart(const CapturedPart& part, const Placement& placement, Descriptions& result) {
  if (!placement.made.part) {
    return;
  }
  result["Columns"] = Join(DescribeColumns(*part.plan, placement.copies), "\n");
  std::vector<std::string> joins;
  for (const auto& join : placement.made.part->DescribeJoins()) {
    // The partitions have the same ones.
    if (placement.made.partitions.empty() ||
        std::find(joins.begin(), joins.end(), join) == joins.end()) {
      joins.push_back(join);
    }
  }
  if (!joins.empty()) {
    result["Join methods"] = Join(joins, "\n");
  }
  if (!placement.made.partitions.empty()) {
    result["Partitions"] = placement.made.partitions;
  }
}

void DescribeTails(const CapturedPart& part, Descriptions& result) {
  if (part.tails.empty()) {
    return;
  }
  result["Above it in DuckDB"] = Join(part.tails, ", ");
  // What an aggregate gives is mostly small: it is nothing to complain about.
  if (!part.has_aggregate) {
    result["Reason"] = Join(part.tail_reasons, ", ");
  }
}

void DescribeRun(const execute::RunStatistics& statistics, const PlacementTimes& placement,
                 double encode_milliseconds, double compile_milliseconds, Descriptions& result) {
  result["Rows in"] = std::to_string(statistics.rows_in);
  result["Rows out"] = std::to_string(statistics.rows_out);
  result["Segments skipped"] =
      std::to_string(statistics.segments_skipped) + " of " + std::to_string(statistics.segments);
  if (statistics.structures_built + statistics.structures_reused > 0) {
    result["Join tables"] = std::to_string(statistics.structures_reused) + " from the cache, " +
                            std::to_string(statistics.structures_built) + " built";
  }
  if (statistics.extents_restored > 0) {
    result["Extents encoded again"] = std::to_string(statistics.extents_restored);
  }
  result["Kernel"] =
      statistics.kernel_origin + ", " + Counted(statistics.launches, "launch", "launches") + ", " +
      Counted(statistics.synchronisations, "host synchronisation", "host synchronisations");
  result["Encode time"] = Milliseconds(encode_milliseconds);
  result["Compile time"] = Milliseconds(compile_milliseconds + statistics.compile_milliseconds);
  result["Transfer time"] = Milliseconds(statistics.transfer_milliseconds);
  result["Kernel time"] = Milliseconds(statistics.kernel_milliseconds);
  result["Host time"] = duckdb::StringUtil::Format(
      "lower %.3f, decide %.3f, bind %.3f, enqueue %.3f, wait %.3f, fetch %.3f ms",
      placement.lower_milliseconds, placement.decide_milliseconds, statistics.host.bind,
      statistics.host.enqueue, statistics.host.wait, statistics.host.fetch);
  result["Kernels"] = Join(DescribeKernels(statistics.kernels), "\n");
}

}  // namespace margay::integration
