#include "turns_statements.hpp"

#include <cctype>
#include <set>

#include "random.hpp"
#include "turns_statement.hpp"

namespace margay::tool {
namespace {

//! A kind of random numbers, apart from those of other benchmarks.
constexpr uint64_t kKind = 0x7475726E73;

bool IsPartOfName(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_';
}

bool IsPartOfNumber(char character) {
  return std::isdigit(static_cast<unsigned char>(character)) != 0 || character == '.';
}

//! The place behind the name, number, string or other character that begins at `place`.
size_t EndOfToken(const std::string& sql, size_t place) {
  if (sql[place] == '\'') {
    const size_t end = sql.find('\'', place + 1);
    return end == std::string::npos ? sql.size() : end + 1;
  }
  const auto is_part = IsPartOfNumber(sql[place]) ? IsPartOfNumber : IsPartOfName;
  size_t end = place;
  while (end < sql.size() && is_part(sql[end])) {
    end++;
  }
  return end == place ? place + 1 : end;
}

}  // namespace

std::string WithoutConstants(const std::string& sql) {
  std::string text;
  for (size_t place = 0; place < sql.size();) {
    const size_t end = EndOfToken(sql, place);
    const bool is_constant = sql[place] == '\'' || IsPartOfNumber(sql[place]);
    text += is_constant ? "?" : sql.substr(place, end - place);
    place = end;
  }
  return text;
}

std::vector<BenchmarkQuery> MakeTurnsStatements(size_t count, uint64_t seed) {
  std::vector<BenchmarkQuery> statements;
  std::set<std::string> known;
  for (uint64_t attempt = 0; statements.size() < count; attempt++) {
    const TurnsStatement statement(Random(seed, kKind, attempt));
    if (known.insert(WithoutConstants(statement.Sql())).second) {
      statements.push_back({std::to_string(statements.size() + 1), statement.Sql()});
    }
  }
  return statements;
}

}  // namespace margay::tool
