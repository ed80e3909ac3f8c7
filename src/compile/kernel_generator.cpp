#include "compile/kernel_generator.hpp"

#include <algorithm>

#include "compile/lanes_generator.hpp"
#include "compile/loop_generator.hpp"
#include "compile/refusal.hpp"
#include "compile/text_resolution.hpp"
#include "compile/text_writer.hpp"
#include "kernels/embedded_sources.hpp"
#include "storage/constants.hpp"

namespace margay::compile {

namespace {

//! PoCL allows 1,024 bytes of kernel arguments; a pointer takes 8.
constexpr size_t kMostArguments = 120;

//! The OpenCL C type of one output value; a 128-bit value is two of them, and so is a text.
std::string OutputTypeName(const RowOutput& output) {
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

}  // namespace

void CollectColumns(const plan::Expression& expression, std::set<size_t>& columns) {
  if (expression.GetOperation() == plan::Operation::Column)
    columns.insert(expression.ColumnIndex());
  for (const plan::ExpressionPointer& operand : expression.Operands()) {
    CollectColumns(*operand, columns);
  }
}

KernelGenerator::KernelGenerator(const Pipeline& pipeline,
                                 const std::vector<InputColumn>& scan_columns,
                                 DictionaryCache& dictionaries, uint64_t rows)
    : pipeline_(pipeline), scan_columns_(scan_columns), context_{scan_columns, dictionaries} {
  for (const auto& conjunct : pipeline.conjuncts)
    CollectColumns(*conjunct, read_);
  for (const auto& output : pipeline.outputs)
    CollectColumns(*output, read_);
  for (const plan::Aggregate& aggregate : pipeline.aggregates) {
    if (aggregate.argument)
      CollectColumns(*aggregate.argument, read_);
  }
  for (const InputColumn& column : scan_columns) {
    if (IsRead(column))
      kernel_.columns.push_back(column);
    if (column.IsText())
      kernel_.text_columns.push_back(column);
  }
  kernel_.is_aggregate = pipeline.is_aggregate;
  kernel_.aggregates = pipeline.aggregates;
  kernel_.filter = std::make_shared<SegmentFilter>(pipeline.conjuncts, scan_columns, dictionaries);
  if (pipeline.is_aggregate) {
    kernel_.aggregate = AggregateLayout::Of(pipeline, context_, rows);
  } else {
    PlanOutputs();
  }
}

void KernelGenerator::PlanOutputs() {
  CodeBlock block;
  const DirectReader reader;  // of code that is thrown away
  KernelContext scratch = context_;
  ExpressionWriter writer(scratch, reader, block);
  for (const plan::ExpressionPointer& expression : pipeline_.outputs) {
    RowOutput output;
    output.type = expression->GetType();
    output.text_column = TextColumnOf(*expression);
    if (output.type.IsVarchar() && expression->GetOperation() == plan::Operation::Dictionary) {
      DerivedColumn derived = DictionaryWriter(writer).WriteIdentifier(*expression);
      output.texts = derived.texts;
      output.can_be_null = derived.identifier.CanBeNull();
    } else {
      output.can_be_null = writer.Write(expression).CanBeNull();
      if (output.type.IsVarchar() && !output.text_column) {
        output.texts = scan_columns_[expression->ColumnIndex()].image->GetDictionary();
      }
    }
    kernel_.outputs.push_back(std::move(output));
  }
}

std::optional<size_t> KernelGenerator::TextColumnOf(const plan::Expression& expression) const {
  if (expression.GetOperation() != plan::Operation::Column)
    return std::nullopt;
  const auto& columns = kernel_.columns;
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const InputColumn& column) {
    return column.number == expression.ColumnIndex() && column.IsText();
  });
  if (found == columns.end())
    return std::nullopt;
  return static_cast<size_t>(found - columns.begin());
}

std::string KernelGenerator::EncodedType(const InputColumn& column) {
  switch (column.image->GetEncoding()) {
    case storage::Encoding::Float32:
      return "float";
    case storage::Encoding::Float64:
      return "double";
    case storage::Encoding::Wide:
      return "ulong";
    default:
      switch (column.image->Width()) {
        case 1:
          return "uchar";
        case 2:
          return "ushort";
        case 4:
          return "uint";
        default:
          return "ulong";
      }
  }
}

std::string KernelGenerator::ColumnPointer(const InputColumn& column) {
  return Numbered("c", column.number);
}

