#include "compile/sink/row_output_writer.hpp"

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

std::string Numbered(const std::string& name, size_t number) {
  return name + std::to_string(number);
}

void WriteNull(const RowOutput& output, size_t number, const WrittenValue& value, CodeBlock& block,
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

void WriteText(const RowOutput& output, size_t number, const InputColumn& column,
               const WrittenValue& value, ExpressionWriter& writer, CodeBlock& block,
               const std::string& position) {
  const WrittenText text = output.is_at_row ? writer.WriteTextAt(output.string, value.code)
                                            : writer.WriteText(output.string);
  const std::string first =
      Numbered("values", number) + "[" + std::to_string(output.TextWords()) + " * " + position;
  block.Line(first + "] = " + text.begin + ";");
  block.Line(first + " + 1] = " + text.end + ";");
  if (output.has_text_row) {
    const std::string row = output.is_at_row ? value.code : writer.WriteTextRow(column);
    block.Line(first + " + 2] = (uint)" + row + ";");
  }
}

}  // namespace

void AddOutputArguments(const std::vector<RowOutput>& outputs, ArgumentList& arguments) {
  for (size_t i = 0; i < outputs.size(); i++) {
    arguments.Add({ArgumentKind::Values, i}, "__global " + TypeName(outputs[i]) + "* restrict");
    if (outputs[i].can_be_null) {
      arguments.Add({ArgumentKind::Nulls, i}, outputs[i].has_validity_bits
                                                  ? "volatile __global uint*"
                                                  : "__global uchar* restrict");
    }
  }
}

void WriteOutput(const RowOutput& output, size_t number, const std::vector<InputColumn>& columns,
                 ExpressionWriter& writer, CodeBlock& block, const std::string& position) {
  const WrittenValue value = writer.Write(output.value);
  const std::string name = Numbered("values", number);
  if (output.text_column) {
    WriteText(output, number, columns[*output.text_column], value, writer, block, position);
  } else if (output.type.PhysicalBytes() == 16) {
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

}  // namespace margay::compile
