#include "benchmark_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "text_file.hpp"
#include "text_table.hpp"
#include "units.hpp"
#include "version.hpp"

namespace margay::tool {
namespace {

using Outcome = BenchmarkResult::Outcome;

const char* OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::Compared:
      return "compared";
    case Outcome::Refused:
      return "refused";
    case Outcome::Different:
      return "different";
    case Outcome::Failed:
      return "failed";
  }
  return "";
}

std::string FormatTiming(const Timing& timing) {
  return FormatMilliseconds(timing.median_milliseconds) + " (" +
         FormatMilliseconds(timing.best_milliseconds) + ")";
}

//! Where a query ran, or what became of it.
std::string Place(const BenchmarkResult& result) {
  if (!result.IsCompared()) {
    return OutcomeName(result.outcome);
  }
  switch (result.place) {
    case BenchmarkResult::Place::Device:
      return "device";
    case BenchmarkResult::Place::Both:
      return "both";
    case BenchmarkResult::Place::DuckDb:
      return "DuckDB";
  }
  return "";
}

//! Whether the answers agree; null where there were not two to compare.
nlohmann::ordered_json EqualValue(const BenchmarkResult& result) {
  switch (result.outcome) {
    case Outcome::Compared:
      return true;
    case Outcome::Different:
      return false;
    case Outcome::Refused:
    case Outcome::Failed:
      break;
  }
  return nullptr;
}

//! The queries of TPC-H have numbers, those of other benchmarks names.
nlohmann::ordered_json QueryValue(const std::string& name) {
  bool is_number = std::all_of(name.begin(), name.end(),
                               [](char character) { return character >= '0' && character <= '9'; });
  return is_number ? nlohmann::ordered_json(std::stoi(name)) : nlohmann::ordered_json(name);
}

//! Where `all` milliseconds on a device, of which its kernels ran for `kernels`, went.
void PrintHostCosts(std::ostream& output, const HostCosts& host, double all, double kernels) {
  output << "Of the " << FormatMilliseconds(all) << " ms on the device, DuckDB plans for "
         << FormatMilliseconds(host.plan) << " ms (EXPLAIN with margay_mode = off). Margay's host: "
         << "lower " << FormatMilliseconds(host.lower) << ", decide "
         << FormatMilliseconds(host.decide) << ", bind " << FormatMilliseconds(host.bind)
         << ", enqueue " << FormatMilliseconds(host.enqueue) << ", wait "
         << FormatMilliseconds(host.wait) << " (kernels " << FormatMilliseconds(kernels)
         << "), fetch " << FormatMilliseconds(host.fetch) << " ms; " << host.launches
         << " launches, " << host.synchronisations << " host synchronisations.\n";
}

}  // namespace

BenchmarkReport::BenchmarkReport(BenchmarkSetting setting) : setting_(std::move(setting)) {}

void BenchmarkReport::Add(BenchmarkResult result) {
  results_.push_back(std::move(result));
}

void BenchmarkReport::AddPeer(PeerResult peer) {
  peers_.push_back(std::move(peer));
}

double BenchmarkReport::FloorMilliseconds(const BenchmarkResult& result) const {
  return static_cast<double>(result.bytes_touched) / setting_.bandwidth_bytes_per_second * 1e3;
}

double BenchmarkReport::BytesPerSecond(const BenchmarkResult& result) const {
  return result.kernel_milliseconds > 0
             ? static_cast<double>(result.bytes_touched) / result.kernel_milliseconds * 1e3
             : 0;
}

bool BenchmarkReport::IsGood() const {
  return std::all_of(results_.begin(), results_.end(),
                     [](const BenchmarkResult& result) { return result.IsGood(); });
}

