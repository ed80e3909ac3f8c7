// What the documents list is what there is.
#include <fstream>
#include <sstream>

#include "test_database.hpp"

namespace margay::integration {
namespace {

std::string Page(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void ExpectNames(const std::string& page, TestDatabase& database, const std::string& query) {
  const std::string text = Page(page);
  std::istringstream names(database.Query(query));
  int count = 0;
  for (std::string name; std::getline(names, name); count++)
    EXPECT_NE(text.find("`" + name), std::string::npos) << page << " does not name " << name;
  EXPECT_GT(count, 3) << query;
}

TEST(Documents, NameEverySetting) {
  TestDatabase database;
  ExpectNames("docs/settings.md", database,
              "SELECT name FROM duckdb_settings() WHERE name LIKE 'margay_%'");
}

TEST(Documents, NameEveryCounterAndFunction) {
  TestDatabase database;
  ExpectNames("docs/functions.md", database, "SELECT name FROM margay_counters()");
  ExpectNames("docs/functions.md", database,
              "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_name LIKE "
              "'margay_%' AND function_name <> 'margay_evict'");
}

}  // namespace
}  // namespace margay::integration
