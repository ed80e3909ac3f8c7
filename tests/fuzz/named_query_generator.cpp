#include "named_query_generator.hpp"

#include <utility>

#include "column_pairs.hpp"
#include "expression_generator.hpp"

namespace margay::fuzz {

namespace {

using plan::Type;
using plan::TypeKind;

SqlNode ColumnNode(const Column& column) {
  return SqlNode::Make({column.Text()}, {});
}

//! What sum of a column gives, if its order of adding up does not matter.
std::optional<Type> SumType(const Type& type) {
  if (type.kind == TypeKind::Decimal) {
    return Type::Decimal(38, type.scale);
  }
  return IsInteger(type) ? std::optional<Type>(TypeKind::Int128) : std::nullopt;
}

}  // namespace

void NamedQueryGenerator::Add() {
  const bool over_drawn = !drawn_.empty() && random_.Percent(35);
  const size_t place = random_.Below(over_drawn ? drawn_.size() : stored_.size());
  const Table source = over_drawn ? drawn_[place] : stored_[place];
  NamedQuery definition;
  definition.name = "q" + std::to_string(query_.named.size());
  definition.form =
      random_.Pick({NamedQuery::Form::InPlace, NamedQuery::Form::Common, NamedQuery::Form::Common,
                    NamedQuery::Form::Materialized, NamedQuery::Form::NotMaterialized});
  definition.query.table = source.name;
  Table result;
  result.name = definition.Placeholder();
  if (random_.Percent(60)) {
    ExpressionGenerator generator(source, random_, false);
    definition.query.conjuncts.push_back(generator.Predicate(1));
  }

  const size_t kind = random_.PickByWeight({35, 35, 15, 15});
  const size_t keys = kind == 3 ? 0 : 1 + random_.Below(2);
  if (kind == 0) {
    DrawRows(definition, source, result);
  } else {
    DrawGroups(definition, source, keys, kind != 2, result);
  }
  if (definition.query.items.empty() && !over_drawn && random_.Percent(65)) {
    std::string& replaced = place == 0 ? query_.source : query_.joins[place - 1].source;
    replaced = result.name;
  }
  const bool gives_rows = definition.query.items.empty();
  query_.named.push_back(std::move(definition));
  drawn_.push_back(result);
  const size_t reads = gives_rows ? 0 : random_.PickByWeight({25, 55, 20});
  for (size_t i = 0; i < reads; i++) {
    AddJoin(result, keys);
  }
}

void NamedQueryGenerator::DrawRows(NamedQuery& definition, const Table& source, Table& result) {
  for (Column column : source.columns) {
    column.like = column.Stored();
    column.is_stored = false;
    result.columns.push_back(column);
  }
  // Zeros of different signs would tie, but are no equal rows.
  if (source.HasFloats()) {
    return;
  }
  definition.query.is_distinct = random_.Percent(20);
  if (random_.Percent(30)) {
    definition.query.order = std::string(" ORDER BY ALL") + random_.Pick({" ASC", " DESC"}) +
                             " NULLS FIRST LIMIT " +
                             std::to_string(random_.Pick<size_t>({1, 7, 50, 1000}));
  }
}

void NamedQueryGenerator::DrawGroups(NamedQuery& definition, const Table& source, size_t keys,
                                     bool aggregates, Table& result) {
  const std::vector<Column> exact = ExactColumns(source);
  for (size_t i = 0; i < keys && !exact.empty(); i++) {
    const Column& column = random_.Pick(exact);
    Item item;
    item.kind = aggregates ? Item::Kind::Key : Item::Kind::Scalar;
    item.expression = ColumnNode(column);
    AddColumn(definition, std::move(item), column.type, column.Stored(), result);
  }
  definition.query.is_distinct = !aggregates && !result.columns.empty();
  const size_t count = !aggregates && !result.columns.empty() ? 0 : 1 + random_.Below(3);
  for (size_t i = 0; i < count; i++) {
    AddAggregate(definition, source, result);
  }
  if (!result.columns.empty() && aggregates && random_.Percent(15)) {
    definition.query.having.push_back(
        SqlNode::Make({random_.Pick({"(count(*) > 1)", "(count(*) < 3)"})}, {}));
  }
}

void NamedQueryGenerator::AddAggregate(NamedQuery& definition, const Table& source, Table& result) {
  Item item;
  item.kind = Item::Kind::Aggregate;
  item.function = "count(*)";
  Type type = TypeKind::Int64;
  std::optional<std::string> like;
  const std::vector<Column> exact = ExactColumns(source);
  if (!exact.empty() && !random_.Percent(20)) {
    const Column& column = random_.Pick(exact);
    const std::optional<Type> sum = SumType(column.type);
    item.function = random_.Pick({"min", "max", "count", sum ? "sum" : "max"});
    item.is_distinct = random_.Percent(25);
    item.expression = ColumnNode(column);
    item.expression_type = column.type;
    if (item.function == "sum") {
      type = *sum;
    } else if (item.function != "count") {
      type = column.type;
      like = column.Stored();
    }
  }
  AddColumn(definition, std::move(item), type, like, result);
}

void NamedQueryGenerator::AddColumn(NamedQuery& definition, Item item, const Type& type,
                                    std::optional<std::string> like, Table& result) {
  Column column;
  column.name = definition.name + "_" + std::to_string(definition.query.items.size());
  column.type = type;
  column.like = std::move(like);
  column.is_stored = false;
  item.name = column.name;
  definition.query.items.push_back(std::move(item));
  result.columns.push_back(std::move(column));
}

void NamedQueryGenerator::AddJoin(const Table& result, size_t keys) {
  Join join;
  join.table = "d" + std::to_string(joins_++);
  join.source = result.name;
  const Table joined = result.Qualified(join.table);
  const Table before = VisibleColumns(read_, query_.joins);
  for (size_t i = 0; i < keys && i < joined.columns.size(); i++) {
    Table one;
    one.columns = {joined.columns[i]};
    if (const auto pair = PickPair(before, one, random_)) {
      JoinKey key;
      key.probe = ColumnNode(pair->first);
      key.joined = ColumnNode(pair->second);
      key.nulls_are_equal = random_.Percent(15);
      join.keys.push_back(std::move(key));
    }
  }
  join.keys_are_unique = join.keys.size() == keys;
  // Rows that repeat would make too many of few.
  if (!join.keys_are_unique && join.keys.empty()) {
    return;
  }
  using Kind = Join::Kind;
  join.kind = join.keys_are_unique ? random_.Pick({Kind::Inner, Kind::Inner, Kind::Left, Kind::Left,
                                                   Kind::Right, Kind::Full, Kind::Semi, Kind::Anti})
                                   : random_.Pick({Kind::Semi, Kind::Anti});
  if (join.keys.empty() && join.kind != Kind::Left) {
    join.kind = Kind::Inner;
  }
  const auto compared = PickPair(before, joined, random_);
  if (compared && random_.Percent(join.keys.empty() ? 80 : 20)) {
    join.residuals.push_back(SqlNode::Binary(random_.Pick({"<", "<=", "<>", ">", ">="}),
                                             ColumnNode(compared->first),
                                             ColumnNode(compared->second)));
  }
  if (!join.GivesColumns() && random_.Percent(50)) {
    join.form = Join::Form::Exists;
  }
  query_.joins.push_back(std::move(join));
  read_.push_back(joined);
}

}  // namespace margay::fuzz
