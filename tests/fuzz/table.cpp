#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace margay::fuzz {

std::string Literal(const Cell& cell, const plan::Type& type) {
  const std::string text = plan::Expression::MakeConstant(cell, type)->ToString();
  const bool says_its_type =
      cell.is_null || type.IsVarchar() || type.IsBoolean() || type.kind == plan::TypeKind::Date ||
      type.kind == plan::TypeKind::Timestamp || (type.IsFloat() && !std::isfinite(cell.real));
  return says_its_type ? text : "'" + text + "'::" + type.ToString();
}

Table Table::Qualified(const std::string& qualifier) const {
  Table qualified = *this;
  for (Column& column : qualified.columns) {
    column.qualifier = qualifier;
  }
  return qualified;
}

bool Table::HasFloats() const {
  return std::any_of(columns.begin(), columns.end(),
                     [](const Column& column) { return column.type.IsFloat(); });
}

std::string Table::CreateStatement() const {
  std::string text;
  for (const Column& column : columns) {
    text += (text.empty() ? "" : ", ") + column.name + " " + column.type.ToString() +
            (column.not_null ? " NOT NULL" : "");
  }
  return "CREATE TABLE " + name + " (" + text + ")";
}

Rows Rows::Without(size_t first, size_t last) const {
  Rows result;
  result.count = count - (last - first);
  for (const std::vector<Cell>& column : columns) {
    std::vector<Cell>& kept = result.columns.emplace_back();
    kept.reserve(result.count);
    kept.insert(kept.end(), column.begin(), column.begin() + static_cast<ptrdiff_t>(first));
    kept.insert(kept.end(), column.begin() + static_cast<ptrdiff_t>(last), column.end());
  }
  return result;
}

Rows Rows::WithoutRepeated(size_t column) const {
  Rows result;
  result.columns.resize(columns.size());
  std::set<std::tuple<Int128, double, std::string>> seen;
  for (size_t row = 0; row < count; row++) {
    const Cell& value = columns[column][row];
    if (!value.is_null && !seen.emplace(value.integer, value.real, value.text).second) {
      continue;
    }
    for (size_t i = 0; i < columns.size(); i++) {
      result.columns[i].push_back(columns[i][row]);
    }
    result.count++;
  }
  return result;
}

std::string Rows::InsertStatement(const Table& table) const {
  std::string text = "INSERT INTO " + table.name + " VALUES";
  for (size_t row = 0; row < count; row++) {
    text += row == 0 ? "\n  (" : ",\n  (";
    for (size_t column = 0; column < columns.size(); column++) {
      text += (column == 0 ? "" : ", ") + Literal(columns[column][row], table.columns[column].type);
    }
    text += ")";
  }
  return text;
}

}  // namespace margay::fuzz
