#include "join_generator.hpp"

#include <utility>

#include "expression_generator.hpp"
#include "table_generator.hpp"

namespace margay::fuzz {

namespace {

using plan::Type;
using plan::TypeKind;

constexpr size_t kMostColumns = 4;

Type DrawKeyType(Random& random) {
  static const std::vector<TypeKind> kinds = {
      TypeKind::Int8,   TypeKind::Int16,   TypeKind::Int32,   TypeKind::Int64,
      TypeKind::Int128, TypeKind::UInt8,   TypeKind::UInt32,  TypeKind::UInt64,
      TypeKind::Date,   TypeKind::Varchar, TypeKind::Float32, TypeKind::Float64};
  static const std::vector<int> weights = {8, 8, 18, 18, 6, 3, 3, 3, 10, 11, 4, 6};
  const size_t choice = random.PickByWeight({75, 15, 10});
  return choice == 0   ? Type(kinds[random.PickByWeight(weights)])
         : choice == 1 ? Type::Decimal(random.Pick<uint8_t>({4, 9, 18, 38}), 2)
                       : DrawType(random);
}

//! Draws one join after the other.
class JoinGenerator {
 public:
  JoinGenerator(std::vector<Table>& tables, Random& random) : tables_(tables), random_(random) {}

  void Add() {
    Join join;
    join.table = std::string(1, static_cast<char>('t' + tables_.size()));
    join.kind =
        random_.Pick({Join::Kind::Inner, Join::Kind::Inner, Join::Kind::Inner, Join::Kind::Left,
                      Join::Kind::Left, Join::Kind::Left, Join::Kind::Right, Join::Kind::Full,
                      Join::Kind::Semi, Join::Kind::Anti});
    if (!join.GivesColumns()) {
      join.form = random_.Pick({Join::Form::From, Join::Form::Exists});
    }
    if (join.kind == Join::Kind::Semi && random_.Percent(35)) {
      join.form = Join::Form::In;
    }
    Table table = DrawTable(random_, join.table, kMostColumns);
    const size_t keys = random_.Percent(80) ? 1 : 2;
    for (size_t i = 0; i < keys; i++) {
      AddKey(join, table);
    }
    AddConditions(join, table);
    tables_.push_back(std::move(table));
    joins_.push_back(std::move(join));
  }

  std::vector<Join> Take() { return std::move(joins_); }

 private:
  //! The column of an earlier table that a key compares with: a new one of the first table, or any.
  Column DrawPartner() {
    if (!random_.Percent(30)) {
      Column column = DrawColumn(random_, tables_[0]);
      column.type = DrawKeyType(random_);
      column.is_key = true;
      tables_[0].columns.push_back(column);
      return column;
    }
    const std::string name = random_.Pick(VisibleColumns(tables_, joins_).columns).name;
    Column partner;
    for (Table& table : tables_) {
      for (Column& column : table.columns) {
        if (column.name == name) {
          column.is_key = true;
          partner = column;
        }
      }
    }
    return partner;
  }

  void AddKey(Join& join, Table& table) {
    const Column partner = DrawPartner();
    Column column = DrawColumn(random_, table);
    column.type = partner.type;
    if (IsInteger(partner.type) && random_.Percent(20)) {
      column.type = random_.Pick({TypeKind::Int16, TypeKind::Int32, TypeKind::Int64});
    }
    column.vocabulary = partner.vocabulary;
    column.is_key = true;
    column.like = partner.name;
    const bool is_computed = random_.Percent(8);
    column.is_unique =
        !is_computed && !column.type.IsFloat() && !join.keys_are_unique && random_.Percent(45);
    join.keys_are_unique = join.keys_are_unique || column.is_unique;
    table.columns.push_back(column);

    JoinKey key;
    key.probe = SqlNode::Make({partner.name}, {});
    key.joined = SqlNode::Make({column.name}, {});
    key.nulls_are_equal = random_.Percent(15);
    if (random_.Percent(8)) {
      const Table visible = VisibleColumns(tables_, joins_);
      key.probe = ExpressionGenerator(visible, random_, false).OfType(partner.type, 1);
    }
    if (is_computed) {
      key.joined = ExpressionGenerator(table, random_, false).OfType(column.type, 1);
    }
    join.keys.push_back(std::move(key));
  }

  //! A comparison of a column of the tables before with a new one of `table` that has such values
  //! too, so that some rows with equal keys pass and others don't; or any predicate over them.
  SqlNode DrawResidual(Table& table) {
    Table both = VisibleColumns(tables_, joins_);
    const Column partner = random_.Pick(both.columns);
    if (random_.Percent(75)) {
      Column column = DrawColumn(random_, table);
      column.type = partner.type;
      column.like = partner.name;
      table.columns.push_back(column);
      return SqlNode::Binary(random_.Pick({"<", "<=", "<>", ">", ">="}),
                             SqlNode::Make({partner.name}, {}), SqlNode::Make({column.name}, {}));
    }
    both.columns.insert(both.columns.end(), table.columns.begin(), table.columns.end());
    return ExpressionGenerator(both, random_, false).Predicate(2);
  }

  void AddConditions(Join& join, Table& table) {
    if (random_.Percent(40)) {
      join.residuals.push_back(DrawResidual(table));
    }
    if (random_.Percent(30)) {
      join.filters.push_back(ExpressionGenerator(table, random_, false).Predicate(2));
    }
  }

  std::vector<Table>& tables_;
  Random& random_;
  std::vector<Join> joins_;
};

}  // namespace

std::vector<Join> DrawJoins(std::vector<Table>& tables, Random& random) {
  JoinGenerator generator(tables, random);
  for (size_t count = 1 + random.PickByWeight({60, 28, 12}); count > 0; count--) {
    generator.Add();
  }
  return generator.Take();
}

}  // namespace margay::fuzz
