#include "table_generator.hpp"

namespace margay::fuzz {

namespace {

using plan::Type;
using plan::TypeKind;

Type DrawDecimal(Random& random) {
  // The four widths of storage equally often, and the usual small scales more often than the rest.
  const auto width = static_cast<uint8_t>(random.Between(1, random.Pick({4, 9, 18, 38})));
  const int scale = random.Percent(70) ? 4 : width;
  return Type::Decimal(width,
                       static_cast<uint8_t>(random.Between(0, scale < width ? scale : width)));
}

}  // namespace

Type DrawType(Random& random) {
  static const std::vector<TypeKind> kinds = {
      TypeKind::Boolean,   TypeKind::Int8,    TypeKind::Int16,   TypeKind::Int32,
      TypeKind::Int64,     TypeKind::Int128,  TypeKind::UInt8,   TypeKind::UInt16,
      TypeKind::UInt32,    TypeKind::UInt64,  TypeKind::Decimal, TypeKind::Date,
      TypeKind::Timestamp, TypeKind::Float32, TypeKind::Float64, TypeKind::Varchar};
  static const std::vector<int> weights = {5, 4, 4, 9, 9, 4, 3, 3, 3, 3, 14, 8, 5, 3, 8, 15};
  const TypeKind kind = kinds[random.PickByWeight(weights)];
  return kind == TypeKind::Decimal ? DrawDecimal(random) : Type(kind);
}

Column DrawColumn(Random& random, const Table& table) {
  Column column;
  column.name = table.name + std::to_string(table.columns.size());
  column.type = DrawType(random);
  column.vocabulary = random.Pick({Vocabulary::Words, Vocabulary::Words, Vocabulary::Words,
                                   Vocabulary::Numbers, Vocabulary::Dates, Vocabulary::Booleans});
  column.not_null = random.Percent(12);
  return column;
}

Table DrawTable(Random& random, const std::string& name, size_t most_columns) {
  Table table;
  table.name = name;
  const size_t count = 1 + random.Below(most_columns);
  for (size_t i = 0; i < count; i++) {
    table.columns.push_back(DrawColumn(random, table));
  }
  return table;
}

}  // namespace margay::fuzz
