// What the documents list is what there is.
#include <sstream>

#include "document_page.hpp"
#include "test_database.hpp"

namespace margay::integration {
namespace {

void ExpectNames(const std::string& page, TestDatabase& database, const std::string& query) {
  const std::string text = ReadPage(page);
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
