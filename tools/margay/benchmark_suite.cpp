#include "benchmark_suite.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "command.hpp"

namespace margay::tool {

BenchmarkSuite::BenchmarkSuite(std::string name, std::string title,
                               std::vector<std::string> query_names,
                               std::filesystem::path query_folder)
    : name_(std::move(name)),
      title_(std::move(title)),
      query_names_(std::move(query_names)),
      query_folder_(std::move(query_folder)) {}

std::string BenchmarkSuite::ExampleOfQueries() const {
  return query_names_.at(0) + "," + query_names_.at(5) + " or " + query_names_.at(0) + "-" +
         query_names_.at(4);
}

void BenchmarkSuite::AddQueryOptions(CLI::App& app) {
  app.add_option(
      "--query-folder", query_folder_,
      "Folder with " + QueryFile(query_names_.front()) + " to " + QueryFile(query_names_.back()));
}

std::unique_ptr<BenchmarkData> BenchmarkSuite::KeptData(const std::filesystem::path& folder,
                                                        double scale) const {
  return DataIn(folder / (name_ + "-" + FormatScale(scale) + ".db"), scale);
}

std::vector<BenchmarkQuery> BenchmarkSuite::ReadQueries(const std::string& list) const {
  std::vector<BenchmarkQuery> queries;
  std::set<size_t> positions;
  std::istringstream stream(list == "all" ? query_names_.front() + "-" + query_names_.back()
                                          : list);
  for (std::string item; std::getline(stream, item, ',');) {
    size_t dash = item.find('-');
    size_t first = QueryPosition(item.substr(0, dash));
    size_t last = dash == std::string::npos ? first : QueryPosition(item.substr(dash + 1));
    for (size_t position = first; position <= last; position++) {
      if (positions.insert(position).second) {
        queries.push_back(ReadQuery(query_names_[position]));
      }
    }
  }
  if (queries.empty()) {
    throw CommandError(ExitCode::Usage, "--queries: '" + list + "' names no query.");
  }
  return queries;
}

BenchmarkQuery BenchmarkSuite::ReadQuery(const std::string& name) const {
  std::filesystem::path path = query_folder_ / QueryFile(name);
  std::ifstream file(path);
  if (query_folder_.empty() || !file) {
    throw CommandError(ExitCode::Failed,
                       (query_folder_.empty() ? "The queries of " + title_ + " were not found"
                                              : path.string() + " can't be read") +
                           ": name their folder with --query-folder.");
  }
  std::stringstream text;
  text << file.rdbuf();
  return {name, text.str()};
}

size_t BenchmarkSuite::QueryPosition(const std::string& query) const {
  auto place = std::find(query_names_.begin(), query_names_.end(), query);
  if (place == query_names_.end()) {
    throw CommandError(ExitCode::Usage, "--queries: '" + query + "' is not a query of " + title_ +
                                            ", which has " + query_names_.front() + " to " +
                                            query_names_.back() + ".");
  }
  return static_cast<size_t>(place - query_names_.begin());
}

}  // namespace margay::tool