void BenchmarkReport::Print(std::ostream& output) const {
  constexpr auto right = TextTable::Alignment::Right;
  std::vector<TextTable::Column> columns = {{"query"},
                                            {"DuckDB ms (min)", right},
                                            {"Margay ms (min)", right},
                                            {"ratio", right},
                                            {"kernel ms", right},
                                            {"bytes", right},
                                            {"GB/s", right},
                                            {"share", right},
                                            {"floor ms", right},
                                            {"above floor", right},
                                            {"first ms", right},
                                            {"ran on"}};
  const bool is_cold = std::any_of(results_.begin(), results_.end(),
                                   [](const auto& result) { return result.cold.has_value(); });
  if (is_cold) {
    columns.push_back({"cold ms", right});
    columns.push_back({"on disk ms", right});
  }
  const size_t width = columns.size();
  TextTable table(std::move(columns));
  for (const auto& result : results_) {
    std::string name = "Q" + result.query;
    if (!result.IsCompared()) {
      std::string duckdb = result.HasDuckDbTime() ? FormatTiming(result.duckdb) : "";
      std::vector<std::string> row = {name, duckdb, "", "", "", "",
                                      "",   "",     "", "", "", Place(result)};
      row.resize(width);
      table.AddRow(std::move(row));
      continue;
    }
    std::vector<std::string> row = {name, FormatTiming(result.duckdb), FormatTiming(result.margay),
                                    FormatFixed(result.Ratio(), 2)};
    if (result.IsOnDevice()) {
      double floor = FloorMilliseconds(result);
      double rate = BytesPerSecond(result);
      // Without the counter of kernel times there is no rate.
      bool is_timed = result.kernel_milliseconds > 0;
      row.push_back(is_timed ? FormatMilliseconds(result.kernel_milliseconds) : "");
      row.push_back(FormatBytes(static_cast<double>(result.bytes_touched)));
      row.push_back(is_timed ? FormatFixed(rate / 1e9, 1) : "");
      row.push_back(
          is_timed ? FormatFixed(100 * rate / setting_.bandwidth_bytes_per_second, 0) + "%" : "");
      row.push_back(FormatMilliseconds(floor));
      row.push_back(floor > 0 ? FormatFixed(result.margay.median_milliseconds / floor, 1) + "x"
                              : "");
    } else {
      row.insert(row.end(), 6, "");
    }
    row.push_back(FormatMilliseconds(result.first_milliseconds));
    row.push_back(Place(result));
    if (result.cold) {
      row.push_back(FormatMilliseconds(result.cold->nothing_milliseconds));
      row.push_back(FormatMilliseconds(result.cold->kernels_milliseconds));
    }
    row.resize(width);
    table.AddRow(std::move(row));
  }
  table.Print(output);
  output << '\n';
  PrintReasons(output, results_);
  PrintSummary(output);
  if (!peers_.empty()) {
    output << '\n';
    PrintPeers(output, results_, peers_);
  }
}

void PrintReasons(std::ostream& output, const std::vector<BenchmarkResult>& results) {
  // Many queries often share a reason: it stands in the place of the first one.
  std::vector<std::pair<std::string, std::string>> lines;
  for (const auto& result : results) {
    if (result.reason.empty()) {
      continue;
    }
    std::string reason = Place(result) + ": " + result.reason;
    auto line = std::find_if(lines.begin(), lines.end(),
                             [&](const auto& other) { return other.second == reason; });
    if (line == lines.end()) {
      lines.emplace_back("Q" + result.query, reason);
    } else {
      line->first += ", Q" + result.query;
    }
  }
  for (const auto& [queries, reason] : lines) {
    output << queries << " " << reason << '\n';
  }
}

void BenchmarkReport::PrintSummary(std::ostream& output) const {
  std::vector<double> ratios;
  double duckdb = 0;
  double margay = 0;
  double margay_on_device = 0;
  double floor = 0;
  double kernels = 0;
  HostCosts host;
  size_t compared = 0;
  for (const auto& result : results_) {
    if (!result.IsCompared()) {
      continue;
    }
    compared++;
    if (result.place == BenchmarkResult::Place::DuckDb) {
      continue;
    }
    ratios.push_back(result.Ratio());
    duckdb += result.duckdb.median_milliseconds;
    margay += result.margay.median_milliseconds;
    if (result.IsOnDevice()) {
      margay_on_device += result.margay.median_milliseconds;
      floor += FloorMilliseconds(result);
      kernels += result.kernel_milliseconds;
      host.Add(result.host);
    }
  }
  output << compared << " of " << results_.size() << " queries compared, each the median of "
         << setting_.repeat << " hot runs.\n";
  if (ratios.size() < compared) {
    output << "Left out of the mean and the sums: " << compared - ratios.size()
           << " that ran in DuckDB alone.\n";
  }
  if (ratios.empty()) {
    return;
  }
  output << "Geometric mean of the ratios: " << FormatFixed(GeometricMean(ratios), 2)
         << ". Sums: DuckDB " << FormatMilliseconds(duckdb) << " ms, Margay "
         << FormatMilliseconds(margay) << " ms.\n";
  if (floor > 0) {
    output << "Reading the bytes at the device's full bandwidth would take "
           << FormatMilliseconds(floor) << " ms: Margay takes "
           << FormatFixed(margay_on_device / floor, 1) << " times that on the device.\n";
  }
  if (margay_on_device > 0) {
    PrintHostCosts(output, host, margay_on_device, kernels);
  }
}