void KernelGenerator::WriteArgumentsList(CodeBlock& block) {
  std::vector<std::string> arguments{"__global const long* restrict parameters",
                                     "__global const uchar* restrict lookups",
                                     "__global const long* restrict segments", "const uint units",
                                     "__global int* restrict faults"};
  for (const InputColumn& column : kernel_.columns) {
    arguments.push_back("__global const " + EncodedType(column) + "* restrict " +
                        Numbered("column", column.number) + " /* " + column.name + " */");
    if (column.image->HasValidity()) {
      arguments.push_back("__global const uchar* restrict " + Numbered("validity", column.number));
    }
    if (column.IsText())
      arguments.push_back("__global const uchar* restrict " + Numbered("text", column.number));
  }
  if (kernel_.is_aggregate) {
    arguments.push_back("__global long* restrict partials");
  } else {
    arguments.push_back("__global uint* restrict counts");
    for (size_t i = 0; i < kernel_.outputs.size(); i++) {
      arguments.push_back("__global " + OutputTypeName(kernel_.outputs[i]) + "* restrict " +
                          Numbered("values", i));
      if (kernel_.outputs[i].can_be_null) {
        arguments.push_back("__global uchar* restrict " + Numbered("nulls", i));
      }
    }
  }
  if (arguments.size() > kMostArguments) {
    throw TooManyArguments("a part that reads and writes more than " +
                           std::to_string(kMostArguments) + " columns");
  }
  for (size_t i = 0; i < arguments.size(); i++) {
    block.Line(arguments[i] + (i + 1 < arguments.size() ? "," : ")"));
  }
}

GeneratedKernel KernelGenerator::Generate() {
  kernel_.shape = GetShape();
  if (kernel_.shape == Shape::Loop)
    context_.searches = TextSearches::Of(pipeline_, scan_columns_);
  CodeBlock body(1);
  WriteBody(body);

  CodeBlock block;
  block.Line("#pragma OPENCL EXTENSION cl_khr_fp64 : enable");
  block.Line("#pragma OPENCL FP_CONTRACT OFF");
  block.Line("");
  block.Line(std::string(kernels::EmbeddedSource("numeric.cl")));
  if (std::any_of(kernel_.columns.begin(), kernel_.columns.end(),
                  [](const InputColumn& column) { return column.IsText(); })) {
    block.Line(std::string(kernels::EmbeddedSource("text.cl")));
  }
  block.Line("#define SEGMENT_ROWS " + std::to_string(storage::kSegmentRows));
  block.Line("#define SEGMENT_WORDS " +
             std::to_string(kSegmentHeaderWords + kernel_.columns.size()));
  block.Line("#define UNIT_ROWS " + std::to_string(kernel_.unit_rows));
  block.Line("#define UNITS_PER_SEGMENT " + std::to_string(kernel_.units_per_segment));
  block.Line("#define LANES " + std::to_string(kernel_.work_group));
  if (kernel_.is_aggregate) {
    block.Line("#define GROUPS " + std::to_string(kernel_.aggregate.groups));
    block.Line("#define WORDS " + std::to_string(kernel_.aggregate.words));
  }
  block.Line("");
  block.Line("__kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))");
  block.Open("void " + std::string(kKernelName) + "(");
  WriteArgumentsList(block);
  block.Close("{");
  CodeBlock parameters(1);
  context_.parameters.Declare(parameters);
  block.Append(parameters);
  CodeBlock fault(1);
  fault.Line("int fault = 0;");
  block.Append(fault);
  block.Append(body);
  CodeBlock report(1);
  report.Line("if (fault) atomic_or(faults, 1);");
  block.Append(report);
  block.Line("}");

  kernel_.source = block.Text();
  kernel_.parameters = std::move(context_.parameters);
  return std::move(kernel_);
}

void KernelGenerator::WriteSegment(CodeBlock& block) {
  block.Line("const ulong first = (ulong)segment[0] * SEGMENT_ROWS;");
  block.Line("const uint rows = (uint)segment[1];");
  for (size_t i = 0; i < kernel_.columns.size(); i++) {
    const InputColumn& column = kernel_.columns[i];
    if (column.image->GetEncoding() == storage::Encoding::Narrow) {
      const auto& statistics = column.image->Statistics();
      const Range range =
          statistics.HasValues() ? Range{statistics.min, statistics.max, true} : Range::Of(0);
      const std::string type = MachineFor(range) == Machine::Int32 ? "uint" : "ulong";
      block.Line("const " + type + " " + Numbered("base", column.number) + " = (" + type +
                 ")segment[" + std::to_string(kSegmentHeaderWords + i) + "];");
    }
    const std::string stride = column.image->GetEncoding() == storage::Encoding::Wide ? "2 * " : "";
    block.Line("__global const " + EncodedType(column) + "* " + ColumnPointer(column) + " = " +
               Numbered("column", column.number) + " + " + stride + "first;");
    if (column.image->HasValidity()) {
      block.Line("__global const uchar* " + Numbered("n", column.number) + " = " +
                 Numbered("validity", column.number) + " + first / 8;");
    }
    if (column.IsText()) {
      block.Line("__global const uchar* " + Numbered("t", column.number) + " = " +
                 Numbered("text", column.number) + " + segment[" +
                 std::to_string(kSegmentHeaderWords + i) + "];");
    }
  }
  context_.searches.Write(block, context_.parameters);
}

