#include "turns_statement.hpp"

#include <algorithm>
#include <set>

namespace margay::tool {
namespace {

//! Answers of more groups get a limit.
constexpr int64_t kMostGroups = 2500;

//! The columns that the first rows of an order may show beside their number.
const std::vector<std::string>& ShownColumns() {
  static const std::vector<std::string> columns = {"s_date",     "s_customer", "s_price",
                                                   "s_quantity", "s_weight",   "s_channel",
                                                   "s_discount", "s_paid",     "s_store"};
  return columns;
}

std::string Joined(const std::vector<std::string>& texts, const std::string& between) {
  std::string all;
  for (const std::string& text : texts) {
    all += (all.empty() ? "" : between) + text;
  }
  return all;
}

}  // namespace

TurnsStatement::TurnsStatement(Random random) : random_(random) {
  ChooseTables();
  ChooseFilters();
  const int64_t kind = random_.Between(1, 20);
  sql_ = kind <= 3 ? Ungrouped() : kind <= 16 ? Grouped() : kind <= 18 ? Nested() : FirstRows();
}

bool TurnsStatement::OneIn(int64_t count) {
  return random_.Between(1, count) == 1;
}

std::string TurnsStatement::FilterText(const TurnsTable::Filter& filter) {
  const std::string number = std::to_string(random_.Between(filter.lowest, filter.highest));
  std::string text = filter.condition;
  for (size_t place = text.find('#'); place != std::string::npos; place = text.find('#')) {
    text.replace(place, 1, number);
  }
  return text;
}

void TurnsStatement::ChooseTables() {
  for (const TurnsTable& table : TurnsDimensions()) {
    if (OneIn(3)) {
      joined_.push_back(&table);
      join_words_.emplace_back(OneIn(6) ? "LEFT JOIN" : "JOIN");
    } else if (OneIn(12)) {
      filters_.push_back(SemiJoin(table));
    }
  }
}

std::string TurnsStatement::SemiJoin(const TurnsTable& table) {
  const std::string filter = FilterText(random_.Pick(table.filters));
  if (OneIn(2)) {
    return table.fact_column + " IN (SELECT " + table.key_column + " FROM " + table.name +
           " WHERE " + filter + ")";
  }
  return std::string(OneIn(2) ? "NOT " : "") + "EXISTS (SELECT 1 FROM " + table.name + " WHERE " +
         table.key_column + " = " + table.fact_column + " AND " + filter + ")";
}

void TurnsStatement::ChooseFilters() {
  std::set<const TurnsTable::Filter*> chosen;
  for (int64_t left = random_.Between(0, 2); left > 0; left--) {
    const TurnsTable::Filter& filter = random_.Pick(TurnsFacts().filters);
    if (chosen.insert(&filter).second) {
      filters_.push_back(FilterText(filter));
    }
  }
  for (const TurnsTable* table : joined_) {
    if (OneIn(2)) {
      filters_.push_back(FilterText(random_.Pick(table->filters)));
    }
  }
}

void TurnsStatement::ChooseKeys(size_t count) {
  std::vector<TurnsTable::Key> candidates = TurnsFacts().keys;
  for (const TurnsTable* table : joined_) {
    // Twice, as there are more keys among the facts.
    candidates.insert(candidates.end(), table->keys.begin(), table->keys.end());
    candidates.insert(candidates.end(), table->keys.begin(), table->keys.end());
  }
  while (keys_.size() < count) {
    const TurnsTable::Key& key = random_.Pick(candidates);
    const bool is_known = std::any_of(keys_.begin(), keys_.end(),
                                      [&](const auto& other) { return other.value == key.value; });
    if (!is_known) {
      keys_.push_back(key);
    }
  }
}

const std::string& TurnsStatement::Number() {
  if (!joined_.empty() && OneIn(3)) {
    return random_.Pick(random_.Pick(joined_)->numbers);
  }
  return random_.Pick(TurnsFacts().numbers);
}

std::string TurnsStatement::ExactAggregate() {
  switch (random_.Between(1, 6)) {
    case 1:
      return "count(*)";
    case 2:
      return "min(" + Number() + ")";
    case 3:
      return "max(" + Number() + ")";
    default:
      return "sum(" + Number() + ")";
  }
}

std::string TurnsStatement::Aggregate() {
  switch (random_.Between(1, 12)) {
    case 1:
      return "sum(s_weight)";
    case 2:
      return "avg(s_weight * s_quantity)";
    case 3:
      return "avg(" + Number() + ")";
    case 4:
      return "count(DISTINCT " + std::string(OneIn(2) ? "s_customer" : "s_product") + ")";
    case 5:
      return "sum(" + Number() + ") FILTER (" + FilterText(random_.Pick(TurnsFacts().filters)) +
             ")";
    case 6:
      return "max(s_date)";
    case 7:
      return "bool_and(s_paid)";
    default:
      return ExactAggregate();
  }
}

std::string TurnsStatement::Tables() const {
  std::string text = " FROM " + TurnsFacts().name;
  for (size_t i = 0; i < joined_.size(); i++) {
    text += " " + join_words_[i] + " " + joined_[i]->name + " ON " + joined_[i]->fact_column +
            " = " + joined_[i]->key_column;
  }
  return text;
}

std::string TurnsStatement::Where() const {
  return filters_.empty() ? "" : " WHERE " + Joined(filters_, " AND ");
}

std::string TurnsStatement::KeyColumns() const {
  std::vector<std::string> columns;
  for (const TurnsTable::Key& key : keys_) {
    columns.push_back(key.value + " AS key_" + std::to_string(columns.size() + 1));
  }
  return Joined(columns, ", ");
}

std::string TurnsStatement::KeyNames() const {
  std::vector<std::string> names;
  for (size_t i = 1; i <= keys_.size(); i++) {
    names.push_back("key_" + std::to_string(i));
  }
  return Joined(names, ", ");
}

std::string TurnsStatement::ValueColumns(int64_t count) {
  std::vector<std::string> columns = {ExactAggregate() + " AS value_1"};
  for (int64_t i = 2; i <= count; i++) {
    columns.push_back(Aggregate() + " AS value_" + std::to_string(i));
  }
  return Joined(columns, ", ");
}

std::string TurnsStatement::Ungrouped() {
  return "SELECT " + ValueColumns(random_.Between(1, 4)) + Tables() + Where();
}

std::string TurnsStatement::Grouped() {
  ChooseKeys(static_cast<size_t>(random_.Between(1, 3)));
  int64_t groups = 1;
  std::vector<std::string> values;
  for (const TurnsTable::Key& key : keys_) {
    // A key of a LEFT JOIN can be NULL, too.
    groups *= key.different + 1;
    values.push_back(key.value);
  }
  std::string sql = "SELECT " + KeyColumns() + ", " + ValueColumns(random_.Between(1, 4)) +
                    Tables() + Where() + " GROUP BY " + Joined(values, ", ");
  if (OneIn(8)) {
    sql += " HAVING count(*) > " + std::to_string(random_.Between(1, 40));
  }
  if (groups <= kMostGroups && OneIn(2)) {
    return sql + " ORDER BY " + KeyNames();
  }
  return sql + " ORDER BY value_1" + (OneIn(3) ? ", " : " DESC, ") + KeyNames() + " LIMIT " +
         std::to_string(random_.Between(3, 100));
}

std::string TurnsStatement::Nested() {
  ChooseKeys(static_cast<size_t>(random_.Between(1, 2)));
  const bool has_average = OneIn(2);
  const std::string inner = "SELECT " + KeyColumns() + ", " + ValueColumns(2) + Tables() + Where() +
                            " GROUP BY " + KeyNames();
  return "SELECT count(*), max(value_1), min(value_2)" +
         std::string(has_average ? ", avg(value_1)" : "") + " FROM (" + inner + ")";
}

std::string TurnsStatement::FirstRows() {
  std::vector<std::string> columns = {"s_number"};
  for (const std::string& column : ShownColumns()) {
    if (OneIn(3)) {
      columns.push_back(column);
    }
  }
  for (const TurnsTable* table : joined_) {
    columns.push_back(random_.Pick(table->keys).value);
  }
  return "SELECT " + Joined(columns, ", ") + Tables() + Where() + " ORDER BY " + Number() +
         (OneIn(2) ? " DESC" : "") + ", s_number LIMIT " + std::to_string(random_.Between(5, 100));
}

}  // namespace margay::tool
