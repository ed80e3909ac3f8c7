#include "optimize/physical/input_column.hpp"

#include <algorithm>

namespace margay::optimize {

namespace {

//! Of one character.
constexpr Int128 kMostCharacterBytes = 4;

//! Most bytes of a slice, as far as the slice tells.
Int128 MostBytes(const plan::Expression& slice) {
  if (!plan::IsSlice(slice.GetOperation()))
    return INT64_MAX;
  const Int128 most = MostBytes(slice.Operand(0));
  if (slice.GetOperation() != plan::Operation::Slice)
    return most;
  const Int128 begin = slice.Operand(1).GetConstant().integer;
  const Int128 end = slice.Operand(2).GetConstant().integer;
  // Places from one end are apart as they say, and none is behind the end.
  if ((begin < 0) == (end < 0))
    return std::min(most, std::max<Int128>(end - begin, 0) * kMostCharacterBytes);
  return begin < 0 ? std::min(most, -begin * kMostCharacterBytes) : most;
}

}  // namespace

std::optional<InputColumn> FindTextColumn(const plan::Expression& expression,
                                          const std::vector<InputColumn>& columns) {
  const plan::Expression* whole = &expression;
  while (plan::IsSlice(whole->GetOperation()))
    whole = &whole->Operand(0);
  if (whole->GetOperation() != plan::Operation::Column || !columns[whole->ColumnIndex()].IsText())
    return std::nullopt;
  return Sliced(columns[whole->ColumnIndex()], expression);
}

InputColumn Sliced(InputColumn column, const plan::Expression& expression) {
  if (!plan::IsSlice(expression.GetOperation()))
    return column;
  InputColumn sliced = Sliced(std::move(column), expression.Operand(0));
  std::vector<plan::ExpressionPointer> operands = expression.Operands();
  if (sliced.Slice())
    operands[0] = sliced.Slice();
  sliced.slice = plan::WithOperands(expression, std::move(operands));
  return sliced;
}

bool CanNumberRows(const InputColumn& column) {
  return column.TextImage()->Rows() < INT32_MAX;
}

Int128 LongestText(const InputColumn& column) {
  const storage::ColumnForm& form = column.RefersToText() ? *column.TextImage() : *column.form;
  uint32_t longest = 0;
  for (const storage::SegmentStatistics& segment : form.Segments())
    longest = std::max(longest, segment.longest_text);
  return column.Slice() ? std::min<Int128>(longest, MostBytes(*column.Slice())) : longest;
}

}  // namespace margay::optimize
