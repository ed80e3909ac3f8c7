#include "tpch_queries.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "command.hpp"

namespace margay::tool {
namespace {

int ParseNumber(const std::string& text) {
  int number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1 ||
      number > kTpchQueryCount) {
    throw CommandError(ExitCode::Usage, "--queries: '" + text +
                                            "' is not the number of a query, 1 to " +
                                            std::to_string(kTpchQueryCount) + ".");
  }
  return number;
}

}  // namespace

std::vector<int> ParseQueryList(const std::string& list) {
  std::vector<int> numbers;
  std::istringstream stream(list == "all" ? "1-" + std::to_string(kTpchQueryCount) : list);
  for (std::string item; std::getline(stream, item, ',');) {
    size_t dash = item.find('-');
    int first = ParseNumber(item.substr(0, dash));
    int last = dash == std::string::npos ? first : ParseNumber(item.substr(dash + 1));
    for (int number = first; number <= last; number++) {
      if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) {
        numbers.push_back(number);
      }
    }
  }
  if (numbers.empty()) {
    throw CommandError(ExitCode::Usage, "--queries: '" + list + "' names no query.");
  }
  return numbers;
}

BenchmarkQuery ReadTpchQuery(const std::filesystem::path& folder, int number) {
  std::string digits = (number < 10 ? "0" : "") + std::to_string(number);
  std::filesystem::path path = folder / ("q" + digits + ".sql");
  std::ifstream file(path);
  if (folder.empty() || !file) {
    throw CommandError(
        ExitCode::Failed,
        (folder.empty() ? "The TPC-H queries were not found" : path.string() + " can't be read") +
            std::string(": name the folder of q01.sql to q22.sql with "
                        "--query-folder."));
  }
  std::stringstream text;
  text << file.rdbuf();
  return {number, text.str()};
}

}  // namespace margay::tool