void BenchmarkReport::WriteJson(const std::string& path) const {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& result : results_) {
    nlohmann::ordered_json row = {{"suite", setting_.suite},
                                  {"scale", setting_.scale},
                                  {"query", QueryValue(result.query)},
                                  {"device", setting_.device},
                                  {"outcome", OutcomeName(result.outcome)},
                                  {"reason", result.reason},
                                  {"on_device", result.IsOnDevice()},
                                  {"equal", EqualValue(result)},
                                  {"shape", setting_.shape},
                                  {"mode", setting_.mode},
                                  {"threads", setting_.threads},
                                  {"repeat", setting_.repeat},
                                  {"bandwidth_gbs", setting_.bandwidth_bytes_per_second / 1e9},
                                  {"margay_version", MargayVersion()},
                                  {"duckdb_version", DuckDbVersion()}};
    // Columns without a value are null, so that every row has all of them.
    for (const char* name :
         {"duckdb_ms", "duckdb_best_ms", "margay_ms", "margay_best_ms",  "ratio",   "first_ms",
          "cold_ms",   "on_disk_ms",     "kernel_ms", "bytes",           "gbs",     "share",
          "floor_ms",  "plan_ms",        "lower_ms",  "decide_ms",       "bind_ms", "enqueue_ms",
          "wait_ms",   "fetch_ms",       "launches",  "synchronisations"}) {
      row[name] = nullptr;
    }
    if (result.HasDuckDbTime()) {
      row["duckdb_ms"] = result.duckdb.median_milliseconds;
      row["duckdb_best_ms"] = result.duckdb.best_milliseconds;
    }
    if (result.IsCompared()) {
      row["margay_ms"] = result.margay.median_milliseconds;
      row["margay_best_ms"] = result.margay.best_milliseconds;
      row["ratio"] = result.Ratio();
      row["first_ms"] = result.first_milliseconds;
      if (result.cold) {
        row["cold_ms"] = result.cold->nothing_milliseconds;
        row["on_disk_ms"] = result.cold->kernels_milliseconds;
      }
      row["bytes"] = result.bytes_touched;
      if (result.kernel_milliseconds > 0) {
        row["kernel_ms"] = result.kernel_milliseconds;
        row["gbs"] = BytesPerSecond(result) / 1e9;
        row["share"] = BytesPerSecond(result) / setting_.bandwidth_bytes_per_second;
      }
      row["floor_ms"] = FloorMilliseconds(result);
      row["plan_ms"] = result.host.plan;
      row["lower_ms"] = result.host.lower;
      row["decide_ms"] = result.host.decide;
      row["bind_ms"] = result.host.bind;
      row["enqueue_ms"] = result.host.enqueue;
      row["wait_ms"] = result.host.wait;
      row["fetch_ms"] = result.host.fetch;
      row["launches"] = result.host.launches;
      row["synchronisations"] = result.host.synchronisations;
    }
    for (const auto& peer : peers_) {
      const PeerAnswer& answer = peer.answers.at(result.query);
      nlohmann::ordered_json& time = row["peers_ms"][peer.name + " " + peer.version];
      time = answer.milliseconds ? nlohmann::ordered_json(*answer.milliseconds) : nullptr;
    }
    rows.push_back(std::move(row));
  }
  WriteTextFile(path, rows.dump(2) + '\n');
}

}  // namespace margay::tool