std::string KernelGenerator::WriteFilters(ExpressionWriter& writer) {
  std::string condition;
  for (const plan::ExpressionPointer& conjunct : pipeline_.conjuncts) {
    const std::string passes = writer.IsTrue(writer.Write(conjunct));
    condition += condition.empty() ? passes : " & " + passes;
  }
  return condition.empty() ? "1" : condition;
}

void KernelGenerator::WriteGroup(ExpressionWriter& writer, CodeBlock& block) {
  std::string index;
  bool is_certain = true;
  for (size_t i = 0; i < kernel_.aggregate.keys.size(); i++) {
    const GroupKey& key = kernel_.aggregate.keys[i];
    const plan::ExpressionPointer& expression = pipeline_.outputs[i];
    Value value;
    if (expression->GetOperation() == plan::Operation::Dictionary) {
      value = DictionaryWriter(writer).WriteIdentifier(*expression).identifier;
    } else {
      value = writer.Write(expression);
      is_certain = is_certain && expression->GetOperation() == plan::Operation::Column;
    }
    const Machine machine = value.machine == Machine::Wide ? Machine::Int64 : value.machine;
    std::string place = "(uint)(" + ExpressionWriter::Convert(value, machine) + " - " +
                        context_.parameters.AddInteger(key.low, machine) + ")";
    if (key.has_null) {
      place = "(" + value.null + " ? " + std::to_string(key.values) + "u : " + place + ")";
    }
    if (key.stride != 1)
      place += " * " + std::to_string(key.stride);
    index += index.empty() ? place : " + " + place;
  }
  // A value that raised a fault may lie outside of its domain.
  block.Line("const uint group = " +
             (is_certain ? index : "min(" + index + ", (uint)(GROUPS - 1))") + ";");
}

std::vector<Value> KernelGenerator::WriteArguments(ExpressionWriter& writer) {
  std::vector<Value> values;
  for (const plan::ExpressionPointer& argument : kernel_.aggregate.arguments) {
    values.push_back(writer.Write(argument));
  }
  return values;
}

void KernelGenerator::WriteOutputs(ExpressionWriter& writer, CodeBlock& block,
                                   const std::string& position) {
  for (size_t i = 0; i < kernel_.outputs.size(); i++) {
    const RowOutput& output = kernel_.outputs[i];
    const plan::ExpressionPointer& expression = pipeline_.outputs[i];
    const bool is_derived =
        output.type.IsVarchar() && expression->GetOperation() == plan::Operation::Dictionary;
    const Value value = is_derived
                            ? DictionaryWriter(writer).WriteIdentifier(*expression).identifier
                            : writer.Write(expression);
    const std::string name = Numbered("values", i);
    if (output.text_column) {
      const TextWriter::Bounds bounds =
          TextWriter(writer).WriteBounds(kernel_.columns[*output.text_column]);
      block.Line(name + "[2 * " + position + "] = " + bounds.begin + ";");
      block.Line(name + "[2 * " + position + " + 1] = " + bounds.end + ";");
    } else if (output.type.PhysicalBytes() == 16) {
      const std::string wide =
          writer.Declare(Machine::Wide, ExpressionWriter::Convert(value, Machine::Wide));
      block.Line(name + "[2 * " + position + "] = (long)" + wide + ".low;");
      block.Line(name + "[2 * " + position + " + 1] = " + wide + ".high;");
    } else if (output.type.IsFloat()) {
      block.Line(name + "[" + position + "] = " + value.code + ";");
    } else {
      block.Line(name + "[" + position + "] = (" + OutputTypeName(output) + ")" +
                 ExpressionWriter::Convert(value, Machine::Int64) + ";");
    }
    if (output.can_be_null) {
      block.Line(Numbered("nulls", i) + "[" + position + "] = (uchar)!" +
                 (value.CanBeNull() ? value.null : "0") + ";");
    }
  }
}

std::variant<GeneratedKernel, Refusal> GenerateKernel(const plan::Node& plan,
                                                      const std::vector<InputColumn>& columns,
                                                      uint64_t rows, Shape shape) {
  try {
    const Pipeline pipeline = ResolveTexts(Pipeline::From(plan), columns);
    DictionaryCache dictionaries(columns);
    if (shape == Shape::Loop) {
      return LoopGenerator(pipeline, columns, dictionaries, rows).Generate();
    }
    return LanesGenerator(pipeline, columns, dictionaries, rows).Generate();
  } catch (const TooManyArguments& wide) {
    return Refusal{wide.what(), true};
  } catch (const Unsupported& unsupported) {
    return Refusal{unsupported.what(), false};
  }
}

}  // namespace margay::compile
