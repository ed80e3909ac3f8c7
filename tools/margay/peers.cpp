#include "peers.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "child_process.hpp"
#include "command.hpp"
#include "program_files.hpp"
#include "session.hpp"
#include "text_file.hpp"
#include "text_table.hpp"
#include "units.hpp"

namespace margay::tool {
namespace {

//! A statement without the semicolon at its end.
std::string Bare(const std::string& sql) {
  return sql.substr(0, sql.find_last_not_of("; \n\t") + 1);
}

}  // namespace

const std::vector<std::string>& Peers::Names() {
  static const std::vector<std::string> names = {"hyper", "datafusion", "polars", "chdb"};
  return names;
}

Peers::Peers(Session& session, std::filesystem::path scratch, uint32_t threads, int repeat)
    : session_(session),
      scratch_(std::move(scratch)),
      threads_(threads),
      repeat_(repeat),
      folder_(FindPeers()) {
  const char* python = std::getenv("MARGAY_PEERS_PYTHON");
  if (python == nullptr || folder_.empty()) {
    throw CommandError(ExitCode::Failed,
                       "The other engines are not installed: './run bench ... --peers' in a "
                       "checkout of Margay installs them first.");
  }
  python_ = python;
  std::filesystem::remove_all(scratch_);
  std::filesystem::create_directories(scratch_ / "tables");
  std::filesystem::create_directories(scratch_ / "queries");
}

Peers::~Peers() {
  std::error_code ignored;
  std::filesystem::remove_all(scratch_, ignored);
}

void Peers::Prepare(const std::vector<BenchmarkQuery>& queries) {
  session_.Set("margay_mode", "off");
  std::set<std::string> tables;
  for (const auto& query : queries) {
    tables.merge(session_.TableNames(query.sql));
    const std::filesystem::path path = scratch_ / "queries" / query.name;
    WriteTextFile(path.string() + ".sql", Bare(query.sql));
    session_.Query("COPY (" + Bare(query.sql) + ") TO " + SqlString(path.string() + ".csv") +
                   " (FORMAT csv, HEADER)");
  }
  for (const auto& table : session_.ExistingTables()) {
    if (tables.contains(table)) {
      session_.Query("COPY " + table + " TO " +
                     SqlString((scratch_ / "tables" / (table + ".parquet")).string()));
    }
  }
}

PeerResult Peers::Run(const std::string& name) const {
  const std::string output = (scratch_ / (name + ".json")).string();
  RunProgram({python_.string(), (folder_ / "run_peer.py").string(), name, "--data",
              (scratch_ / "tables").string(), "--queries", (scratch_ / "queries").string(),
              "--threads", std::to_string(threads_), "--repeat", std::to_string(repeat_),
              "--output", output});
  const nlohmann::json found = nlohmann::json::parse(std::ifstream(output));
  PeerResult result;
  result.name = name;
  result.version = found.at("version");
  for (const auto& [query, answer] : found.at("queries").items()) {
    PeerAnswer& place = result.answers[query];
    place.reason = answer.at("reason");
    if (answer.contains("median_ms")) {
      place.milliseconds = answer.at("median_ms").get<double>();
    }
  }
  return result;
}

void Peers::DrawChart(const std::string& json, const std::string& chart) const {
  RunProgram({python_.string(), (folder_ / "draw_chart.py").string(), json, chart});
}

void PrintPeers(std::ostream& output, const std::vector<BenchmarkResult>& results,
                const std::vector<PeerResult>& peers) {
  constexpr auto right = TextTable::Alignment::Right;
  std::vector<TextTable::Column> columns = {{"query"}, {"Margay ms", right}, {"DuckDB ms", right}};
  for (const auto& peer : peers) {
    columns.push_back({peer.name + " ms", right});
  }
  TextTable table(std::move(columns));
  for (const auto& result : results) {
    std::vector<std::string> row = {
        "Q" + result.query,
        result.IsCompared() ? FormatMilliseconds(result.margay.median_milliseconds) : "",
        result.HasDuckDbTime() ? FormatMilliseconds(result.duckdb.median_milliseconds) : ""};
    for (const auto& peer : peers) {
      const PeerAnswer& answer = peer.answers.at(result.query);
      row.push_back(answer.milliseconds ? FormatMilliseconds(*answer.milliseconds) : "");
    }
    table.AddRow(std::move(row));
  }
  table.Print(output);
  output << '\n';
  for (const auto& peer : peers) {
    std::vector<double> ratios;
    for (const auto& result : results) {
      const PeerAnswer& answer = peer.answers.at(result.query);
      if (!answer.reason.empty()) {
        output << "Q" << result.query << " " << peer.name << ": " << answer.reason << '\n';
      }
      if (result.IsCompared() && answer.milliseconds) {
        ratios.push_back(*answer.milliseconds / result.margay.median_milliseconds);
      }
    }
    if (!ratios.empty()) {
      output << peer.name << " " << peer.version << ": Margay is "
             << FormatFixed(GeometricMean(ratios), 2) << " times faster (geometric mean of "
             << ratios.size() << " queries), and ahead on "
             << std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return ratio > 1; })
             << ".\n";
    }
  }
}

}  // namespace margay::tool
