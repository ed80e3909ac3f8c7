#include "query.hpp"

#include <algorithm>

namespace margay::fuzz {

namespace {

std::string Replace(std::string text, const std::string& part, const std::string& replacement) {
  for (size_t place = text.find(part); place != std::string::npos;
       place = text.find(part, place + replacement.size())) {
    text.replace(place, part.size(), replacement);
  }
  return text;
}

//! `name AS (`, as WITH has it.
std::string CommonTableText(const NamedQuery& named) {
  switch (named.form) {
    case NamedQuery::Form::Materialized:
      return named.name + " AS MATERIALIZED (";
    case NamedQuery::Form::NotMaterialized:
      return named.name + " AS NOT MATERIALIZED (";
    default:
      return named.name + " AS (";
  }
}

}  // namespace

std::string Item::Text() const {
  if (kind != Kind::Aggregate) {
    return expression.Text();
  }
  const std::string text = function == "count(*)" ? function
                                                  : function + (is_distinct ? "(DISTINCT " : "(") +
                                                        expression.Text() + ")";
  return filter ? text + " FILTER (WHERE " + filter->Text() + ")" : text;
}

Tolerance Item::HowExact() const {
  if (kind == Kind::Scalar) {
    return Tolerance::Exact;
  }
  const bool adds_up = kind == Kind::Aggregate && (function == "sum" || function == "avg");
  if (adds_up && expression_type.IsFloat()) {
    return Tolerance::Scaled;
  }
  return adds_up && function == "avg" ? Tolerance::Relative : Tolerance::ZeroFree;
}

std::string Item::ScaleText() const {
  const std::string real = "CAST(" + expression.Text() + " AS DOUBLE)";
  const std::string condition = filter ? " AND " + filter->Text() : "";
  return function + (is_distinct ? "(DISTINCT abs(" : "(abs(") + real +
         ")) FILTER (WHERE isfinite(" + real + ")" + condition + ")";
}

std::string OuterItem::Text() const {
  const std::string name = "c" + std::to_string(column);
  return function.empty() ? name : function + name + ")";
}

bool Query::IsExact() const {
  return std::none_of(items.begin(), items.end(), [](const Item& item) {
    return item.HowExact() == Tolerance::Relative || item.HowExact() == Tolerance::Scaled;
  });
}

bool Query::HasOrder() const {
  return !order.empty() && IsExact();
}

std::vector<OuterItem> Query::VisibleOuter() const {
  std::vector<OuterItem> visible;
  for (const OuterItem& item : outer) {
    // Of floating-point numbers the order of rows decides about sums and about the sign of zero.
    if (item.column < items.size() && !items[item.column].expression_type.IsFloat() &&
        items[item.column].HowExact() != Tolerance::Relative) {
      visible.push_back(item);
    }
  }
  return visible;
}

bool Query::RepeatsRows() const {
  return std::any_of(joins.begin(), joins.end(),
                     [](const Join& join) { return join.GivesColumns() && !join.keys_are_unique; });
}

bool Query::HasSubqueries() const {
  return !named.empty() || SelectText({}, conjuncts).find("(SELECT ") != std::string::npos;
}

std::string Query::Complete(std::string text) const {
  std::string common;
  // The last one first, as it may read those before it.
  for (size_t i = named.size(); i-- > 0;) {
    const NamedQuery& definition = named[i];
    const std::string body = definition.query.IncompleteText();
    const std::string whole_table = "SELECT * FROM " + definition.query.FromText();
    std::string replacement = definition.name;
    if (definition.form == NamedQuery::Form::InPlace) {
      replacement = body == whole_table ? definition.query.table : "(" + body + ")";
    }
    text = Replace(std::move(text), definition.Placeholder(), replacement);
    common = Replace(std::move(common), definition.Placeholder(), replacement);
    if (definition.form != NamedQuery::Form::InPlace) {
      common = CommonTableText(definition) + body + ")" + (common.empty() ? "" : ", ") + common;
    }
  }
  return common.empty() ? text : "WITH " + common + " " + text;
}

std::string Query::FromText() const {
  std::string text = source.empty() ? table : source + " AS " + table;
  for (const Join& join : joins) {
    text += join.FromText();
  }
  return text;
}

std::string Query::TextWith(const std::vector<std::string>& further_columns) const {
  std::string text = SelectText(further_columns, conjuncts);
  if (!set_operation.empty() && IsExact()) {
    text += " " + set_operation + " " + SelectText({}, second_conjuncts);
  }
  return HasOrder() ? text + order : text;
}

std::string Query::SelectText(const std::vector<std::string>& further_columns,
                              const std::vector<SqlNode>& conditions) const {
  std::string columns = items.empty() ? "*" : "";
  std::string groups;
  for (size_t i = 0; i < items.size(); i++) {
    columns += (columns.empty() ? "" : ", ") + items[i].Text() +
               (items[i].name.empty() ? "" : " AS " + items[i].name);
    if (items[i].kind == Item::Kind::Key) {
      groups += (groups.empty() ? "" : ", ") + std::to_string(i + 1);
    }
  }
  for (const std::string& column : further_columns) {
    columns += ", " + column;
  }
  std::string where;
  const auto add_condition = [&](const std::string& condition) {
    where += (where.empty() ? " WHERE " : " AND ") + condition;
  };
  for (const Join& join : joins) {
    if (join.form != Join::Form::From) {
      add_condition(join.WhereText());
    }
  }
  for (const SqlNode& condition : conditions) {
    add_condition(condition.Text());
  }
  std::string text = std::string("SELECT ") + (is_distinct ? "DISTINCT " : "") + columns +
                     " FROM " + FromText() + where;
  if (!groups.empty()) {
    text += " GROUP BY " + (grouping.empty() ? groups : grouping + " (" + groups + ")");
  }
  for (size_t i = 0; i < having.size(); i++) {
    text += (i == 0 ? " HAVING " : " AND ") + having[i].Text();
  }
  return text;
}

std::string Query::Text() const {
  return Complete(IncompleteText());
}

std::string Query::IncompleteText() const {
  if (outer.empty()) {
    return TextWith({});
  }
  std::string columns = "count(*)";
  std::string groups;
  for (const OuterItem& item : VisibleOuter()) {
    columns += ", " + item.Text();
    if (item.function.empty()) {
      groups += (groups.empty() ? " GROUP BY " : ", ") + item.Text();
    }
  }
  std::string names;
  for (size_t i = 0; i < items.size(); i++) {
    names += (i == 0 ? "c" : ", c") + std::to_string(i);
  }
  return "SELECT " + columns + " FROM (" + TextWith({}) + ") AS s(" + names + ")" + groups;
}

std::string Query::ReferenceText() const {
  if (!outer.empty()) {
    return Text();
  }
  std::vector<std::string> scales;
  for (const Item& item : items) {
    if (item.HowExact() == Tolerance::Scaled) {
      scales.push_back(item.ScaleText());
    }
  }
  return Complete(TextWith(scales));
}

std::vector<Tolerance> Query::Tolerances() const {
  if (!outer.empty()) {
    return std::vector<Tolerance>(1 + VisibleOuter().size(), Tolerance::Exact);
  }
  std::vector<Tolerance> tolerances;
  for (const Item& item : items) {
    const Tolerance tolerance = item.HowExact();
    // Zeros tie, and any of them may be among the first rows, or stand for the others.
    const bool may_choose_zero =
        (HasOrder() || is_distinct || !set_operation.empty()) && tolerance == Tolerance::Exact;
    tolerances.push_back(may_choose_zero ? Tolerance::ZeroFree : tolerance);
  }
  return tolerances;
}

void Query::ForEachNode(const std::function<void(SqlNode&)>& visit) {
  for (NamedQuery& definition : named) {
    definition.query.ForEachNode(visit);
  }
  for (Join& join : joins) {
    join.ForEachNode(visit);
  }
  for (Item& item : items) {
    if (item.function != "count(*)") {
      item.expression.ForEach(visit);
    }
    if (item.filter) {
      item.filter->ForEach(visit);
    }
  }
  for (SqlNode& conjunct : conjuncts) {
    conjunct.ForEach(visit);
  }
  for (SqlNode& conjunct : second_conjuncts) {
    conjunct.ForEach(visit);
  }
  for (SqlNode& conjunct : having) {
    conjunct.ForEach(visit);
  }
}

}  // namespace margay::fuzz
