#include "integration/capture/text_origins.hpp"

#include "duckdb/common/string_util.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "integration/version/expressions.hpp"

namespace margay::integration {

namespace {

//! Evaluated by DuckDB itself, over any types.
bool IsPlain(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::Case:
    case ExpressionKind::Cast:
    case ExpressionKind::Column:
    case ExpressionKind::Comparison:
    case ExpressionKind::Conjunction:
    case ExpressionKind::Constant:
    case ExpressionKind::Function:
    case ExpressionKind::Operator:
    case ExpressionKind::Between:
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
  return KindOf(expression) == ExpressionKind::Function &&
         duckdb::StringUtil::StartsWith(FunctionName(expression), "__internal_compress_string_");
}

bool IsDecompressedText(const duckdb::Expression& expression) {
  return KindOf(expression) == ExpressionKind::Function &&
         FunctionName(expression) == "__internal_decompress_string";
}

bool IsCompressedTableText(const CapturedColumn& column) {
  return column.origin && column.origin->expression &&
         IsCompressedText(*column.origin->expression) &&
         KindOf(*ArgumentsOf(*column.origin->expression)[0]) == ExpressionKind::Reference;
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
  if (ReturnType(expression).id() != duckdb::LogicalTypeId::VARCHAR &&
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
  const duckdb::Expression& compressed = *ArgumentsOf(expression)[0];
  if (!IsColumnReference(compressed)) {
    return std::nullopt;
  }
  const CapturedBinding* found = scope_.Find(compressed);
  if (found == nullptr || !found->column ||
      !IsCompressedTableText(scope_.columns[*found->column])) {
    return std::nullopt;
  }
  return scope_.columns[*found->column].origin->base;
}

bool TextOrigins::CollectBase(const duckdb::Expression& expression,
                              std::optional<size_t>& base) const {
  if (!IsPlain(KindOf(expression)) || DependsOnTimeZone(ReturnType(expression))) {
    return false;
  }
  if (KindOf(expression) == ExpressionKind::Function && TakesLambda(expression)) {
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
      copy, duckdb::ExpressionClass::BOUND_COLUMN_REF,
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
