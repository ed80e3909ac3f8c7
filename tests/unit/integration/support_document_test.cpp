// docs/support.md says what runs on a device. Its examples are run here.
#include <sstream>

#include "document_page.hpp"
#include "test_database.hpp"

namespace margay::integration {
namespace {

//! A row of a table of the page.
struct Example {
  std::string what;
  bool runs = false;
  std::string sql;
};

//! What the page has between "```sql" and "```".
std::string TablesOf(const std::string& page) {
  const std::string begin = "```sql\n";
  const size_t first = page.find(begin) + begin.size();
  return page.substr(first, page.find("```", first) - first);
}

//! The cells of a row, without the blanks around them. A bar of a cell is written `\|`.
std::vector<std::string> CellsOf(const std::string& line) {
  std::vector<std::string> cells(1);
  for (size_t i = 1; i < line.size(); i++) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cells.back() += line[++i];
    } else if (line[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  for (std::string& cell : cells) {
    cell.erase(0, cell.find_first_not_of(' '));
    cell.erase(cell.find_last_not_of(' ') + 1);
  }
  return cells;
}

std::vector<Example> ExamplesOf(const std::string& page) {
  std::vector<Example> examples;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> cells = CellsOf(line);
    if (line.starts_with('|') && cells.size() >= 4 && (cells[1] == "yes" || cells[1] == "no")) {
      examples.push_back({cells[0], cells[1] == "yes", cells[3].substr(1, cells[3].size() - 2)});
    }
  }
  return examples;
}

TEST(SupportDocument, ExamplesRunWhereThePageSaysSo) {
  const std::string page = ReadPage("docs/support.md");
  TestDatabase database;
  database.Run(TablesOf(page));
  database.Run("SET margay_mode = 'force'");
  database.Run("SET margay_tail_rows = 0");
  const std::vector<Example> examples = ExamplesOf(page);
  EXPECT_GT(examples.size(), 60U);
  for (const Example& example : examples) {
    const uint64_t before = database.Counter("device_executions");
    const std::string answer = database.Query(example.sql);
    const bool is_refused = answer.find("margay_mode = force: ") != std::string::npos;
    EXPECT_EQ(is_refused, !example.runs) << example.what << ": " << example.sql << "\n" << answer;
    if (example.runs) {
      EXPECT_FALSE(answer.starts_with("error: ")) << example.sql << "\n" << answer;
      EXPECT_GT(database.Counter("device_executions"), before) << example.sql;
    }
  }
}

}  // namespace
}  // namespace margay::integration
