#include "compile/expression_writer.hpp"

#include <algorithm>
#include <stdexcept>

#include "compile/arithmetic_writer.hpp"
#include "compile/cast_writer.hpp"
#include "compile/date_writer.hpp"
#include "compile/dictionary_writer.hpp"
#include "compile/in_writer.hpp"
#include "compile/math_writer.hpp"
#include "compile/refusal.hpp"
#include "compile/text_writer.hpp"

namespace margay::compile {

using plan::Operation;
using plan::TypeKind;

namespace {

std::string Parenthesized(const std::string& a, std::string_view symbol, const std::string& b) {
  return "(" + a + " " + std::string(symbol) + " " + b + ")";
}

}  // namespace

bool CanFault(const plan::ExpressionPointer& expression, KernelContext scratch) {
  CodeBlock block;  // of code that is thrown away
  const DirectReader reader;
  scratch.can_fault = false;
  ExpressionWriter(scratch, reader, block).Write(expression);
  return scratch.can_fault;
}

std::string IntegerLiteral(Int128 value, Machine machine) {
  if (machine == Machine::Wide) {
    return "wide_make(" + std::to_string(static_cast<uint64_t>(value)) + "UL, " +
           IntegerLiteral(value >> 64, Machine::Int64) + ")";
  }
  // The lowest values have no literal of their own in C.
  if (machine == Machine::Int64) {
    if (value == std::numeric_limits<int64_t>::min())
      return "(-9223372036854775807L - 1)";
    return ToString(value) + "L";
  }
  if (value == std::numeric_limits<int32_t>::min())
    return "(-2147483647 - 1)";
  return ToString(value);
}

std::string ExpressionWriter::Declare(Machine machine, const std::string& code) {
  const std::string name = "v" + std::to_string(context_.variables++);
  block_.Line("const " + dialect_.Type(machine) + " " + name + " = " + code + ";");
  return name;
}

std::string ExpressionWriter::IsTrue(const Value& boolean) {
  if (!boolean.CanBeNull())
    return boolean.code;
  return DeclareFlag(boolean.code + " & !" + boolean.null);
}

std::string ExpressionWriter::EitherNull(const std::string& a, const std::string& b) {
  if (a.empty() || a == b)
    return b;
  if (b.empty())
    return a;
  return DeclareFlag(a + " | " + b);
}

void ExpressionWriter::RaiseFault(const std::string& condition, const std::string& null) {
  std::string code = dialect_.Fault() + " |= " + condition;
  if (!null.empty())
    code += " & !" + null;
  if (!active_.empty())
    code += " & " + active_;
  block_.Line(code + ";");
  context_.can_fault = true;
}

Value ExpressionWriter::WriteWhere(const std::string& condition,
                                   const plan::ExpressionPointer& expression) {
  const std::string outer = active_;
  active_ = outer.empty() ? condition : DeclareFlag(outer + " & " + condition);
  Value value = Write(expression);
  active_ = outer;
  return value;
}

Value ExpressionWriter::Bounded(Value value, const Range& bounds, bool to_null) {
  if (bounds.Contains(value.range))
    return value;
  std::string outside;
  const auto add = [&](const std::string& condition) {
    outside += outside.empty() ? condition : " | " + condition;
  };
  // A bound beyond what the machine type holds can't be exceeded.
  const Range held = value.machine == Machine::Int32   ? Range{INT32_MIN, INT32_MAX, true}
                     : value.machine == Machine::Int64 ? Range{INT64_MIN, INT64_MAX, true}
                                                       : Range::All();
  if (value.range.low < bounds.low && bounds.low > held.low) {
    add(dialect_.Less(value.machine, value.code, IntegerLiteral(bounds.low, value.machine)));
  }
  if (value.range.high > bounds.high && bounds.high < held.high) {
    add(dialect_.Less(value.machine, IntegerLiteral(bounds.high, value.machine), value.code));
  }
  if (!outside.empty()) {
    outside = DeclareFlag(outside);
    if (to_null) {
      value.null = EitherNull(value.null, outside);
    } else {
      RaiseFault(outside, value.null);
    }
  }
  value.range = value.range.CutTo(bounds);
  value.domain = value.domain.CutTo(bounds);
  const Machine machine = MachineFor(value.range);
  if (machine != value.machine) {
    value.code = Declare(machine, Convert(value, machine));
    value.machine = machine;
  }
  return value;
}

std::string ExpressionWriter::Name(const plan::Expression& expression) const {
  std::string name = active_ + "|" + expression.GetType().ToString() + "|" + expression.ToString();
  // Columns of different tables may have the same name.
  VisitColumns(expression, [&](size_t column) { name += "|" + std::to_string(column); });
  return name;
}

Value ExpressionWriter::Write(const plan::ExpressionPointer& expression) {
  const std::string key = Name(*expression);
  if (auto found = written_.find(key); found != written_.end())
    return found->second;
  Value value = WriteNew(*expression);
  written_.emplace(key, value);
  return value;
}

Value ExpressionWriter::WriteNew(const plan::Expression& expression) {
  switch (expression.GetOperation()) {
    case Operation::Column:
      return WriteColumn(expression);
    case Operation::Constant:
      return WriteConstant(expression);
    case Operation::Add:
    case Operation::Subtract:
    case Operation::Multiply:
    case Operation::Divide:
    case Operation::Negate:
      return ArithmeticWriter(*this).Write(expression);
    case Operation::IntegerDivide:
    case Operation::Modulo:
      return ArithmeticWriter(*this).WriteDivision(expression);
    case Operation::Absolute:
      return MathWriter(*this).WriteAbsolute(expression);
    case Operation::Sign:
      return MathWriter(*this).WriteSign(expression);
    case Operation::Round:
    case Operation::Floor:
    case Operation::Ceiling:
    case Operation::Truncate:
      return MathWriter(*this).WriteRounding(expression);
    case Operation::Greatest:
    case Operation::Least:
      return MathWriter(*this).WriteExtreme(expression);
    case Operation::Equal:
    case Operation::NotEqual:
    case Operation::Less:
    case Operation::LessOrEqual:
    case Operation::Greater:
    case Operation::GreaterOrEqual:
    case Operation::DistinctFrom:
    case Operation::NotDistinctFrom:
      return WriteComparison(expression);
    case Operation::And:
    case Operation::Or:
      return WriteConjunction(expression);
    case Operation::Not: {
      Value value = Write(expression.Operands()[0]);
      value.code = DeclareFlag("!" + value.code);
      value.domain = {0, 1, true};
      return value;
    }
    case Operation::IsNull:
    case Operation::IsNotNull: {
      const Value operand = Write(expression.Operands()[0]);
      const bool wanted = expression.GetOperation() == Operation::IsNull;
      Value value;
      value.range = value.domain = {0, 1, true};
      if (operand.CanBeNull()) {
        value.code = wanted ? operand.null : DeclareFlag("!" + operand.null);
      } else {
        value.code = wanted ? dialect_.False() : dialect_.True();
      }
      return value;
    }
    case Operation::Case:
      return WriteCase(expression);
    case Operation::Coalesce:
      return WriteCoalesce(expression);
    case Operation::In:
      return InWriter(*this).Write(expression);
    case Operation::Cast:
    case Operation::TryCast:
      return CastWriter(*this).Write(expression);
    case Operation::Like:
    case Operation::Prefix:
    case Operation::Suffix:
    case Operation::Contains:
    case Operation::Length:
    case Operation::ByteLength:
      return TextWriter(*this).Write(expression);
    case Operation::TextHash:
      return TextWriter(*this).WriteHash(expression);
    case Operation::Slice:
    case Operation::TrimBegin:
    case Operation::TrimEnd:
      // As of a text column: only whether it is NULL.
      return Write(expression.Operands()[0]);
    case Operation::DatePart:
      return DateWriter(*this).WritePart(expression);
    case Operation::DateTrunc:
      return DateWriter(*this).WriteTruncation(expression);
    case Operation::AddMonths:
      return DateWriter(*this).WriteAddMonths(expression);
    case Operation::Dictionary:
      return DictionaryWriter(*this).WriteValue(expression);
    case Operation::RowNumber:
      return WriteRowNumber(expression);
    case Operation::Fault:
      RaiseFault(dialect_.True(), {});
      return Write(plan::Expression::Null(expression.GetType()));
  }
  throw std::logic_error("ExpressionWriter: unknown operation");
}

Value ExpressionWriter::WriteColumn(const plan::Expression& expression) {
  if (!given_columns_.empty())
    return given_columns_[expression.ColumnIndex()];
  const InputColumn& column = context_.columns[expression.ColumnIndex()];
  // A boolean is a flag, but 0 and 1 in its column.
  if (expression.GetType().IsBoolean())
    dialect_.RequireRow();
  if (column.table == context_.table)
    return ReadColumn(column, reader_);
  const std::string is_missing = DeclareMissing(column.table);
  Value value = ReadColumn(column, GatherReader(context_.parameters, !is_missing.empty()));
  value.null = EitherNull(is_missing, value.null);
  return value;
}

std::string ExpressionWriter::DeclareMissing(size_t table) {
  if (context_.missing_tables.count(table) == 0)
    return {};
  return DeclareFlag("(" + JoinedRow(table) + " < 0)");
}

Value ExpressionWriter::ReadColumn(const InputColumn& column, const RowReader& reader) {
  const storage::ColumnForm& form = *column.form;
  Value value;
  const auto& statistics = form.Statistics();
  const bool only_nulls = statistics.null_count == form.Rows();
  switch (form.GetEncoding()) {
    case storage::Encoding::Float32:
      value.machine = Machine::Float32;
      value.code = Declare(value.machine, reader.Encoded(column, 0));
      break;
    case storage::Encoding::Float64:
      value.machine = Machine::Float64;
      value.code = Declare(value.machine, reader.Encoded(column, 0));
      break;
    case storage::Encoding::Wide:
      value.range = value.domain = {statistics.min, statistics.max, true};
      value.machine = Machine::Wide;
      value.code = Declare(value.machine, "wide_make(" + reader.Encoded(column, 0) + ", (long)" +
                                              reader.Encoded(column, 1) + ")");
      break;
    case storage::Encoding::Narrow:
    case storage::Encoding::Dictionary:
      value.range = value.domain =
          only_nulls ? Range::Of(0) : Range{statistics.min, statistics.max, true};
      value.machine = MachineFor(value.range);
      if (form.GetEncoding() == storage::Encoding::Dictionary) {
        value.code = Declare(value.machine, dialect_.DecodeCode(reader.Encoded(column, 0)));
      } else {
        // Offset and base in the value's width: the sum is exact although either may wrap.
        value.code = Declare(value.machine, dialect_.Decode(reader.Encoded(column, 0),
                                                            reader.Base(column), value.machine));
      }
      break;
    case storage::Encoding::Text:
    case storage::Encoding::TextRow:
      // Only whether it is NULL: the rest is the TextWriter's.
      value.code = "0";
      break;
  }
  if (form.HasValidity())
    value.null = DeclareFlag(reader.IsNull(column));
  return value;
}

Value ExpressionWriter::WriteRowNumber(const plan::Expression& expression) {
  dialect_.RequireRow();
  const InputColumn* column = nullptr;
  bool is_of_one_table = given_columns_.empty();
  VisitColumns(expression.Operand(0), [&](size_t number) {
    const InputColumn& read = context_.columns[number];
    is_of_one_table = is_of_one_table && (column == nullptr || column->table == read.table);
    column = &read;
  });
  if (column == nullptr || !is_of_one_table)
    throw Unsupported("the number of a row that is not of one table");
  Value value;
  value.range =
      value.domain = {0, std::max<Int128>(static_cast<Int128>(column->form->Rows()), 1) - 1, true};
  value.machine = MachineFor(value.range);
  const bool is_scanned = column->table == context_.table;
  value.code =
      Declare(value.machine, "(" + dialect_.Type(value.machine) + ")" +
                                 (is_scanned ? "(table_first + row)" : JoinedRow(column->table)));
  if (!is_scanned)
    value.null = DeclareMissing(column->table);
  return value;
}

Value ExpressionWriter::WriteConstant(const plan::Expression& expression) {
  const plan::Constant& constant = expression.GetConstant();
  const plan::Type& type = expression.GetType();
  if (type.IsVarchar() || type.kind == TypeKind::UInt128) {
    throw Unsupported("constants of type " + type.ToString() + " outside of dictionary functions");
  }
  Value value;
  if (type.IsFloat()) {
    dialect_.RequireRow();
    value.machine = FloatMachine(type);
    value.code = constant.is_null ? "0" : context_.parameters.AddReal(constant.real, value.machine);
  } else if (constant.is_null) {
    value.code = dialect_.False();
  } else {
    value.range = RangeOfConstant(constant.integer);
    // A boolean's code is 0 or 1 whatever the constant is.
    if (type.IsBoolean()) {
      dialect_.RequireRow();
      value.range = {0, 1, true};
    }
    value.domain = Range::Of(constant.integer);
    value.machine = MachineFor(value.range);
    value.code = dialect_.Constant(context_.parameters.AddInteger(constant.integer, value.machine),
                                   value.machine);
  }
  if (constant.is_null)
    value.null = dialect_.True();
  return value;
}

Value ExpressionWriter::AsOrdered(const Value& value) {
  if (value.machine != Machine::Float32 && value.machine != Machine::Float64)
    return value;
  const std::string real = value.machine == Machine::Float32
                               ? Declare(Machine::Float64, "(double)" + value.code)
                               : value.code;
  Value ordered = value;
  ordered.machine = Machine::Int64;
  ordered.range = ordered.domain = {INT64_MIN, INT64_MAX, true};
  ordered.code =
      Declare(Machine::Int64, "double_to_ordered(" + real + " == 0.0 ? 0.0 : " + real + ")");
  return ordered;
}

std::string ExpressionWriter::CompareCode(Operation operation, const Value& a, const Value& b) {
  const bool is_swapped = operation == Operation::Greater || operation == Operation::LessOrEqual;
  const bool is_negated = operation == Operation::NotEqual || operation == Operation::LessOrEqual ||
                          operation == Operation::GreaterOrEqual ||
                          operation == Operation::DistinctFrom;
  const bool is_equality = operation == Operation::Equal || operation == Operation::NotEqual ||
                           operation == Operation::DistinctFrom ||
                           operation == Operation::NotDistinctFrom;
  const bool is_float = a.machine == Machine::Float32 || a.machine == Machine::Float64;
  const Machine machine = is_float ? a.machine : std::max(a.machine, b.machine);
  std::string x = is_float ? a.code : Convert(a, machine);
  std::string y = is_float ? b.code : Convert(b, machine);
  if (machine == Machine::Wide || is_float) {
    if (is_swapped)
      std::swap(x, y);
    const std::string code = std::string(MachineName(machine)) +
                             (is_equality ? "_equal(" : "_less(") + x + ", " + y + ")";
    return is_negated ? "(!" + code + ")" : code;
  }
  std::string_view symbol;
  switch (operation) {
    case Operation::Equal:
    case Operation::NotDistinctFrom:
      symbol = "==";
      break;
    case Operation::NotEqual:
    case Operation::DistinctFrom:
      symbol = "!=";
      break;
    default:
      symbol = plan::OperationName(operation);
  }
  return dialect_.Flag(Parenthesized(x, symbol, y), machine);
}

Value ExpressionWriter::WriteComparison(const plan::Expression& expression) {
  const Operation operation = expression.GetOperation();
  if (expression.Operand(0).GetType().IsVarchar())
    return TextWriter(*this).WriteComparison(expression);
  const Value a = Write(expression.Operands()[0]);
  const Value b = Write(expression.Operands()[1]);
  return Compared(operation, CompareCode(operation, a, b), a.null, b.null);
}

Value ExpressionWriter::Compared(Operation operation, const std::string& code,
                                 const std::string& a_null, const std::string& b_null) {
  Value value;
  value.range = value.domain = {0, 1, true};
  const bool nulls_are_values =
      operation == Operation::DistinctFrom || operation == Operation::NotDistinctFrom;
  if (!nulls_are_values || (a_null.empty() && b_null.empty())) {
    value.code = DeclareFlag(code);
    value.null = EitherNull(a_null, b_null);
    return value;
  }
  const std::string a = a_null.empty() ? dialect_.False() : a_null;
  const std::string b = b_null.empty() ? dialect_.False() : b_null;
  const bool is_equal = operation == Operation::NotDistinctFrom;
  value.code = DeclareFlag("(" + a + " | " + b + ") ? (" + a + (is_equal ? " == " : " != ") + b +
                           ") : " + code);
  return value;
}

Value ExpressionWriter::WriteConjunction(const plan::Expression& expression) {
  const bool is_and = expression.GetOperation() == Operation::And;
  std::string all_true, any_false, any_true, any_null;
  const auto append = [](std::string& list, std::string_view symbol, const std::string& item) {
    list += list.empty() ? item : " " + std::string(symbol) + " " + item;
  };
  for (const plan::ExpressionPointer& operand : expression.Operands()) {
    const Value value = Write(operand);
    const std::string is_true = IsTrue(value);
    append(all_true, "&", is_true);
    append(any_true, "|", is_true);
    if (value.CanBeNull()) {
      append(any_null, "|", value.null);
      append(any_false, "|", "(!" + value.code + " & !" + value.null + ")");
    } else {
      append(any_false, "|", "(!" + value.code + ")");
    }
  }
  Value value;
  value.range = value.domain = {0, 1, true};
  value.code = DeclareFlag(is_and ? all_true : any_true);
  if (!any_null.empty()) {
    value.null = is_and ? DeclareFlag("!(" + any_false + ") & (" + any_null + ")")
                        : DeclareFlag("(!" + value.code + ") & (" + any_null + ")");
  }
  return value;
}

Value ExpressionWriter::Choose(const std::string& condition, const Value& yes, const Value& no,
                               const plan::Type& type) {
  Value value;
  if (type.IsFloat()) {
    value.machine = FloatMachine(type);
    value.code = Declare(value.machine, condition + " ? " + yes.code + " : " + no.code);
  } else {
    value.range = yes.range.Union(no.range);
    value.domain = yes.domain.Union(no.domain);
    value.machine = std::max(yes.machine, no.machine);
    value.code = Declare(value.machine, dialect_.Choose(condition, Convert(yes, value.machine),
                                                        Convert(no, value.machine), value.machine));
  }
  if (yes.CanBeNull() || no.CanBeNull()) {
    value.null =
        DeclareFlag(dialect_.Choose(condition, yes.CanBeNull() ? yes.null : dialect_.False(),
                                    no.CanBeNull() ? no.null : dialect_.False(), Machine::Int32));
  }
  return value;
}

Value ExpressionWriter::WriteCase(const plan::Expression& expression) {
  if (expression.GetType().IsVarchar())
    throw Unsupported("CASE of type VARCHAR");
  const auto& operands = expression.Operands();
  const std::string outer = active_;
  std::vector<std::pair<std::string, Value>> branches;
  for (size_t i = 0; i + 1 < operands.size(); i += 2) {
    const std::string is_taken = IsTrue(Write(operands[i]));
    branches.emplace_back(is_taken, WriteWhere(is_taken, operands[i + 1]));
    // What follows counts only where this branch is not taken.
    active_ =
        active_.empty() ? DeclareFlag("!" + is_taken) : DeclareFlag(active_ + " & !" + is_taken);
  }
  Value value = Write(operands.back());
  active_ = outer;
  for (auto branch = branches.rbegin(); branch != branches.rend(); ++branch) {
    value = Choose(branch->first, branch->second, value, expression.GetType());
  }
  return value;
}

Value ExpressionWriter::WriteCoalesce(const plan::Expression& expression) {
  if (expression.GetType().IsVarchar())
    throw Unsupported("COALESCE of several VARCHAR expressions");
  const auto& operands = expression.Operands();
  const std::string outer = active_;
  std::vector<Value> values;
  for (const plan::ExpressionPointer& operand : operands) {
    values.push_back(Write(operand));
    if (!values.back().CanBeNull())
      break;
    active_ =
        active_.empty() ? values.back().null : DeclareFlag(active_ + " & " + values.back().null);
  }
  active_ = outer;
  Value value = values.back();
  for (size_t i = values.size() - 1; i-- > 0;) {
    const std::string condition = DeclareFlag("!" + values[i].null);
    values[i].null.clear();  // where the condition holds
    value = Choose(condition, values[i], value, expression.GetType());
  }
  return value;
}

}  // namespace margay::compile
