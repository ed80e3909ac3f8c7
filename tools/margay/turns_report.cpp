#include "turns_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "text_file.hpp"
#include "text_table.hpp"
#include "units.hpp"
#include "version.hpp"

namespace margay::tool {
namespace {

//! Statements in a list of the worst ones.
constexpr size_t kShownStatements = 5;

const char* OutcomeName(BenchmarkResult::Outcome outcome) {
  switch (outcome) {
    case BenchmarkResult::Outcome::Compared:
      return "compared";
    case BenchmarkResult::Outcome::Refused:
      return "refused";
    case BenchmarkResult::Outcome::Different:
      return "different";
    case BenchmarkResult::Outcome::Failed:
      return "failed";
  }
  return "";
}

std::string Name(const TurnsStatementResult& result) {
  return "S" + result.statement.name;
}

//! A table of times, and the statements themselves below it.
void PrintStatements(std::ostream& output,
                     const std::vector<const TurnsStatementResult*>& results) {
  constexpr auto right = TextTable::Alignment::Right;
  TextTable table({{"statement"},
                   {"repeated ms", right},
                   {"in turn ms", right},
                   {"in turn / repeated", right},
                   {"DuckDB in turn ms", right},
                   {"ratio", right}});
  for (const TurnsStatementResult* result : results) {
    table.AddRow({Name(*result), FormatMilliseconds(result->margay.repeated.median_milliseconds),
                  FormatMilliseconds(result->margay.in_turn.median_milliseconds),
                  FormatFixed(result->margay.Growth(), 2),
                  FormatMilliseconds(result->duckdb.in_turn.median_milliseconds),
                  FormatFixed(result->Ratio(), 2)});
  }
  table.Print(output);
  for (const TurnsStatementResult* result : results) {
    output << Name(*result) << ": " << result->statement.sql << '\n';
  }
}

nlohmann::ordered_json StatementRow(const TurnsStatementResult& result) {
  nlohmann::ordered_json row = {{"statement", std::stoi(result.statement.name)},
                                {"sql", result.statement.sql},
                                {"outcome", OutcomeName(result.outcome)},
                                {"reason", result.reason}};
  // Columns without a value are null, so that every row has all of them.
  for (const char* name :
       {"repeated_ms", "repeated_best_ms", "in_turn_ms", "in_turn_best_ms", "growth",
        "duckdb_repeated_ms", "duckdb_in_turn_ms", "ratio", "first_ms"}) {
    row[name] = nullptr;
  }
  if (result.IsCompared()) {
    row["repeated_ms"] = result.margay.repeated.median_milliseconds;
    row["repeated_best_ms"] = result.margay.repeated.best_milliseconds;
    row["in_turn_ms"] = result.margay.in_turn.median_milliseconds;
    row["in_turn_best_ms"] = result.margay.in_turn.best_milliseconds;
    row["growth"] = result.margay.Growth();
    row["duckdb_repeated_ms"] = result.duckdb.repeated.median_milliseconds;
    row["duckdb_in_turn_ms"] = result.duckdb.in_turn.median_milliseconds;
    row["ratio"] = result.Ratio();
    row["first_ms"] = result.first_milliseconds;
  }
  return row;
}

}  // namespace

TurnsReport::TurnsReport(TurnsSetting setting, TurnsResult result)
    : setting_(std::move(setting)), result_(std::move(result)) {
  for (const TurnsStatementResult& statement : result_.statements) {
    if (statement.IsCompared()) {
      compared_.push_back(&statement);
    }
  }
}

bool TurnsReport::IsGood() const {
  return std::all_of(result_.statements.begin(), result_.statements.end(),
                     [](const TurnsStatementResult& result) { return result.IsGood(); });
}

TurnsReport::Total TurnsReport::Sum(TurnsTimes TurnsStatementResult::*engine) const {
  Total total;
  std::vector<double> growths;
  for (const TurnsStatementResult* result : compared_) {
    const TurnsTimes& times = result->*engine;
    total.repeated_milliseconds += times.repeated.median_milliseconds;
    total.in_turn_milliseconds += times.in_turn.median_milliseconds;
    growths.push_back(times.Growth());
  }
  total.mean_growth = GeometricMean(growths);
  return total;
}

double TurnsReport::MeanRatio() const {
  std::vector<double> ratios;
  for (const TurnsStatementResult* result : compared_) {
    ratios.push_back(result->Ratio());
  }
  return GeometricMean(ratios);
}

std::vector<const TurnsStatementResult*> TurnsReport::First(
    const std::function<double(const TurnsStatementResult&)>& order) const {
  std::vector<const TurnsStatementResult*> first = compared_;
  std::stable_sort(first.begin(), first.end(), [&](const auto* left, const auto* right) {
    return order(*left) < order(*right);
  });
  first.resize(std::min(first.size(), kShownStatements));
  return first;
}

void TurnsReport::Print(std::ostream& output) const {
  PrintReasons(output);
  output << compared_.size() << " of " << result_.statements.size()
         << " statements compared: " << setting_.repeat << " runs of each repeated, "
         << setting_.passes << " passes over all of them in turn.\n\n";
  if (!compared_.empty()) {
    PrintTotals(output);
    PrintWorst(output);
  }
  PrintMemory(output);
}

void TurnsReport::PrintReasons(std::ostream& output) const {
  for (const TurnsStatementResult& result : result_.statements) {
    if (!result.IsCompared()) {
      output << Name(result) << " " << OutcomeName(result.outcome) << ": " << result.reason
             << "\n  " << result.statement.sql << '\n';
    }
  }
}

void TurnsReport::PrintTotals(std::ostream& output) const {
  constexpr auto right = TextTable::Alignment::Right;
  const Total margay = Sum(&TurnsStatementResult::margay);
  const Total duckdb = Sum(&TurnsStatementResult::duckdb);
  TextTable table({{"sums of medians"},
                   {"repeated ms", right},
                   {"in turn ms", right},
                   {"in turn / repeated", right},
                   {"geometric mean", right}});
  for (const auto& [name, total] : {std::pair("Margay", margay), std::pair("DuckDB", duckdb)}) {
    table.AddRow({name, FormatMilliseconds(total.repeated_milliseconds),
                  FormatMilliseconds(total.in_turn_milliseconds), FormatFixed(total.Growth(), 2),
                  FormatFixed(total.mean_growth, 2)});
  }
  table.Print(output);
  const bool is_reached = margay.Growth() <= kAim && margay.mean_growth <= kAim;
  const auto behind = std::count_if(compared_.begin(), compared_.end(),
                                    [](const auto* result) { return result->Ratio() < 1; });
  output << "\nThe aim is " << FormatFixed(kAim, 2)
         << " at most, by both: " << (is_reached ? "reached" : "missed") << ".\nIn turn, Margay is "
         << FormatFixed(MeanRatio(), 2) << " times faster than DuckDB (geometric mean; by the sums "
         << FormatFixed(duckdb.in_turn_milliseconds / margay.in_turn_milliseconds, 2)
         << "), and behind on " << behind << " of " << compared_.size() << " statements.\n";
}

void TurnsReport::PrintWorst(std::ostream& output) const {
  output << "\nSlower in turn than repeated, the most:\n";
  PrintStatements(output, First([](const auto& result) { return -result.margay.Growth(); }));
  output << "\nThe lowest ratios to DuckDB:\n";
  PrintStatements(output, First([](const auto& result) { return result.Ratio(); }));
}

void TurnsReport::PrintMemory(std::ostream& output) const {
  const auto counter = [&](const char* name) {
    const auto place = result_.counters.find(name);
    return FormatCount(place == result_.counters.end() ? 0 : place->second);
  };
  output << "\nIn the passes a device answered " << counter("device_executions")
         << " parts and DuckDB " << counter("duckdb_executions") << "; " << counter("parts_lowered")
         << " parts were lowered, " << counter("kernels_written") << " kernels written, "
         << counter("kernels_compiled") << " compiled or loaded, " << counter("columns_built")
         << " columns and " << counter("structures_built")
         << " join tables made.\nThe warm-up took " << FormatSeconds(result_.warm_up_milliseconds)
         << ". In memory are " << FormatCount(result_.kernels) << " kernels (margay_kernels()), "
         << FormatCount(result_.kernels_from_disk) << " of them from the disk, with binaries of "
         << FormatMemory(result_.kernel_bytes) << ",\nand " << FormatCount(result_.cached)
         << " columns and join tables (margay_cache()) of " << FormatMemory(result_.cached_bytes)
         << ".\n\nResident memory of the process:\n";
  for (const auto& memory : result_.memory) {
    output << "  " << FormatMemory(memory.resident_bytes) << " " << memory.time << '\n';
  }
}

void TurnsReport::WriteJson(const std::string& path) const {
  nlohmann::ordered_json document = {{"suite", "turns"},
                                     {"sales", setting_.sales},
                                     {"seed", setting_.seed},
                                     {"device", setting_.device},
                                     {"shape", setting_.shape},
                                     {"mode", setting_.mode},
                                     {"threads", setting_.threads},
                                     {"repeat", setting_.repeat},
                                     {"passes", setting_.passes},
                                     {"aim", kAim},
                                     {"compared", compared_.size()},
                                     {"warm_up_ms", result_.warm_up_milliseconds},
                                     {"kernels", result_.kernels},
                                     {"kernels_from_disk", result_.kernels_from_disk},
                                     {"kernel_bytes", result_.kernel_bytes},
                                     {"cached", result_.cached},
                                     {"cached_bytes", result_.cached_bytes},
                                     {"counters", result_.counters},
                                     {"margay_version", MargayVersion()},
                                     {"duckdb_version", DuckDbVersion()}};
  if (!compared_.empty()) {
    const Total margay = Sum(&TurnsStatementResult::margay);
    const Total duckdb = Sum(&TurnsStatementResult::duckdb);
    document["growth"] = margay.Growth();
    document["mean_growth"] = margay.mean_growth;
    document["duckdb_growth"] = duckdb.Growth();
    document["duckdb_mean_growth"] = duckdb.mean_growth;
    document["mean_ratio"] = MeanRatio();
  }
  for (const auto& memory : result_.memory) {
    document["resident_bytes"][memory.time] = memory.resident_bytes;
  }
  document["statements"] = nlohmann::ordered_json::array();
  for (const TurnsStatementResult& result : result_.statements) {
    document["statements"].push_back(StatementRow(result));
  }
  WriteTextFile(path, document.dump(2) + '\n');
}

}  // namespace margay::tool
