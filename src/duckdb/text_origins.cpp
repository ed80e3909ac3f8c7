#include "duckdb/text_origins.hpp"

#include "duckdb/common/string_util.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"

namespace margay::integration {

namespace {

using duckdb::ExpressionClass;

//! Evaluated by DuckDB itself, over any types.
bool IsPlainClass(ExpressionClass expression_class) {
  switch (expression_class) {
    case ExpressionClass::BOUND_CASE:
    case ExpressionClass::BOUND_CAST:
    case ExpressionClass::BOUND_COLUMN_REF:
    case ExpressionClass::BOUND_COMPARISON:
    case ExpressionClass::BOUND_CONJUNCTION:
    case ExpressionClass::BOUND_CONSTANT:
    case ExpressionClass::BOUND_FUNCTION:
    case ExpressionClass::BOUND_OPERATOR:
    case ExpressionClass::BOUND_BETWEEN:
      return true;
    default:
      return false;
  }
}

//! Whether the value depends on the time zone of the session, which may change between executions.
bool DependsOnTimeZone(const duckdb::LogicalType& type) {
  return type.id() == duckdb::LogicalTypeId::TIMESTAMP_TZ ||
         type.id() == duckdb::LogicalTypeId::TIME_TZ;
}

}  // namespace

bool IsCompressedText(const duckdb::Expression& expression) {
  return expression.GetExpressionClass() == ExpressionClass::BOUND_FUNCTION &&
         duckdb::StringUtil::StartsWith(
             expression.Cast<duckdb::BoundFunctionExpression>().function.name,
             "__internal_compress_string_");
}

bool IsDecompressedText(const duckdb::Expression& expression) {
  return expression.GetExpressionClass() == ExpressionClass::BOUND_FUNCTION &&
         expression.Cast<duckdb::BoundFunctionExpression>().function.name ==
             "__internal_decompress_string";
}

bool IsCompressedTableText(const CapturedColumn& column) {
  return column.origin && column.origin->expression &&
         IsCompressedText(*column.origin->expression) &&
         column.origin->expression->Cast<duckdb::BoundFunctionExpression>()
                 .children[0]
                 ->GetExpressionClass() == ExpressionClass::BOUND_REF;
}

plan::ExpressionPointer UncompressedText(const plan::Expression& expression,
                                         const CaptureScope& scope) {
  if (expression.GetOperation() != plan::Operation::Column ||
      !IsCompressedTableText(scope.columns[expression.ColumnIndex()])) {
    return nullptr;
  }
  const size_t base = scope.columns[expression.ColumnIndex()].origin->base;
  return plan::Expression::Column(base, scope.columns[base].type, scope.columns[base].name);
}

std::optional<TextOrigin> TextOrigins::Of(const duckdb::Expression& expression) const {
  if (IsColumnReference(expression)) {
    return scope_.columns[*scope_.Find(expression)->column].origin;
  }
  if (const std::optional<size_t> base = DecompressedBase(expression)) {
    return TextOrigin{*base, nullptr};
  }
  if (expression.return_type.id() != duckdb::LogicalTypeId::VARCHAR &&
      !IsCompressedText(expression)) {
    return std::nullopt;
  }
  const std::optional<size_t> base = DictionaryBase(expression);
  if (!base) {
    return std::nullopt;
  }
  return TextOrigin{*base,
                    duckdb::shared_ptr<const duckdb::Expression>(OverBase(expression).release())};
}

std::optional<size_t> TextOrigins::DictionaryBase(const duckdb::Expression& expression) const {
  std::optional<size_t> base;
  if (expression.IsVolatile() || !expression.IsConsistent() || !CollectBase(expression, base)) {
    return std::nullopt;
  }
  return base;
}

std::optional<size_t> TextOrigins::DecompressedBase(const duckdb::Expression& expression) const {
  if (!IsDecompressedText(expression)) {
    return std::nullopt;
  }
  const auto& function = expression.Cast<duckdb::BoundFunctionExpression>();
  if (!IsColumnReference(*function.children[0])) {
    return std::nullopt;
  }
  const CapturedBinding* found = scope_.Find(*function.children[0]);
  if (found == nullptr || !found->column ||
      !IsCompressedTableText(scope_.columns[*found->column])) {
    return std::nullopt;
  }
  return scope_.columns[*found->column].origin->base;
}

bool TextOrigins::CollectBase(const duckdb::Expression& expression,
                              std::optional<size_t>& base) const {
  if (!IsPlainClass(expression.GetExpressionClass()) || DependsOnTimeZone(expression.return_type)) {
    return false;
  }
  if (expression.GetExpressionClass() == ExpressionClass::BOUND_FUNCTION &&
      expression.Cast<duckdb::BoundFunctionExpression>().function.HasBindLambdaCallback()) {
    return false;  // the lambda hides in the bind data, and may be volatile
  }
  if (IsColumnReference(expression)) {
    const CapturedBinding* found = scope_.Find(expression);
    if (found == nullptr || !found->column || !scope_.columns[*found->column].origin) {
      return false;
    }
    const size_t column = scope_.columns[*found->column].origin->base;
    if (base && *base != column) {
      return false;
    }
    base = column;
    return true;
  }
  bool fits = true;
  duckdb::ExpressionIterator::EnumerateChildren(expression, [&](const duckdb::Expression& child) {
    fits = fits && CollectBase(child, base);
  });
  return fits;
}

duckdb::unique_ptr<duckdb::Expression> TextOrigins::OverBase(
    const duckdb::Expression& expression) const {
  duckdb::unique_ptr<duckdb::Expression> copy = expression.Copy();
  duckdb::ExpressionIterator::VisitExpressionClassMutable(
      copy, ExpressionClass::BOUND_COLUMN_REF,
      [&](duckdb::unique_ptr<duckdb::Expression>& reference) {
        const TextOrigin& origin = *scope_.columns[*scope_.Find(*reference)->column].origin;
        if (origin.expression) {
          reference = origin.expression->Copy();
          return;
        }
        reference =
            duckdb::make_uniq<duckdb::BoundReferenceExpression>(duckdb::LogicalType::VARCHAR, 0);
      });
  return copy;
}

}  // namespace margay::integration
