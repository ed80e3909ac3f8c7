#include "optimize/estimate/segment_filter.hpp"

#include <algorithm>

#include "optimize/estimate/column_comparison.hpp"

namespace margay::optimize {

using plan::Operation;

SegmentFilter::SegmentFilter(std::vector<plan::ExpressionPointer> conjuncts,
                             std::vector<InputColumn> columns, DictionaryCache& dictionaries)
    : conjuncts_(std::move(conjuncts)), columns_(std::move(columns)) {
  for (const plan::ExpressionPointer& conjunct : conjuncts_) {
    PrepareDictionaries(*conjunct, dictionaries);
  }
}

void SegmentFilter::PrepareDictionaries(const plan::Expression& predicate,
                                        DictionaryCache& dictionaries) {
  const Operation operation = predicate.GetOperation();
  if (operation == Operation::And || operation == Operation::Or) {
    for (const plan::ExpressionPointer& operand : predicate.Operands()) {
      PrepareDictionaries(*operand, dictionaries);
    }
  }
  if (operation != Operation::Dictionary || !predicate.GetType().IsBoolean())
    return;
  const auto shared_results = dictionaries.Results(predicate);
  const plan::DictionaryResults& results = *shared_results;
  const size_t values = results.states.size() - 1;
  // A predicate that holds for NULL can match in any segment.
  if (results.states[values] != plan::DictionaryResults::State::Null)
    return;
  std::vector<uint32_t> below(values + 1, 0);
  for (size_t code = 0; code < values; code++) {
    const bool may_match =
        results.states[code] == plan::DictionaryResults::State::Error ||
        (results.states[code] == plan::DictionaryResults::State::Valid && results.integers[code]);
    below[code + 1] = below[code] + may_match;
  }
  matches_below_.emplace(&predicate, std::move(below));
}

uint64_t SegmentFilter::Bytes() const {
  uint64_t bytes = 0;
  for (const auto& [predicate, below] : matches_below_)
    bytes += below.size() * sizeof(uint32_t);
  return bytes;
}

bool SegmentFilter::MayMatch(size_t segment) const {
  return std::all_of(conjuncts_.begin(), conjuncts_.end(),
                     [&](const auto& conjunct) { return MayMatch(*conjunct, segment); });
}

bool SegmentFilter::MayMatch(const plan::Expression& predicate, size_t segment) const {
  const auto& operands = predicate.Operands();
  const auto may_match = [&](const auto& operand) { return MayMatch(*operand, segment); };
  switch (predicate.GetOperation()) {
    case Operation::And:
      return std::all_of(operands.begin(), operands.end(), may_match);
    case Operation::Or:
      return std::any_of(operands.begin(), operands.end(), may_match);
    case Operation::Equal:
    case Operation::Less:
    case Operation::LessOrEqual:
    case Operation::Greater:
    case Operation::GreaterOrEqual:
      return MayCompare(predicate, segment);
    case Operation::IsNull:
    case Operation::IsNotNull: {
      if (operands[0]->GetOperation() != Operation::Column)
        return true;
      const auto& statistics = columns_[operands[0]->ColumnIndex()].form->Segments()[segment];
      return predicate.GetOperation() == Operation::IsNull ? statistics.nulls > 0
                                                           : statistics.HasValues();
    }
    case Operation::In:
      return MayMatchList(predicate, segment);
    case Operation::Dictionary:
      return MayMatchDictionary(predicate, segment);
    default:
      return true;
  }
}

bool SegmentFilter::MayCompare(const plan::Expression& comparison, size_t segment) const {
  const auto compared = ColumnComparison::Of(comparison);
  if (!compared)
    return true;
  if (compared->constant->GetConstant().is_null)
    return false;
  const auto& statistics = columns_[compared->column->ColumnIndex()].form->Segments()[segment];
  if (!statistics.HasValues())
    return false;
  const Int128 value = compared->constant->GetConstant().integer;
  switch (comparison.GetOperation()) {
    case Operation::Equal:
      return statistics.min <= value && value <= statistics.max;
    case Operation::Less:
      return compared->is_swapped ? statistics.max > value : statistics.min < value;
    case Operation::LessOrEqual:
      return compared->is_swapped ? statistics.max >= value : statistics.min <= value;
    case Operation::Greater:
      return compared->is_swapped ? statistics.min < value : statistics.max > value;
    case Operation::GreaterOrEqual:
      return compared->is_swapped ? statistics.min <= value : statistics.max >= value;
    default:
      return true;
  }
}

bool SegmentFilter::MayMatchList(const plan::Expression& list, size_t segment) const {
  const plan::Expression& column = list.Operand(0);
  if (column.GetOperation() != Operation::Column || !column.GetType().IsIntegral())
    return true;
  const auto& statistics = columns_[column.ColumnIndex()].form->Segments()[segment];
  if (!statistics.HasValues())
    return false;
  const auto& operands = list.Operands();
  return std::any_of(operands.begin() + 1, operands.end(), [&](const auto& item) {
    if (item->GetOperation() != Operation::Constant)
      return true;
    const plan::Constant& constant = item->GetConstant();
    return !constant.is_null && statistics.min <= constant.integer &&
           constant.integer <= statistics.max;
  });
}

bool SegmentFilter::MayMatchDictionary(const plan::Expression& predicate, size_t segment) const {
  const auto found = matches_below_.find(&predicate);
  if (found == matches_below_.end())
    return true;
  const auto& statistics = columns_[predicate.Operand(0).ColumnIndex()].form->Segments()[segment];
  if (!statistics.HasValues())
    return false;
  const std::vector<uint32_t>& below = found->second;
  return below[static_cast<size_t>(statistics.max) + 1] >
         below[static_cast<size_t>(statistics.min)];
}

}  // namespace margay::optimize
