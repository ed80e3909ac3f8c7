#include "integration/capture/dictionary_expression.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

#include "duckdb/common/error_data.hpp"
#include "duckdb/common/types/data_chunk.hpp"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "integration/capture/text_origins.hpp"
#include "integration/type_conversion.hpp"
#include "integration/version/expressions.hpp"
#include "integration/version/vectors.hpp"

namespace margay::integration {

namespace {

using State = plan::DictionaryResults::State;

//! One evaluation: reads the results of a vector into `results_`.
class Evaluation {
 public:
  Evaluation(duckdb::ClientContext& context, const duckdb::Expression& expression,
             std::span<const std::string_view> values)
      : context_(context), expression_(expression), values_(values) {
    const size_t rows = values.size() + 1;
    results_.states.resize(rows);
    switch (ReturnType(expression).InternalType()) {
      case duckdb::PhysicalType::FLOAT:
      case duckdb::PhysicalType::DOUBLE:
        results_.reals.resize(rows);
        break;
      case duckdb::PhysicalType::VARCHAR:
        results_.texts.resize(rows);
        break;
      default:
        results_.integers.resize(rows);
        break;
    }
    input_.Initialize(context, {duckdb::LogicalType::VARCHAR});
    output_.Initialize(context, {ReturnType(expression)});
  }

  plan::DictionaryResults Run() {
    for (size_t first = 0; first <= values_.size(); first += STANDARD_VECTOR_SIZE) {
      const size_t count = std::min<size_t>(STANDARD_VECTOR_SIZE, values_.size() + 1 - first);
      if (TryRun(first, count)) {
        continue;
      }
      for (size_t row = first; row < first + count; row++) {
        if (!TryRun(row, 1)) {
          results_.states[row] = State::Error;
        }
      }
    }
    return std::move(results_);
  }

 private:
  //! False where the expression throws an error that depends on its input.
  bool TryRun(size_t first, size_t count) {
    try {
      RunRows(first, count);
      return true;
    } catch (const std::exception& exception) {
      const duckdb::ExceptionType type = duckdb::ErrorData(exception).Type();
      if (type == duckdb::ExceptionType::INTERNAL || type == duckdb::ExceptionType::FATAL ||
          type == duckdb::ExceptionType::INTERRUPT ||
          type == duckdb::ExceptionType::OUT_OF_MEMORY) {
        throw;
      }
      return false;
    }
  }

  void RunRows(size_t first, size_t count) {
    input_.Reset();
    output_.Reset();
    // The strings are not copied: string_t points to the caller's memory, which outlives the run.
    auto* strings = FlatValues<duckdb::string_t>(input_.data[0]);
    for (size_t i = 0; i < count; i++) {
      if (first + i == values_.size()) {
        FlatValidity(input_.data[0]).SetInvalid(i);
        continue;
      }
      const std::string_view value = values_[first + i];
      strings[i] = duckdb::string_t(value.data(), static_cast<uint32_t>(value.size()));
    }
    input_.SetCardinality(count);

    // A fresh executor, as an exception leaves the states of an old one half-way.
    duckdb::ExpressionExecutor executor(context_, expression_);
    executor.Execute(input_, output_);
    Read(output_.data[0], first, count);
  }

  void Read(duckdb::Vector& vector, size_t first, size_t count) {
    switch (vector.GetType().InternalType()) {
      case duckdb::PhysicalType::BOOL:
        return ReadRows<bool>(vector, first, count, results_.integers);
      case duckdb::PhysicalType::INT8:
        return ReadRows<int8_t>(vector, first, count, results_.integers);
      case duckdb::PhysicalType::INT16:
        return ReadRows<int16_t>(vector, first, count, results_.integers);
      case duckdb::PhysicalType::INT32:
        return ReadRows<int32_t>(vector, first, count, results_.integers);
      case duckdb::PhysicalType::INT64:
        return ReadRows<int64_t>(vector, first, count, results_.integers);
      case duckdb::PhysicalType::INT128:
        return ReadRows<duckdb::hugeint_t>(vector, first, count, results_.integers);
      case duckdb::PhysicalType::UINT8:
        return ReadRows<uint8_t>(vector, first, count, results_.integers);
      case duckdb::PhysicalType::UINT16:
        return ReadRows<uint16_t>(vector, first, count, results_.integers);
      case duckdb::PhysicalType::UINT32:
        return ReadRows<uint32_t>(vector, first, count, results_.integers);
      case duckdb::PhysicalType::UINT64:
        return ReadRows<uint64_t>(vector, first, count, results_.integers);
      case duckdb::PhysicalType::UINT128:
        return ReadRows<duckdb::uhugeint_t>(vector, first, count, results_.integers);
      case duckdb::PhysicalType::FLOAT:
        return ReadRows<float>(vector, first, count, results_.reals);
      case duckdb::PhysicalType::DOUBLE:
        return ReadRows<double>(vector, first, count, results_.reals);
      case duckdb::PhysicalType::VARCHAR:
        return ReadRows<duckdb::string_t>(vector, first, count, results_.texts);
      default:
        throw std::logic_error("DictionaryExpression: no results of type " +
                               vector.GetType().ToString());
    }
  }

