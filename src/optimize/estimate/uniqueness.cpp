#include "optimize/estimate/uniqueness.hpp"

#include <cstdint>
#include <set>

namespace margay::optimize {

namespace {

bool IsInteger(const plan::Type& type) {
  return type.IsIntegral() && !type.IsBoolean() && type.kind != plan::TypeKind::Decimal &&
         type.kind != plan::TypeKind::Date && type.kind != plan::TypeKind::Timestamp;
}

}  // namespace

const plan::Expression* OneToOneColumn(const plan::Expression& key) {
  switch (key.GetOperation()) {
    case plan::Operation::Column:
      // Zeros of both signs are equal, but two values to statistics.
      return key.GetType().IsFloat() ? nullptr : &key;
    case plan::Operation::Cast:
    case plan::Operation::Compress:
      return IsInteger(key.GetType()) && IsInteger(key.Operand(0).GetType())
                 ? OneToOneColumn(key.Operand(0))
                 : nullptr;
    case plan::Operation::Add:
    case plan::Operation::Subtract:
      if (!IsInteger(key.GetType()))
        return nullptr;
      for (size_t i : {0, 1}) {
        if (key.Operand(1 - i).GetOperation() == plan::Operation::Constant)
          return OneToOneColumn(key.Operand(i));
      }
      return nullptr;
    default:
      return nullptr;
  }
}

bool HasUniqueValues(const storage::ColumnStatistics& statistics) {
  return statistics.rows <= 1 ||
         statistics.distinct_count == statistics.rows - statistics.null_count;
}

const InputColumn* UniqueColumn(const plan::Expression& key,
                                const std::vector<InputColumn>& columns, size_t table) {
  const plan::Expression* reference = OneToOneColumn(key);
  if (reference == nullptr)
    return nullptr;
  const InputColumn& column = columns[reference->ColumnIndex()];
  return column.table == table && HasUniqueValues(column.form->Statistics()) ? &column : nullptr;
}

bool AreGroupKeys(const std::vector<plan::ExpressionPointer>& keys,
                  const std::vector<InputColumn>& columns, size_t table) {
  std::set<size_t> found;
  size_t wanted = SIZE_MAX;
  for (const plan::ExpressionPointer& key : keys) {
    const plan::Expression* reference = OneToOneColumn(*key);
    if (reference == nullptr)
      continue;
    const InputColumn& column = columns[reference->ColumnIndex()];
    if (column.table == table && column.form->GroupKeys() > 0) {
      found.insert(column.number);
      wanted = column.form->GroupKeys();
    }
  }
  return found.size() == wanted;
}

}  // namespace margay::optimize
