#include "query_generator.hpp"

#include <algorithm>

#include "named_query_generator.hpp"
#include "subquery_generator.hpp"

namespace margay::fuzz {

namespace {

using plan::TypeKind;

constexpr int kDepth = 3;
//! Of queries with sub-queries, whose kernels are many without them.
constexpr size_t kMostItemsBesideSubqueries = 3;

Item MakeItem(Item::Kind kind, SqlNode expression) {
  Item item;
  item.kind = kind;
  item.expression = std::move(expression);
  return item;
}

//! Many aggregates, as compiling a kernel takes longer than running it; of joins the kernels are
//! large without them.
void AddAggregates(Query& query, ExpressionGenerator& generator) {
  Random& random = generator.GetRandom();
  const size_t count = 1 + random.Below(query.joins.empty() ? 10 : 4);
  for (size_t i = 0; i < count; i++) {
    const char* function = random.Pick(
        {"sum", "sum", "sum", "count", "min", "max", "avg", "count(*)", "bool_and", "bool_or"});
    const std::string name = function;
    const int depth = static_cast<int>(random.Below(kDepth));
    SqlNode argument = name == "count(*)"                        ? SqlNode::Make({"*"}, {})
                       : name == "bool_and" || name == "bool_or" ? generator.Predicate(depth)
                       : name == "sum" || name == "avg"          ? generator.Number(depth)
                                                                 : generator.Any(depth);
    if ((name == "sum" || name == "avg") && random.Percent(50)) {
      const plan::Type type = random.Pick(generator.GetTable().columns).type;
      argument = generator.OfType(IsNumber(type) ? type : TypeKind::Int64, kDepth);
    }
    Item item = MakeItem(Item::Kind::Aggregate, std::move(argument));
    item.function = name;
    item.is_distinct = name != "count(*)" && random.Percent(8);
    if (random.Percent(20)) {
      item.filter = generator.Predicate(1 + static_cast<int>(random.Below(kDepth)));
    }
    query.items.push_back(std::move(item));
  }
}

//! Conditions on aggregates; most of them hold for some groups.
std::vector<SqlNode> DrawHaving(ExpressionGenerator& generator) {
  Random& random = generator.GetRandom();
  const std::string comparison = random.Pick({" > ", " >= ", " < ", " <> "});
  std::vector<SqlNode> conjuncts;
  switch (random.Below(3)) {
    case 0:
      conjuncts.push_back(
          SqlNode::Make({"(count(*)" + comparison, ")"}, {generator.NewLiteral(TypeKind::Int8)}));
      break;
    case 1:
      conjuncts.push_back(
          SqlNode::Make({"(sum(", ")" + comparison, ")"},
                        {generator.Number(1), generator.NewLiteral(TypeKind::Int32)}));
      break;
    default: {
      const size_t column = random.Below(generator.GetTable().columns.size());
      const plan::Type& type = generator.GetTable().columns[column].type;
      conjuncts.push_back(
          SqlNode::Make({random.Pick({"(min(", "(max("}), ")" + comparison, ")"},
                        {generator.ColumnLeaf(column), generator.NewLiteral(type, column)}));
      break;
    }
  }
  return conjuncts;
}

//! Aggregates of the query's result, by groups of it or not.
std::vector<OuterItem> DrawOuter(const Query& query, Random& random) {
  std::vector<OuterItem> items;
  if (random.Percent(40)) {
    items.push_back({"", random.Below(query.items.size())});
  }
  const size_t count = 1 + random.Below(4);
  for (size_t i = 0; i < count; i++) {
    items.push_back({random.Pick({"sum(", "min(", "max(", "count(", "count(DISTINCT "}),
                     random.Below(query.items.size())});
  }
  return items;
}

std::string DrawOrder(Random& random) {
  std::string order = std::string(" ORDER BY ALL") + random.Pick({" ASC", " DESC"}) +
                      random.Pick({" NULLS FIRST", " NULLS LAST"});
  if (random.Percent(80)) {
    order += " LIMIT " + std::to_string(random.Pick<size_t>({1, 3, 20, 100, 3000, 100000}));
  }
  if (random.Percent(30)) {
    order += " OFFSET " + std::to_string(random.Pick<size_t>({1, 10, 200, 5000}));
  }
  return order;
}

class Projection : public QueryShape {
  int Weight(const Query& query) const override { return query.RepeatsRows() ? 20 : 35; }
  void AddItems(Query& query, ExpressionGenerator& generator) const override {
    Random& random = generator.GetRandom();
    query.is_distinct = random.Percent(25);
    const size_t count = 1 + random.Below(query.is_distinct ? 3 : 12);
    for (size_t i = 0; i < count; i++) {
      query.items.push_back(
          MakeItem(Item::Kind::Scalar, generator.Any(static_cast<int>(random.Below(kDepth + 1)))));
    }
    if (random.Percent(50)) {
      query.order = DrawOrder(random);
    }
    if (query.is_distinct && random.Percent(25)) {
      query.outer = DrawOuter(query, random);
    }
  }
};

class UngroupedAggregate : public QueryShape {
  int Weight(const Query& /*query*/) const override { return 30; }
  void AddItems(Query& query, ExpressionGenerator& generator) const override {
    AddAggregates(query, generator);
  }
};

class GroupedAggregate : public QueryShape {
  int Weight(const Query& /*query*/) const override { return 35; }
  void AddItems(Query& query, ExpressionGenerator& generator) const override {
    Random& random = generator.GetRandom();
    const std::vector<size_t> small = generator.ColumnsWhere([](const Column& column) {
      return column.type.IsVarchar() || column.type.IsBoolean() ||
             column.type.kind == TypeKind::Int8 || column.type.kind == TypeKind::UInt8 ||
             column.type.kind == TypeKind::Int16 || column.type.kind == TypeKind::Int32 ||
             column.type.IsFloat();
    });
    const size_t columns = generator.GetTable().columns.size();
    // Keys of any type in some queries, so that their combinations take several words.
    const int any = random.Percent(30) ? 100 : 0;
    const size_t count = 1 + random.Below(any == 0 ? 3 : 5);
    for (size_t i = 0; i < count; i++) {
      const size_t choice = random.PickByWeight({small.empty() ? 0 : 60, 25, 15, any});
      query.items.push_back(
          MakeItem(Item::Kind::Key, choice == 0   ? generator.ColumnLeaf(random.Pick(small))
                                    : choice == 1 ? generator.Predicate(1)
                                    : choice == 2 ? generator.OfType(TypeKind::Int8, 1)
                                                  : generator.ColumnLeaf(random.Below(columns))));
    }
    if (!random.Percent(5)) {
      AddAggregates(query, generator);
    }
    if (random.Percent(15)) {
      query.grouping = random.Pick({"ROLLUP", "CUBE"});
    }
    if (random.Percent(25)) {
      query.having = DrawHaving(generator);
    }
    if (random.Percent(25)) {
      query.order = DrawOrder(random);
    }
    if (random.Percent(25)) {
      query.outer = DrawOuter(query, random);
    }
  }
};

//! Puts a sub-query into WHERE, SELECT or HAVING.
void AddSubquery(Query& query, const Table& outer, SubqueryGenerator& subqueries, Random& random) {
  const bool is_grouped = std::any_of(query.items.begin(), query.items.end(), [](const Item& item) {
    return item.kind == Item::Kind::Key;
  });
  switch (random.PickByWeight({60, 30, is_grouped ? 10 : 0})) {
    case 0:
      query.conjuncts.push_back(subqueries.Predicate(outer));
      break;
    case 1: {
      const bool is_scalar = query.items[0].kind == Item::Kind::Scalar;
      const bool is_key = is_grouped && random.Percent(40);
      Item item =
          MakeItem(is_scalar ? Item::Kind::Scalar
                   : is_key  ? Item::Kind::Key
                             : Item::Kind::Aggregate,
                   random.Percent(35) ? subqueries.Predicate(outer) : subqueries.Value(outer));
      if (item.kind == Item::Kind::Aggregate) {
        item.function = random.Pick({"count", "sum", "min", "max"});
      }
      query.items.push_back(std::move(item));
      break;
    }
    default:
      query.having.push_back(SqlNode::Make({random.Pick({"(count(*) > ", "(count(*) <= "}), ")"},
                                           {subqueries.Number(Table{})}));
      break;
  }
}

}  // namespace

std::vector<std::unique_ptr<QueryShape>> MakeQueryShapes() {
  std::vector<std::unique_ptr<QueryShape>> shapes;
  shapes.push_back(std::make_unique<Projection>());
  shapes.push_back(std::make_unique<UngroupedAggregate>());
  shapes.push_back(std::make_unique<GroupedAggregate>());
  return shapes;
}

Query DrawQuery(std::vector<Table>& tables, std::vector<Join> joins, int subquery_percent,
                Random& random) {
  Query query;
  query.table = tables[0].name;
  query.joins = std::move(joins);
  const bool has_subqueries = random.Percent(subquery_percent);
  // In WHERE and SELECT only, in FROM only, or in all of them.
  const size_t places = random.PickByWeight({45, 30, 25});
  std::vector<Table> read = tables;
  NamedQueryGenerator named(query, read, random);
  for (size_t count = has_subqueries && places > 0 ? 1 + random.Below(3) : 0; count > 0; count--) {
    named.Add();
  }
  const Table visible = VisibleColumns(read, query.joins);
  ExpressionGenerator generator(visible, random, !has_subqueries && random.Percent(20));
  const std::vector<std::unique_ptr<QueryShape>> shapes = MakeQueryShapes();
  std::vector<int> weights;
  weights.reserve(shapes.size());
  for (const auto& shape : shapes) {
    weights.push_back(shape->Weight(query));
  }
  shapes[random.PickByWeight(weights)]->AddItems(query, generator);
  if (has_subqueries && query.items.size() > kMostItemsBesideSubqueries) {
    query.items.resize(kMostItemsBesideSubqueries);
  }
  // A condition on the columns of an outer join mostly makes it an inner one.
  const bool reads_one = query.joins.empty() && !has_subqueries;
  const size_t conjuncts =
      reads_one ? random.Pick<size_t>({0, 0, 1, 1, 2, 3}) : random.Pick<size_t>({0, 0, 0, 0, 1, 2});
  for (size_t i = 0; i < conjuncts; i++) {
    query.conjuncts.push_back(generator.Predicate(1 + static_cast<int>(random.Below(kDepth))));
  }
  if (random.Percent(15)) {
    query.set_operation = random.Pick({"UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT"});
    query.second_conjuncts.push_back(generator.Predicate(1));
  }
  if (has_subqueries && places != 1) {
    Table outer = visible;
    for (Column& column : outer.columns) {
      // A stored column's name begins with its table's.
      column.qualifier = column.qualifier.empty() ? column.name.substr(0, 1) : column.qualifier;
    }
    SubqueryGenerator subqueries(tables, named.Drawn(), random);
    for (size_t count = 1 + random.Below(2); count > 0; count--) {
      AddSubquery(query, outer, subqueries, random);
    }
  }
  return query;
}

}  // namespace margay::fuzz
