#include "optimize/value/value_builder.hpp"

#include <algorithm>
#include <stdexcept>

#include "optimize/unsupported.hpp"
#include "optimize/value/arithmetic_builder.hpp"
#include "optimize/value/cast_builder.hpp"
#include "optimize/value/date_builder.hpp"
#include "optimize/value/dictionary_builder.hpp"
#include "optimize/value/in_builder.hpp"
#include "optimize/value/math_builder.hpp"
#include "optimize/value/text_builder.hpp"

namespace margay::optimize {

using plan::Operation;
using plan::TypeKind;

namespace {

constexpr Range kFlagRange{0, 1, true};

Value FlagValue(const Node* node) {
  Value value;
  value.node = node;
  value.range = value.domain = kFlagRange;
  return value;
}

//! Whether NULL is a value like any other to the comparison.
bool ComparesNulls(Operation operation) {
  return operation == Operation::DistinctFrom || operation == Operation::NotDistinctFrom;
}

}  // namespace

Range RangeOf(const storage::ColumnForm& form) {
  const storage::ColumnStatistics& statistics = form.Statistics();
  const bool only_nulls = statistics.null_count == form.Rows();
  if (only_nulls && form.GetEncoding() != storage::Encoding::Wide)
    return Range::Of(0);
  return {statistics.min, statistics.max, true};
}

Machine MachineOf(const storage::ColumnForm& form) {
  switch (form.GetEncoding()) {
    case storage::Encoding::Float32:
      return Machine::Float32;
    case storage::Encoding::Float64:
      return Machine::Float64;
    case storage::Encoding::Wide:
      return Machine::Wide;
    default:
      return MachineFor(RangeOf(form));
  }
}

bool CanFault(const plan::ExpressionPointer& expression, const ValueContext& context) {
  NodeGraph graph;
  Parameters parameters;
  return ValueBuilder(context, graph, parameters).Build(expression).CanFault();
}

const Node* ValueBuilder::IsTrue(const Value& boolean) {
  return boolean.CanBeNull() ? graph_.And(boolean.node, graph_.Not(boolean.null)) : boolean.node;
}

const Node* ValueBuilder::Either(const Node* a, const Node* b) {
  if (a == nullptr)
    return b;
  return b == nullptr ? a : graph_.Or(a, b);
}

void ValueBuilder::RaiseFault(const Node* condition, const Node* null) {
  const Node* fault = condition;
  if (null != nullptr)
    fault = graph_.And(fault, graph_.Not(null));
  if (active_ != nullptr)
    fault = graph_.And(fault, active_);
  AddFaults({fault});
}

void ValueBuilder::Restrict(const Node* condition) {
  active_ = active_ == nullptr ? condition : graph_.And(active_, condition);
}

Value ValueBuilder::BuildWhere(const Node* condition, const plan::ExpressionPointer& expression) {
  const Node* outer = active_;
  Restrict(condition);
  Value value = Build(expression);
  active_ = outer;
  return value;
}

const Node* ValueBuilder::Less(const Node* a, const Node* b) {
  if (a->machine == Machine::Wide)
    return graph_.Call(Machine::Int32, "wide_less", {a, b});
  return graph_.Compare("<", a, b);
}

Value ValueBuilder::Bounded(Value value, const Range& bounds, bool to_null) {
  if (bounds.Contains(value.range))
    return value;
  const Machine machine = value.GetMachine();
  const Node* outside = nullptr;
  // A bound beyond what the machine type holds can't be exceeded.
  const Range held = machine == Machine::Int32   ? Range{INT32_MIN, INT32_MAX, true}
                     : machine == Machine::Int64 ? Range{INT64_MIN, INT64_MAX, true}
                                                 : Range::All();
  if (value.range.low < bounds.low && bounds.low > held.low)
    outside = Less(value.node, graph_.Literal(bounds.low, machine));
  if (value.range.high > bounds.high && bounds.high < held.high)
    outside = Either(outside, Less(graph_.Literal(bounds.high, machine), value.node));
  if (outside != nullptr) {
    if (to_null)
      value.null = Either(value.null, outside);
    else
      RaiseFault(outside, value.null);
  }
  value.range = value.range.CutTo(bounds);
  value.domain = value.domain.CutTo(bounds);
  value.node = Convert(value, MachineFor(value.range));
  return value;
}

void ValueBuilder::AddFaults(const std::vector<const Node*>& faults) {
  for (const Node* fault : faults) {
    if (std::find(faults_.begin(), faults_.end(), fault) == faults_.end())
      faults_.push_back(fault);
  }
}

Value ValueBuilder::Collect(const std::function<Value()>& build) {
  std::vector<const Node*> outer = std::exchange(faults_, {});
  const Node* active = active_;
  Value value;
  try {
    value = build();
  } catch (...) {
    faults_ = std::move(outer);
    active_ = active;
    throw;
  }
  AddFaults(value.faults);
  value.faults = std::exchange(faults_, std::move(outer));
  AddFaults(value.faults);
  return value;
}

Value ValueBuilder::Build(const plan::ExpressionPointer& expression) {
  // A constant is no part that expressions share: they would not with other constants.
  if (expression->GetOperation() == Operation::Constant)
    return BuildConstant(*expression);
  const size_t hash = plan::HashOf(*expression);
  const auto [first, end] = known_.equal_range(hash);
  for (auto known = first; known != end; ++known) {
    if (known->second.active != active_ ||
        !plan::SameExpression(*known->second.expression, *expression))
      continue;
    const Value& value = known->second.value;
    return Collect([&] { return value; });
  }
  Value value = Collect([&] {
    Value made = BuildNew(*expression);
    made.faults.clear();
    return made;
  });
  known_.emplace(hash, Known{active_, expression, value});
  return value;
}

Value ValueBuilder::BuildNew(const plan::Expression& expression) {
  switch (expression.GetOperation()) {
    case Operation::Column:
      return BuildColumn(expression);
    case Operation::Constant:
      return BuildConstant(expression);
    case Operation::Add:
    case Operation::Subtract:
    case Operation::Multiply:
    case Operation::Divide:
    case Operation::Negate:
      return ArithmeticBuilder(*this).Build(expression);
    case Operation::IntegerDivide:
    case Operation::Modulo:
      return ArithmeticBuilder(*this).BuildDivision(expression);
    case Operation::Absolute:
      return MathBuilder(*this).BuildAbsolute(expression);
    case Operation::Sign:
      return MathBuilder(*this).BuildSign(expression);
    case Operation::Round:
    case Operation::Floor:
    case Operation::Ceiling:
    case Operation::Truncate:
      return MathBuilder(*this).BuildRounding(expression);
    case Operation::Greatest:
    case Operation::Least:
      return MathBuilder(*this).BuildExtreme(expression);
    case Operation::Equal:
    case Operation::NotEqual:
    case Operation::Less:
    case Operation::LessOrEqual:
    case Operation::Greater:
    case Operation::GreaterOrEqual:
    case Operation::DistinctFrom:
    case Operation::NotDistinctFrom:
      return BuildComparison(expression);
    case Operation::And:
    case Operation::Or:
      return BuildConjunction(expression);
    case Operation::Not: {
      Value value = Build(expression.Operands()[0]);
      value.node = graph_.Not(value.node);
      value.domain = kFlagRange;
      return value;
    }
    case Operation::IsNull:
    case Operation::IsNotNull: {
      const Value operand = Build(expression.Operands()[0]);
      const Node* is_null = operand.CanBeNull() ? operand.null : graph_.Flag(false);
      return FlagValue(expression.GetOperation() == Operation::IsNull ? is_null
                                                                      : graph_.Not(is_null));
    }
    case Operation::Case:
      return BuildCase(expression);
    case Operation::Coalesce:
      return BuildCoalesce(expression);
    case Operation::In:
      return InBuilder(*this).Build(expression);
    case Operation::Cast:
    case Operation::TryCast:
    case Operation::Compress:
      return CastBuilder(*this).Build(expression);
    case Operation::Like:
    case Operation::Prefix:
    case Operation::Suffix:
    case Operation::Contains:
    case Operation::Length:
    case Operation::ByteLength:
      return TextBuilder(*this).Build(expression);
    case Operation::TextHash:
      return TextBuilder(*this).BuildHash(expression);
    case Operation::Slice:
    case Operation::TrimBegin:
    case Operation::TrimEnd:
      // As of a text column: only whether it is NULL.
      return Build(expression.Operands()[0]);
    case Operation::DatePart:
      return DateBuilder(*this).BuildPart(expression);
    case Operation::DateTrunc:
      return DateBuilder(*this).BuildTruncation(expression);
    case Operation::AddMonths:
      return DateBuilder(*this).BuildAddMonths(expression);
    case Operation::Dictionary:
      return DictionaryBuilder(*this).BuildValue(expression);
    case Operation::RowNumber:
      return BuildRowNumber(expression);
    case Operation::Fault:
      RaiseFault(graph_.Flag(true), nullptr);
      return Build(plan::Expression::Null(expression.GetType()));
  }
  throw std::logic_error("ValueBuilder: unknown operation");
}

Value ValueBuilder::Text(const plan::ExpressionPointer& expression) {
  const size_t hash = plan::HashOf(*expression);
  const auto [first, end] = known_texts_.equal_range(hash);
  for (auto known = first; known != end; ++known) {
    // A fault of a computed string counts where it is computed.
    if (known->second.active == active_ &&
        plan::SameExpression(*known->second.expression, *expression))
      return Collect([&] { return known->second.value; });
  }
  Value text = Collect([&] { return TextBuilder(*this).BuildText(*expression); });
  if (expression->GetOperation() != Operation::Constant)
    known_texts_.emplace(hash, Known{active_, expression, text});
  return text;
}

const Node* ValueBuilder::TextOf(const InputColumn& column) {
  if (!column.Slice())
    return graph_.TextColumn(column.number);
  for (const auto& [known, text] : known_slices_) {
    if (known.number == column.number && plan::SameExpression(*known.Slice(), *column.Slice()))
      return text;
  }
  const Node* text =
      TextBuilder(*this).BuildSlice(*column.Slice(), graph_.TextColumn(column.number));
  known_slices_.emplace_back(column, text);
  return text;
}

const Node* ValueBuilder::TextConstant(const plan::Constant& constant) {
  return TextBuilder(*this).BuildConstant(constant);
}

const Node* ValueBuilder::IsMissing(size_t table) {
  return context_.missing_tables.count(table) == 0 ? nullptr : graph_.Missing(table);
}

Value ValueBuilder::BuildColumn(const plan::Expression& expression) {
  const auto given = given_columns_.find(expression.ColumnIndex());
  return given != given_columns_.end() ? given->second
                                       : ColumnValue(context_.columns[expression.ColumnIndex()]);
}

Value ValueBuilder::ColumnValue(const InputColumn& column) {
  const auto given = given_columns_.find(column.number);
  if (given != given_columns_.end())
    return given->second;
  const storage::ColumnForm& form = *column.form;
  Value value;
  if (column.IsText()) {
    // Only whether it is NULL: the rest is the TextBuilder's.
    value.node = graph_.Literal(0, Machine::Int32);
  } else {
    value.node = graph_.Column(column.number, MachineOf(form));
    if (!IsFloat(value.GetMachine()))
      value.range = value.domain = RangeOf(form);
  }
  if (form.HasValidity())
    value.null = graph_.ColumnNull(column.number);
  if (column.table != context_.table)
    value.null = Either(IsMissing(column.table), value.null);
  return value;
}

Value ValueBuilder::BuildRowNumber(const plan::Expression& expression) {
  const InputColumn* column = nullptr;
  bool is_of_one_table = true;
  VisitColumns(expression.Operand(0), [&](size_t number) {
    const InputColumn& read = context_.columns[number];
    is_of_one_table = is_of_one_table && given_columns_.count(number) == 0 &&
                      (column == nullptr || column->table == read.table);
    column = &read;
  });
  if (column == nullptr || !is_of_one_table)
    throw Unsupported("the number of a row that is not of one table");
  Value value;
  value.range =
      value.domain = {0, std::max<Int128>(static_cast<Int128>(column->form->Rows()), 1) - 1, true};
  value.node = graph_.RowNumber(column->table, MachineFor(value.range));
  if (column->table != context_.table)
    value.null = IsMissing(column->table);
  return value;
}

Value ValueBuilder::BuildConstant(const plan::Expression& expression) {
  const plan::Constant& constant = expression.GetConstant();
  const plan::Type& type = expression.GetType();
  if (type.IsVarchar() || type.kind == TypeKind::UInt128) {
    throw Unsupported("constants of type " + type.ToString() + " outside of dictionary functions");
  }
  Value value;
  if (constant.is_null) {
    value.node =
        type.IsFloat() ? graph_.Real(0, FloatMachine(type)) : graph_.Literal(0, Machine::Int32);
    value.null = graph_.Flag(true);
    return value;
  }
  if (type.IsFloat()) {
    value.node = Real(constant.real, FloatMachine(type));
    return value;
  }
  value.domain = Range::Of(constant.integer);
  if (type.IsBoolean()) {
    // Whatever the constant is.
    value.range = kFlagRange;
    value.node = graph_.FlagParameter(parameters_.AddInteger(constant.integer, Machine::Int32));
    return value;
  }
  value.range = RangeOfConstant(constant.integer);
  value.node = Integer(constant.integer, MachineFor(value.range));
  return value;
}

Value ValueBuilder::AsOrdered(const Value& value) {
  const Machine machine = value.GetMachine();
  if (!IsFloat(machine))
    return value;
  const Node* real = machine == Machine::Float32
                         ? graph_.Call(Machine::Float64, "(double)", {value.node})
                         : value.node;
  const Node* zero = graph_.Real(0);
  Value ordered = value;
  ordered.range = ordered.domain = {INT64_MIN, INT64_MAX, true};
  ordered.node =
      graph_.Call(Machine::Int64, "double_to_ordered",
                  {graph_.Select(graph_.Infix(Machine::Int32, "==", real, zero), zero, real)});
  return ordered;
}

const Node* ValueBuilder::Compare(Operation operation, const Value& a, const Value& b,
                                  bool are_flags) {
  const bool is_swapped = operation == Operation::Greater || operation == Operation::LessOrEqual;
  const bool is_negated = operation == Operation::NotEqual || operation == Operation::LessOrEqual ||
                          operation == Operation::GreaterOrEqual ||
                          operation == Operation::DistinctFrom;
  const bool is_equality =
      operation == Operation::Equal || operation == Operation::NotEqual || ComparesNulls(operation);
  const Machine machine =
      IsFloat(a.GetMachine()) ? a.GetMachine() : std::max(a.GetMachine(), b.GetMachine());
  const Node *x = a.node, *y = b.node;
  if (!IsFloat(machine)) {
    x = Convert(a, machine);
    y = Convert(b, machine);
  }
  if (machine == Machine::Wide || IsFloat(machine)) {
    if (is_swapped)
      std::swap(x, y);
    const Node* holds =
        graph_.Call(Machine::Int32,
                    std::string(MachineName(machine)) + (is_equality ? "_equal" : "_less"), {x, y});
    return is_negated ? graph_.Not(holds) : holds;
  }
  switch (operation) {
    case Operation::Equal:
    case Operation::NotDistinctFrom:
      return graph_.Compare("==", x, y);
    case Operation::NotEqual:
    case Operation::DistinctFrom:
      return graph_.Compare("!=", x, y);
    default:
      break;
  }
  const std::string symbol(plan::OperationName(operation));
  // Flags are in no order in the vector dialect.
  return are_flags ? graph_.Infix(Machine::Int32, symbol, x, y) : graph_.Compare(symbol, x, y);
}

Value ValueBuilder::BuildComparison(const plan::Expression& expression) {
  const Operation operation = expression.GetOperation();
  if (expression.Operand(0).GetType().IsVarchar())
    return TextBuilder(*this).BuildComparison(expression);
  const Value a = Build(expression.Operands()[0]);
  const Value b = Build(expression.Operands()[1]);
  const bool are_flags = expression.Operand(0).GetType().IsBoolean();
  return Compared(operation, Compare(operation, a, b, are_flags), a.null, b.null);
}

Value ValueBuilder::Compared(Operation operation, const Node* is_true, const Node* a_null,
                             const Node* b_null) {
  if (!ComparesNulls(operation) || (a_null == nullptr && b_null == nullptr)) {
    Value value = FlagValue(is_true);
    value.null = Either(a_null, b_null);
    return value;
  }
  const Node* a = a_null == nullptr ? graph_.Flag(false) : a_null;
  const Node* b = b_null == nullptr ? graph_.Flag(false) : b_null;
  const bool is_equal = operation == Operation::NotDistinctFrom;
  return FlagValue(
      graph_.Select(graph_.Or(a, b), graph_.Compare(is_equal ? "==" : "!=", a, b), is_true));
}

Value ValueBuilder::BuildConjunction(const plan::Expression& expression) {
  const bool is_and = expression.GetOperation() == Operation::And;
  const Node *all_true = graph_.Flag(true), *any_true = graph_.Flag(false);
  const Node *any_false = graph_.Flag(false), *any_null = nullptr;
  for (const plan::ExpressionPointer& operand : expression.Operands()) {
    const Value value = Build(operand);
    const Node* is_true = IsTrue(value);
    const Node* is_false = graph_.Not(value.node);
    if (value.CanBeNull()) {
      any_null = Either(any_null, value.null);
      is_false = graph_.And(is_false, graph_.Not(value.null));
    }
    all_true = graph_.And(all_true, is_true);
    any_true = graph_.Or(any_true, is_true);
    any_false = graph_.Or(any_false, is_false);
  }
  Value value = FlagValue(is_and ? all_true : any_true);
  if (any_null != nullptr)
    value.null = graph_.And(graph_.Not(is_and ? any_false : value.node), any_null);
  return value;
}

Value ValueBuilder::Choose(const Node* condition, const Value& yes, const Value& no,
                           const plan::Type& type) {
  Value value;
  if (type.IsFloat()) {
    value.node = graph_.Select(condition, yes.node, no.node);
  } else {
    value.range = yes.range.Union(no.range);
    value.domain = yes.domain.Union(no.domain);
    const Machine machine = std::max(yes.GetMachine(), no.GetMachine());
    value.node = graph_.Select(condition, Convert(yes, machine), Convert(no, machine));
  }
  if (yes.CanBeNull() || no.CanBeNull()) {
    value.null = graph_.Select(condition, yes.CanBeNull() ? yes.null : graph_.Flag(false),
                               no.CanBeNull() ? no.null : graph_.Flag(false));
  }
  return value;
}

Value ValueBuilder::BuildCase(const plan::Expression& expression) {
  if (expression.GetType().IsVarchar())
    throw Unsupported("CASE of type VARCHAR");
  const auto& operands = expression.Operands();
  const Node* outer = active_;
  std::vector<std::pair<const Node*, Value>> branches;
  for (size_t i = 0; i + 1 < operands.size(); i += 2) {
    const Node* is_taken = IsTrue(Build(operands[i]));
    branches.emplace_back(is_taken, BuildWhere(is_taken, operands[i + 1]));
    // What follows counts only where this branch is not taken.
    Restrict(graph_.Not(is_taken));
  }
  Value value = Build(operands.back());
  active_ = outer;
  for (auto branch = branches.rbegin(); branch != branches.rend(); ++branch)
    value = Choose(branch->first, branch->second, value, expression.GetType());
  return value;
}

Value ValueBuilder::BuildCoalesce(const plan::Expression& expression) {
  if (expression.GetType().IsVarchar())
    throw Unsupported("COALESCE of several VARCHAR expressions");
  const Node* outer = active_;
  std::vector<Value> values;
  for (const plan::ExpressionPointer& operand : expression.Operands()) {
    values.push_back(Build(operand));
    if (!values.back().CanBeNull())
      break;
    Restrict(values.back().null);
  }
  active_ = outer;
  Value value = values.back();
  for (size_t i = values.size() - 1; i-- > 0;) {
    const Node* condition = graph_.Not(values[i].null);
    values[i].null = nullptr;  // where the condition holds
    value = Choose(condition, values[i], value, expression.GetType());
  }
  return value;
}

}  // namespace margay::optimize
