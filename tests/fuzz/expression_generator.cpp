#include "expression_generator.hpp"

#include "table_generator.hpp"

namespace margay::fuzz {

using plan::Type;
using plan::TypeKind;

bool IsInteger(const Type& type) {
  return type.IsIntegral() && !type.IsBoolean() && type.kind != TypeKind::Decimal &&
         !IsTemporal(type);
}

bool IsUnsigned(const Type& type) {
  return IsInteger(type) && type.LowestValue() == 0;
}

bool IsNumber(const Type& type) {
  return IsInteger(type) || type.kind == TypeKind::Decimal || type.IsFloat();
}

bool IsTemporal(const Type& type) {
  return type.kind == TypeKind::Date || type.kind == TypeKind::Timestamp;
}

ExpressionGenerator::ExpressionGenerator(const Table& table, Random& random, bool wild)
    : table_(table), random_(random), wild_(wild), constructs_(MakeExpressionConstructs()) {}

SqlNode ExpressionGenerator::OfType(const Type& type, int depth) {
  if (depth <= 0 || random_.Percent(15)) {
    return Leaf(type);
  }
  std::vector<int> weights;
  int sum = 0;
  for (const auto& construct : constructs_) {
    weights.push_back(construct->Weight(type, *this));
    sum += weights.back();
  }
  if (sum == 0) {
    return Leaf(type);
  }
  return constructs_[random_.PickByWeight(weights)]->Make(type, *this, depth - 1);
}

SqlNode ExpressionGenerator::Number(int depth) {
  const std::vector<size_t> columns =
      ColumnsWhere([](const Column& column) { return IsNumber(column.type); });
  if (columns.empty()) {
    return OfType(TypeKind::Int64, depth);
  }
  if (depth <= 0) {
    const size_t column = random_.Pick(columns);
    const Type& type = table_.columns[column].type;
    if (!random_.Percent(80)) {
      return NewLiteral(type);
    }
    const bool widens = IsInteger(type) && !wild_ && random_.Percent(60);
    return widens ? SqlNode::Cast(ColumnLeaf(column), TypeKind::Int128) : ColumnLeaf(column);
  }
  const char* operation = random_.Pick({"+", "-", "*"});
  // Products grow fastest: they get leaves only.
  const int below = operation[0] == '*' && !wild_ ? 0 : depth - 1;
  SqlNode left = Number(random_.Percent(50) ? below : 0);
  return SqlNode::Binary(operation, std::move(left), Number(random_.Percent(50) ? below : 0));
}

SqlNode ExpressionGenerator::Any(int depth) {
  switch (random_.PickByWeight({45, 25, 20, 10})) {
    case 0:
      return OfType(random_.Pick(table_.columns).type, depth);
    case 1:
      return Number(depth);
    case 2:
      return Predicate(depth);
    default:
      return OfType(DrawType(random_), depth);
  }
}

SqlNode ExpressionGenerator::Leaf(const Type& type) {
  const std::vector<size_t> same =
      ColumnsWhere([&](const Column& column) { return column.type == type; });
  if (!same.empty() && random_.Percent(80)) {
    return ColumnLeaf(random_.Pick(same));
  }
  const std::vector<size_t> castable = ColumnsWhere([&](const Column& column) {
    return column.type != type && ((IsNumber(type) && IsNumber(column.type)) ||
                                   (IsTemporal(type) && IsTemporal(column.type)));
  });
  if (!castable.empty() && random_.Percent(75)) {
    return CastTo(type, ColumnLeaf(random_.Pick(castable)));
  }
  if (type.IsBoolean() && random_.Percent(90)) {
    // Conditions that are always true or false would leave little to compare.
    const size_t column = random_.Below(table_.columns.size());
    return SqlNode::Binary(random_.Pick({"=", "<>", "<", "<=", ">", ">="}), ColumnLeaf(column),
                           NewLiteral(table_.columns[column].type, column));
  }
  return NewLiteral(type, same.empty() ? std::nullopt : std::optional(random_.Pick(same)));
}

SqlNode ExpressionGenerator::CastTo(const Type& type, SqlNode operand) {
  const bool roomy = type.IsFloat() || type.kind == TypeKind::Int64 ||
                     type.kind == TypeKind::Int128 || IsTemporal(type) || type.IsBoolean() ||
                     (type.kind == TypeKind::Decimal && type.width - type.scale >= 12);
  return SqlNode::Cast(std::move(operand), type, random_.Percent(roomy || wild_ ? 10 : 85));
}

SqlNode ExpressionGenerator::NewLiteral(const Type& type, std::optional<size_t> like_column,
                                        LiteralRole role) {
  LiteralSlot slot;
  slot.type = type;
  slot.role = role;
  if (like_column) {
    slot.column = table_.columns[*like_column].Stored();
  }
  slot.cell.is_null = random_.Percent(3);
  return SqlNode::LiteralLeaf(slot);
}

SqlNode ExpressionGenerator::ColumnLeaf(size_t column) const {
  return SqlNode::ColumnLeaf(table_.columns[column].Text(), column);
}

}  // namespace margay::fuzz