  template <typename Source, typename Target>
  void ReadRows(duckdb::Vector& vector, size_t first, size_t count, std::vector<Target>& target) {
    duckdb::UnifiedVectorFormat format;
    vector.ToUnifiedFormat(count, format);
    const auto* source = duckdb::UnifiedVectorFormat::GetData<Source>(format);
    for (size_t i = 0; i < count; i++) {
      const duckdb::idx_t index = format.sel->get_index(i);
      if (!format.validity.RowIsValid(index)) {
        results_.states[first + i] = State::Null;
        continue;
      }
      results_.states[first + i] = State::Valid;
      target[first + i] = Convert(source[index]);
    }
  }

  template <typename Value>
  static Value Convert(Value value) {
    return value;
  }
  static Int128 Convert(int8_t value) { return int16_t{value}; }
  static Int128 Convert(duckdb::hugeint_t value) { return ToInt128(value); }
  static Int128 Convert(duckdb::uhugeint_t value) { return ToInt128(value); }
  static std::string Convert(duckdb::string_t value) { return value.GetString(); }

  duckdb::ClientContext& context_;
  const duckdb::Expression& expression_;
  std::span<const std::string_view> values_;
  duckdb::DataChunk input_;
  duckdb::DataChunk output_;
  plan::DictionaryResults results_;
};

//! Gives the column a name, and all else none: DuckDB writes an alias in the place of the
//! expression.
void NameReferences(duckdb::Expression& expression, const std::string& name) {
  const bool is_column = KindOf(expression) == ExpressionKind::Reference;
  SetAlias(expression, is_column ? name : "");
  duckdb::ExpressionIterator::EnumerateChildren(
      expression, [&](duckdb::Expression& child) { NameReferences(child, name); });
}

//! Functions whose results follow from what they are written like, as far as their arguments do.
bool IsTextFunction(const std::string& name) {
  static const std::unordered_set<std::string> kNames = {
      "~~",        "!~~",       "contains", "prefix",      "suffix",         "starts_with",
      "ends_with", "substring", "substr",   "left",        "right",          "lower",
      "upper",     "length",    "strlen",   "trim",        "ltrim",          "rtrim",
      "||",        "concat",    "replace",  "like_escape", "not_like_escape"};
  return kNames.contains(name);
}

//! False for all that is not known to be such a function: see DependsOnTextAlone.
bool IsFunctionOfText(const duckdb::Expression& expression) {
  switch (KindOf(expression)) {
    case ExpressionKind::Constant:
      // Floats and decimals are written alike.
      return ReturnType(expression).id() == duckdb::LogicalTypeId::VARCHAR ||
             ReturnType(expression).id() == duckdb::LogicalTypeId::BOOLEAN ||
             ReturnType(expression).IsIntegral();
    case ExpressionKind::Reference:
    case ExpressionKind::Comparison:
    case ExpressionKind::Conjunction:
    case ExpressionKind::Operator:
    case ExpressionKind::Case:
      break;
    case ExpressionKind::Function:
      if (!IsTextFunction(FunctionName(expression)) && !IsCompressedText(expression)) {
        return false;
      }
      break;
    default:
      return false;  // a cast may depend on settings; BETWEEN does not say whether it is inclusive
  }
  bool fits = true;
  duckdb::ExpressionIterator::EnumerateChildren(
      expression, [&](const duckdb::Expression& child) { fits = fits && IsFunctionOfText(child); });
  return fits;
}

}  // namespace

DictionaryExpression::DictionaryExpression(duckdb::ClientContext& context,
                                           duckdb::unique_ptr<duckdb::Expression> expression)
    : context_(context.shared_from_this()),
      expression_(std::move(expression)),
      type_(ToPlanType(ReturnType(*expression_)).value()) {}

plan::DictionaryResults DictionaryExpression::Evaluate(
    std::span<const std::string_view> values) const {
  const duckdb::shared_ptr<duckdb::ClientContext> context = context_.lock();
  if (!context) {
    throw std::logic_error("DictionaryExpression: the connection of the query is closed");
  }
  return Evaluation(*context, *expression_, values).Run();
}

bool DictionaryExpression::IsIncreasing() const {
  return IsCompressedText(*expression_) &&
         KindOf(*ArgumentsOf(*expression_)[0]) == ExpressionKind::Reference;
}

bool DictionaryExpression::DependsOnTextAlone() const {
  return IsFunctionOfText(*expression_);
}

bool DictionaryExpression::Equals(const plan::DictionaryFunction& other) const {
  const auto* expression = dynamic_cast<const DictionaryExpression*>(&other);
  return expression != nullptr && expression_->Equals(*expression->expression_);
}

size_t DictionaryExpression::Hash() const {
  return expression_->Hash();
}

std::string DictionaryExpression::ToString(const std::string& argument) const {
  const duckdb::unique_ptr<duckdb::Expression> named = expression_->Copy();
  NameReferences(*named, argument);
  return named->ToString();
}

}  // namespace margay::integration
