#include "benchmark_data.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <utility>

#include "command.hpp"
#include "session.hpp"
#include "units.hpp"

namespace margay::tool {
namespace {

//! Quoted, because SSB has a table "date".
std::string Quoted(const std::string& name) {
  return "\"" + name + "\"";
}

std::string LoadingName(const std::string& table) {
  return "loading_" + table;
}

}  // namespace

std::string FormatScale(double scale) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.10g", scale);
  return text.data();
}

BenchmarkData::BenchmarkData(std::string title, std::filesystem::path database, double scale)
    : title_(std::move(title)),
      database_(std::move(database)),
      scale_(scale),
      scale_text_(FormatScale(scale)) {}

void BenchmarkData::Require(const std::set<std::string>& tables, std::ostream& progress) {
  std::set<std::string> missing = MissingTables(tables);
  if (missing.empty()) {
    return;
  }
  CheckTools();
  std::error_code error;
  std::filesystem::path folder = std::filesystem::absolute(database_).parent_path();
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw CommandError(ExitCode::Failed, "The folder " + folder.string() + " can't be made (" +
                                             error.message() +
                                             "): choose another one with --data.");
  }
  CheckFreeSpace();

  SessionOptions options;
  options.database = database_.string();
  options.mode = "off";
  Session session(options);
  progress << "Making " << title_ << " data of scale " << scale_text_ << " in "
           << database_.string() << ", once" << std::endl;
  Load(session, missing, progress);
  session.Query("CHECKPOINT");
}

std::set<std::string> BenchmarkData::MissingTables(const std::set<std::string>& tables) const {
  if (!std::filesystem::exists(database_)) {
    return tables;
  }
  SessionOptions options;
  options.database = database_.string();
  options.read_only = true;
  Session session(options);
  std::set<std::string> existing = session.ExistingTables();
  std::set<std::string> missing;
  std::set_difference(tables.begin(), tables.end(), existing.begin(), existing.end(),
                      std::inserter(missing, missing.end()));
  return missing;
}

void BenchmarkData::CheckFreeSpace() const {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::absolute(database_).parent_path();
  auto space = std::filesystem::space(folder, error);
  if (!error && static_cast<double>(space.available) < NeededBytes()) {
    throw CommandError(ExitCode::Failed,
                       title_ + " data of scale " + scale_text_ + " needs about " +
                           FormatBytes(NeededBytes()) + ", and " + folder.string() + " has " +
                           FormatBytes(static_cast<double>(space.available)) +
                           " free: choose a smaller --scale or another folder with --data.");
  }
}

void BenchmarkData::CreateLoadingTable(Session& session, const std::string& table,
                                       const std::vector<std::string>& columns) {
  std::string list;
  for (const auto& column : columns) {
    list += (list.empty() ? "" : ", ") + column + " NOT NULL";
  }
  session.Query("CREATE OR REPLACE TABLE " + LoadingName(table) + " (" + list + ")");
}

void BenchmarkData::Append(Session& session, const std::string& table, const std::string& source) {
  session.Query("INSERT INTO " + LoadingName(table) + " BY NAME SELECT * FROM " + source);
}

void BenchmarkData::FinishLoadingTable(Session& session, const std::string& table,
                                       std::ostream& progress) {
  session.Query("ALTER TABLE " + LoadingName(table) + " RENAME TO " + Quoted(table));
  std::string rows = session.Query("SELECT count(*) FROM " + Quoted(table)).Text(0, 0);
  progress << ": " << FormatCount(std::stoull(rows)) << " rows";
}

}  // namespace margay::tool
