#include "optimize/estimate/selectivity.hpp"

#include <algorithm>
#include <map>

#include "optimize/estimate/column_comparison.hpp"

namespace margay::optimize {

using plan::Operation;

namespace {

//! Where nothing is known.
constexpr double kUnknownShare = 1.0 / 3;

//! Of an equality, or of a search in text, where nothing is known.
constexpr double kUnknownMatch = 0.1;

//! Of groups, compared by what was computed of them: such a filter is there to leave few.
constexpr double kUnknownOfGroups = 0.1;

//! Shares of a column's values that comparisons leave out, at both ends.
struct LeftOut {
  double low = 0;
  double high = 0;
};

//! The share of the values from `low` to `high`, both included, that are below `value`.
double ShareBelow(Int128 low, Int128 high, Int128 value) {
  if (value <= low)
    return 0;
  if (value > high)
    return 1;
  return static_cast<double>(value - low) / (static_cast<double>(high - low) + 1);
}

}  // namespace

double Selectivity::Of(const std::vector<plan::ExpressionPointer>& conjuncts) const {
  double share = 1;
  std::map<size_t, LeftOut> left_out;  // by column
  for (const plan::ExpressionPointer& conjunct : conjuncts) {
    const Operation operation = conjunct->GetOperation();
    const auto compared = ComparesOrder(operation) ? ColumnComparison::Of(*conjunct) : std::nullopt;
    if (!compared || columns_[compared->column->ColumnIndex()].form->Segments().empty()) {
      share *= Of(*conjunct);
      continue;
    }
    LeftOut& of_column = left_out[compared->column->ColumnIndex()];
    double& end = compared->KeepsBelow(operation) ? of_column.high : of_column.low;
    end = std::max(end, 1 - Of(*conjunct));
  }
  for (const auto& [column, ends] : left_out)
    share *= std::max(0.0, 1 - ends.low - ends.high);
  return share;
}

double Selectivity::Of(const plan::Expression& predicate) const {
  const auto& operands = predicate.Operands();
  switch (predicate.GetOperation()) {
    case Operation::And:
      return Of(operands);
    case Operation::Or: {
      double none = 1;
      for (const plan::ExpressionPointer& operand : operands)
        none *= 1 - Of(*operand);
      return 1 - none;
    }
    case Operation::Not:
      return 1 - Of(*operands[0]);
    case Operation::Equal:
      return OfOneValue(*operands[0]);
    case Operation::In:
      return std::min(1.0, static_cast<double>(operands.size() - 1) * OfOneValue(*operands[0]));
    case Operation::NotEqual:
      return 1 - OfOneValue(*operands[0]);
    case Operation::Less:
    case Operation::LessOrEqual:
    case Operation::Greater:
    case Operation::GreaterOrEqual:
      return OfComparison(predicate);
    case Operation::IsNotNull:
      return 1;
    case Operation::IsNull:
    case Operation::Like:
    case Operation::Prefix:
    case Operation::Suffix:
    case Operation::Contains:
      return kUnknownMatch;
    case Operation::Dictionary:
      return OfDictionary(predicate);
    default:
      return kUnknownShare;
  }
}

double Selectivity::OfOneValue(const plan::Expression& expression) const {
  const auto values =
      expression.GetOperation() == Operation::Column ? DifferentValues(expression) : std::nullopt;
  return values ? 1 / *values : kUnknownMatch;
}

std::optional<double> Selectivity::DifferentValues(const plan::Expression& column) const {
  const storage::ColumnStatistics& statistics = columns_[column.ColumnIndex()].form->Statistics();
  if (statistics.distinct_count != 0)
    return static_cast<double>(statistics.distinct_count);
  if (!statistics.HasValues() || !column.GetType().IsIntegral())
    return std::nullopt;
  const double values = static_cast<double>(statistics.max - statistics.min) + 1;
  return std::min(values, static_cast<double>(statistics.rows));
}

double Selectivity::OfComparison(const plan::Expression& comparison) const {
  const auto compared = ColumnComparison::Of(comparison);
  if (!compared || compared->constant->GetConstant().is_null)
    return kUnknownShare;
  const storage::ColumnForm& form = *columns_[compared->column->ColumnIndex()].form;
  const storage::ColumnStatistics& statistics = form.Statistics();
  if (!statistics.HasValues())
    return 0;
  // The bounds of computed values are too wide to tell anything.
  if (form.Segments().empty())
    return kUnknownOfGroups;
  const Operation operation = comparison.GetOperation();
  const bool includes_equal =
      operation == Operation::LessOrEqual || operation == Operation::GreaterOrEqual;
  const bool keeps_below = compared->KeepsBelow(operation);
  // What is kept, or what is not, lies below this value.
  const Int128 value = compared->constant->GetConstant().integer;
  const bool is_itself_below = keeps_below == includes_equal;
  const double below = is_itself_below ? std::max(ShareBelow(statistics.min, statistics.max, value),
                                                  value >= statistics.max ? 1.0 : 0.0)
                                       : ShareBelow(statistics.min, statistics.max, value);
  return keeps_below ? below : 1 - below;
}

double Selectivity::OfDictionary(const plan::Expression& predicate) const {
  if (!predicate.GetType().IsBoolean())
    return kUnknownShare;
  const auto shared_results = dictionaries_.Results(predicate);
  const plan::DictionaryResults& results = *shared_results;
  const size_t values = results.states.size() - 1;
  if (values == 0) {
    // Of a provisional column the strings are not known.
    const plan::Expression& column = predicate.Operand(0);
    return columns_[column.ColumnIndex()].form->Statistics().HasValues() ? kUnknownMatch : 1;
  }
  size_t kept = 0;
  for (size_t code = 0; code < values; code++) {
    kept += results.states[code] == plan::DictionaryResults::State::Valid &&
            results.integers[code] != 0;
  }
  return static_cast<double>(kept) / static_cast<double>(values);
}

}  // namespace margay::optimize
