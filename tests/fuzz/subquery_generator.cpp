#include "subquery_generator.hpp"

#include <utility>

#include "column_pairs.hpp"
#include "expression_generator.hpp"
#include "table_generator.hpp"

namespace margay::fuzz {

namespace {

using plan::TypeKind;

constexpr size_t kMostTables = 7;
constexpr size_t kMostColumns = 3;
//! Sub-queries within each other.
constexpr int kMostLevels = 2;

SqlNode ColumnNode(const Column& column) {
  return SqlNode::Make({column.Text()}, {});
}

}  // namespace

SqlNode SubqueryGenerator::Predicate(const Table& outer, int level) {
  SqlNode predicate = PlainPredicate(outer, level);
  switch (random_.PickByWeight({65, 15, 12, 8})) {
    case 0:
      return predicate;
    case 1: {
      ExpressionGenerator generator(outer, random_, false);
      return SqlNode::Binary("OR", std::move(predicate), generator.Predicate(1));
    }
    case 2:
      return SqlNode::Make({"(NOT ", ")"}, {std::move(predicate)});
    default:
      return SqlNode::Make({"(", " IS NULL)"}, {std::move(predicate)});
  }
}

SqlNode SubqueryGenerator::PlainPredicate(const Table& outer, int level) {
  Scope scope = DrawScope(outer);
  const size_t kind = random_.PickByWeight({30, 30, 20, 20});
  const auto pair = kind == 0 ? std::nullopt : DrawPair(scope);
  if (!pair) {
    AddConditions(scope, true, level);
    return Select(random_.Pick({"EXISTS (SELECT 1", "NOT EXISTS (SELECT 1"}), {}, std::move(scope),
                  ")");
  }
  if (kind == 3) {
    AddConditions(scope, random_.Percent(75), level);
    const bool is_number = IsNumber(pair->first.type) && random_.Percent(40);
    SqlNode extreme =
        SqlNode::Make({random_.Pick({"min(", "max("}), ")"}, {ColumnNode(pair->second)});
    SqlNode value = is_number ? Aggregate(std::move(scope), true)
                              : Select("(SELECT ", {std::move(extreme)}, std::move(scope), ")");
    return SqlNode::Binary(random_.Pick({"=", "<", "<=", "<>", ">", ">="}), ColumnNode(pair->first),
                           std::move(value));
  }
  AddConditions(scope, random_.Percent(45), level);
  const std::string operation =
      kind == 1 ? random_.Pick({" IN (SELECT ", " IN (SELECT ", " NOT IN (SELECT "})
                : random_.Pick({" = ", " <> ", " < ", " <= ", " > ", " >= "}) +
                      std::string(random_.Pick({"ANY (SELECT ", "ALL (SELECT "}));
  const std::string distinct = random_.Percent(15) ? "DISTINCT " : "";
  SqlNode select = Select(operation + distinct, {ColumnNode(pair->second)}, std::move(scope), "))");
  select.pieces.insert(select.pieces.begin(), "(");
  select.children.insert(select.children.begin(), ColumnNode(pair->first));
  return select;
}

SqlNode SubqueryGenerator::Value(const Table& outer, int level) {
  Scope scope = DrawScope(outer);
  const std::vector<Column> exact = ExactColumns(scope.inner);
  const size_t kind = exact.empty() ? 0 : random_.PickByWeight({75, 15, 10});
  if (kind == 0) {
    AddConditions(scope, random_.Percent(75), level);
    return Aggregate(std::move(scope), random_.Percent(40));
  }
  const Column column = random_.Pick(exact);
  if (kind == 2) {
    AddConditions(scope, false, level);
    return Select(
        "(SELECT ", {ColumnNode(column)}, std::move(scope),
        " ORDER BY 1" + std::string(random_.Pick({" ASC", " DESC"})) + " NULLS LAST LIMIT 1)");
  }
  AddCorrelation(scope, {"="});
  // Without that there may be several rows for one of the outer query.
  if (scope.added && !scope.conditions.empty() && random_.Percent(85)) {
    Column& key = tables_[*scope.added].columns.back();
    key.is_unique = !key.type.IsFloat();
  }
  if (random_.Percent(30)) {
    AddConditions(scope, false, level);
  }
  return Select("(SELECT ", {ColumnNode(column)}, std::move(scope), ")");
}

SqlNode SubqueryGenerator::Number(const Table& outer) {
  Scope scope = DrawScope(outer);
  AddConditions(scope, true, 0);
  return Aggregate(std::move(scope), true);
}

SqlNode SubqueryGenerator::Aggregate(Scope scope, bool gives_number) {
  const std::vector<Column> exact = ExactColumns(scope.inner);
  if (exact.empty() || random_.Percent(15)) {
    return Select("(SELECT count(*)", {}, std::move(scope), ")");
  }
  const Column column = random_.Pick(exact);
  const bool is_number = IsNumber(column.type);
  const std::string function = gives_number ? random_.Pick({"count(", is_number ? "sum(" : "count(",
                                                            is_number ? "avg(" : "count(DISTINCT "})
                                            : random_.Pick({"min(", "max("});
  SqlNode argument = ColumnNode(column);
  if (function == "sum(" && random_.Percent(35)) {
    argument = ExpressionGenerator(scope.Both(), random_, false).OfType(TypeKind::Int64, 1);
  }
  std::vector<SqlNode> result;
  result.push_back(SqlNode::Make({function, ")"}, {std::move(argument)}));
  return Select("(SELECT ", std::move(result), std::move(scope), ")");
}

Table SubqueryGenerator::Scope::Both() const {
  Table both = inner;
  both.columns.insert(both.columns.end(), outer.columns.begin(), outer.columns.end());
  return both;
}

SubqueryGenerator::Scope SubqueryGenerator::DrawScope(const Table& outer) {
  Scope scope;
  scope.outer = outer;
  const std::string alias = "s" + std::to_string(count_++);
  Table source;
  if (tables_.size() < kMostTables && random_.Percent(45)) {
    scope.added = tables_.size();
    const std::string name(1, static_cast<char>('t' + tables_.size()));
    source = DrawTable(random_, name, kMostColumns);
    tables_.push_back(source);
  } else {
    const bool is_named = !named_.empty() && random_.Percent(60);
    source = is_named ? random_.Pick(named_) : random_.Pick(tables_);
  }
  scope.from = source.name + " AS " + alias;
  scope.inner = source.Qualified(alias);
  return scope;
}

std::optional<std::pair<Column, Column>> SubqueryGenerator::DrawPair(Scope& scope) {
  if (!scope.added || scope.outer.columns.empty()) {
    return PickPair(scope.outer, scope.inner, random_);
  }
  const Column partner = random_.Pick(scope.outer.columns);
  Table& table = tables_[*scope.added];
  Column column = DrawColumn(random_, table);
  column.type = partner.type;
  column.vocabulary = partner.vocabulary;
  column.like = partner.Stored();
  column.is_key = true;
  table.columns.push_back(column);
  // Few values, so that some of them are in both tables.
  for (Table& stored : tables_) {
    for (Column& other : stored.columns) {
      other.is_key = other.is_key || other.name == column.like;
    }
  }
  column.qualifier = scope.inner.columns[0].qualifier;
  scope.inner.columns.push_back(column);
  return std::pair(partner, column);
}

void SubqueryGenerator::AddCorrelation(Scope& scope, const std::vector<const char*>& comparisons) {
  if (const auto pair = DrawPair(scope)) {
    scope.conditions.push_back(SqlNode::Binary(random_.Pick(comparisons), ColumnNode(pair->second),
                                               ColumnNode(pair->first)));
  }
}

void SubqueryGenerator::AddConditions(Scope& scope, bool correlations, int level) {
  if (correlations) {
    const size_t kind = random_.PickByWeight({60, 20, 20});
    if (kind != 1) {
      AddCorrelation(scope, {"=", "=", "=", "=", "IS NOT DISTINCT FROM"});
    }
    if (kind != 0) {
      AddCorrelation(scope, {"<", "<=", "<>", ">", ">="});
    }
    if (random_.Percent(8)) {
      scope.conditions.push_back(ExpressionGenerator(scope.Both(), random_, false).Predicate(1));
    }
  }
  if (random_.Percent(40)) {
    scope.conditions.push_back(ExpressionGenerator(scope.inner, random_, false).Predicate(1));
  }
  if (level < kMostLevels && random_.Percent(12)) {
    const Table visible = random_.Percent(40) ? scope.Both() : scope.inner;
    scope.conditions.push_back(Predicate(visible, level + 1));
  }
}

SqlNode SubqueryGenerator::Select(std::string beginning, std::vector<SqlNode> result, Scope scope,
                                  const std::string& end) {
  SqlNode select;
  select.pieces.push_back(std::move(beginning));
  for (SqlNode& node : result) {
    select.children.push_back(std::move(node));
    select.pieces.emplace_back();
  }
  select.pieces.back() += " FROM " + scope.from;
  for (size_t i = 0; i < scope.conditions.size(); i++) {
    select.pieces.back() += i == 0 ? " WHERE " : " AND ";
    select.children.push_back(std::move(scope.conditions[i]));
    select.pieces.emplace_back();
  }
  select.pieces.back() += end;
  return select;
}

}  // namespace margay::fuzz
