#include "join.hpp"

namespace margay::fuzz {

namespace {

//! All texts with AND between them; TRUE for none.
std::string Conjunction(const std::vector<std::string>& texts) {
  std::string conjunction;
  for (const std::string& text : texts) {
    conjunction += (conjunction.empty() ? "" : " AND ") + text;
  }
  return conjunction.empty() ? "TRUE" : conjunction;
}

void AppendTexts(const std::vector<SqlNode>& nodes, std::vector<std::string>& texts) {
  for (const SqlNode& node : nodes) {
    texts.push_back(node.Text());
  }
}

const char* KindText(Join::Kind kind) {
  switch (kind) {
    case Join::Kind::Inner:
      return " JOIN ";
    case Join::Kind::Left:
      return " LEFT JOIN ";
    case Join::Kind::Right:
      return " RIGHT JOIN ";
    case Join::Kind::Full:
      return " FULL JOIN ";
    case Join::Kind::Semi:
      return " SEMI JOIN ";
    case Join::Kind::Anti:
      return " ANTI JOIN ";
  }
  return "";
}

}  // namespace

std::string JoinKey::Text() const {
  return probe.Text() + (nulls_are_equal ? " IS NOT DISTINCT FROM " : " = ") + joined.Text();
}

std::string Join::FromText() const {
  if (form != Form::From) {
    return "";
  }
  std::vector<std::string> filter_texts;
  AppendTexts(filters, filter_texts);
  const std::string filtered = filters.empty() ? SourceText()
                                               : "(SELECT * FROM " + SourceText() + " WHERE " +
                                                     Conjunction(filter_texts) + ") " + table;
  std::vector<std::string> conditions;
  for (const JoinKey& key : keys) {
    conditions.push_back(key.Text());
  }
  AppendTexts(residuals, conditions);
  return KindText(kind) + filtered + " ON " + Conjunction(conditions);
}

std::string Join::WhereText() const {
  if (form == Form::From) {
    return "";
  }
  std::vector<std::string> conditions;
  for (size_t i = form == Form::In ? 1 : 0; i < keys.size(); i++) {
    conditions.push_back(keys[i].Text());
  }
  AppendTexts(residuals, conditions);
  AppendTexts(filters, conditions);
  const std::string where = conditions.empty() ? "" : " WHERE " + Conjunction(conditions);
  if (form == Form::In) {
    return keys[0].probe.Text() + " IN (SELECT " + keys[0].joined.Text() + " FROM " + SourceText() +
           where + ")";
  }
  return std::string(kind == Kind::Anti ? "NOT " : "") + "EXISTS (SELECT 1 FROM " + SourceText() +
         where + ")";
}

void Join::ForEachNode(const std::function<void(SqlNode&)>& visit) {
  for (JoinKey& key : keys) {
    key.probe.ForEach(visit);
    key.joined.ForEach(visit);
  }
  for (std::vector<SqlNode>* conditions : {&residuals, &filters}) {
    for (SqlNode& condition : *conditions) {
      condition.ForEach(visit);
    }
  }
}

Table VisibleColumns(const std::vector<Table>& tables, const std::vector<Join>& joins) {
  Table visible = tables[0];
  for (size_t i = 0; i < joins.size(); i++) {
    if (joins[i].GivesColumns()) {
      const std::vector<Column>& columns = tables[i + 1].columns;
      visible.columns.insert(visible.columns.end(), columns.begin(), columns.end());
    }
  }
  return visible;
}

}  // namespace margay::fuzz
