#include "compile/row_output.hpp"

#include <algorithm>

#include "compile/dictionary_writer.hpp"
#include "compile/text_writer.hpp"

namespace margay::compile {

namespace {

//! The OpenCL C type of one output value; a 128-bit value is two of them, a text TextWords().
std::string TypeName(const RowOutput& output) {
  if (output.text_column)
    return "uint";
  switch (output.type.kind) {
    case plan::TypeKind::Boolean:
    case plan::TypeKind::Int8:
    case plan::TypeKind::UInt8:
      return "char";
    case plan::TypeKind::Float32:
      return "float";
    case plan::TypeKind::Float64:
      return "double";
    default:
      switch (output.type.PhysicalBytes()) {
        case 2:
          return "short";
        case 4:
          return "int";
        default:
          return "long";
      }
  }
}

//! Whether `expression` is a function of strings of which each is computed once.
bool IsDictionary(const plan::Expression& expression) {
  return expression.GetOperation() == plan::Operation::Dictionary;
}

//! `expression`, or the column that it is a dictionary function of.
const plan::ExpressionPointer& Argument(const plan::ExpressionPointer& expression) {
  return IsDictionary(*expression) ? expression->Operands()[0] : expression;
}

//! The text column that `expression` is, or is a slice of, by its place among `columns`.
std::optional<size_t> TextColumnOf(const plan::Expression& expression,
                                   const std::vector<InputColumn>& columns) {
  if (plan::IsSlice(expression.GetOperation()))
    return TextColumnOf(expression.Operand(0), columns);
  if (expression.GetOperation() != plan::Operation::Column)
    return std::nullopt;
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const InputColumn& column) {
    return column.number == expression.ColumnIndex() && column.IsText();
  });
  if (found == columns.end())
    return std::nullopt;
  return static_cast<size_t>(found - columns.begin());
}

bool IsDerivedText(const plan::Expression& expression) {
  return expression.GetType().IsVarchar() && IsDictionary(expression);
}

std::string Numbered(const std::string& name, size_t number) {
  return name + std::to_string(number);
}

}  // namespace

RowOutput RowOutput::Of(const plan::ExpressionPointer& expression,
                        const std::vector<InputColumn>& columns, KernelContext scratch) {
  CodeBlock block;
  const DirectReader reader;  // of code that is thrown away
  ExpressionWriter writer(scratch, reader, block);
  RowOutput output;
  output.type = expression->GetType();
  output.text_column = TextColumnOf(*Argument(expression), columns);
  if (output.text_column) {
    const InputColumn& column = columns[*output.text_column];
    output.has_text_row = column.table != scratch.table || column.RefersToText();
    if (IsDictionary(*expression))
      output.function = expression->FunctionPointer();
    output.can_be_null = writer.Write(Argument(expression)).CanBeNull();
    return output;
  }
  if (IsDerivedText(*expression)) {
    DerivedColumn derived = DictionaryWriter(writer).WriteIdentifier(*expression);
    output.texts = derived.texts;
    output.can_be_null = derived.identifier.CanBeNull();
    return output;
  }
  output.can_be_null = writer.Write(expression).CanBeNull();
  if (output.type.IsVarchar())
    output.texts = scratch.columns[expression->ColumnIndex()].form->GetDictionary();
  return output;
}

Value WriteOutputValue(const plan::ExpressionPointer& expression, ExpressionWriter& writer) {
  return IsDerivedText(*expression)
             ? DictionaryWriter(writer).WriteIdentifier(*expression).identifier
             : writer.Write(expression);
}

std::vector<std::string> OutputArguments(const std::vector<RowOutput>& outputs) {
  std::vector<std::string> arguments;
  for (size_t i = 0; i < outputs.size(); i++) {
    arguments.push_back("__global " + TypeName(outputs[i]) + "* restrict " + Numbered("values", i));
    if (outputs[i].can_be_null) {
      arguments.push_back((outputs[i].has_validity_bits ? "volatile __global uint* "
                                                        : "__global uchar* restrict ") +
                          Numbered("nulls", i));
    }
  }
  return arguments;
}

namespace {

void WriteNull(const RowOutput& output, size_t number, const Value& value, CodeBlock& block,
               const std::string& position) {
  if (!output.can_be_null)
    return;
  const std::string name = Numbered("nulls", number);
  const std::string is_null = value.CanBeNull() ? value.null : "0";
  if (output.has_validity_bits) {
    block.Line("if (!" + is_null + ") atomic_or(" + name + " + " + position + " / 32, 1u << " +
               position + " % 32);");
  } else {
    block.Line(name + "[" + position + "] = (uchar)!" + is_null + ";");
  }
}

//! `row` only where the output has it.
void WriteText(const RowOutput& output, size_t number, const TextWriter::Bounds& bounds,
               const std::string& row, CodeBlock& block, const std::string& position) {
  const std::string first =
      Numbered("values", number) + "[" + std::to_string(output.TextWords()) + " * " + position;
  block.Line(first + "] = " + bounds.begin + ";");
  block.Line(first + " + 1] = " + bounds.end + ";");
  if (output.has_text_row)
    block.Line(first + " + 2] = (uint)" + row + ";");
}

}  // namespace

void WriteOutput(const RowOutput& output, size_t number, const Value& value,
                 ExpressionWriter& writer, CodeBlock& block, const std::string& position) {
  const std::string name = Numbered("values", number);
  if (output.type.PhysicalBytes() == 16) {
    const std::string wide = writer.Declare(Machine::Wide, writer.Convert(value, Machine::Wide));
    block.Line(name + "[2 * " + position + "] = (long)" + wide + ".low;");
    block.Line(name + "[2 * " + position + " + 1] = " + wide + ".high;");
  } else if (output.type.IsFloat()) {
    block.Line(name + "[" + position + "] = " + value.code + ";");
  } else {
    block.Line(name + "[" + position + "] = (" + TypeName(output) + ")" +
               writer.Convert(value, Machine::Int64) + ";");
  }
  WriteNull(output, number, value, block, position);
}

void WriteTextOutput(const RowOutput& output, size_t number, const Value& value,
                     const InputColumn& column, const std::string& row, ExpressionWriter& writer,
                     CodeBlock& block, const std::string& position) {
  WriteText(output, number, TextWriter(writer).WriteBoundsAt(column, row), row, block, position);
  WriteNull(output, number, value, block, position);
}

void WriteOutput(const RowOutput& output, size_t number, const plan::ExpressionPointer& expression,
                 const std::vector<InputColumn>& columns, ExpressionWriter& writer,
                 CodeBlock& block, const std::string& position) {
  if (output.text_column) {
    const Value value = writer.Write(Argument(expression));
    const InputColumn column = Sliced(columns[*output.text_column], *Argument(expression));
    TextWriter texts(writer);
    const TextWriter::Bounds bounds = texts.WriteBounds(column);
    WriteText(output, number, bounds, output.has_text_row ? texts.WriteRow(column) : "", block,
              position);
    WriteNull(output, number, value, block, position);
    return;
  }
  WriteOutput(output, number, WriteOutputValue(expression, writer), writer, block, position);
}

}  // namespace margay::compile
