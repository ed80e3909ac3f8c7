#include "column_pairs.hpp"

#include <algorithm>
#include <iterator>

namespace margay::fuzz {

namespace {

bool ShareValues(const Column& left, const Column& right) {
  return left.Stored() && (left.Stored() == right.Stored() || left.Stored() == right.like ||
                           (right.Stored() && right.Stored() == left.like));
}

}  // namespace

std::optional<std::pair<Column, Column>> PickPair(const Table& left, const Table& right,
                                                  Random& random) {
  std::vector<std::pair<Column, Column>> alike;
  std::vector<std::pair<Column, Column>> others;
  for (const Column& first : left.columns) {
    for (const Column& second : right.columns) {
      if (first.type == second.type) {
        (ShareValues(first, second) ? alike : others).emplace_back(first, second);
      }
    }
  }
  if (!alike.empty() && (others.empty() || random.Percent(80))) {
    return random.Pick(alike);
  }
  return others.empty() ? std::nullopt : std::optional(random.Pick(others));
}

std::vector<Column> ExactColumns(const Table& table) {
  std::vector<Column> columns;
  std::copy_if(table.columns.begin(), table.columns.end(), std::back_inserter(columns),
               [](const Column& column) { return !column.type.IsFloat(); });
  return columns;
}

}  // namespace margay::fuzz
