#include "compile/sink/aggregate.hpp"

#include "compile/kernel_generator.hpp"
#include "compile/sink/text_extreme.hpp"

namespace margay::compile {

AggregateSink::AggregateSink(KernelGenerator& generator)
    : Sink(generator), layout_(std::get<optimize::GroupSink>(generator.Pipeline().sink).layout) {}

void AggregateSink::AddArguments(ArgumentList& arguments) const {
  arguments.Add({ArgumentKind::Partials}, "__global long* restrict");
}

void AggregateSink::WriteDefinitions(CodeBlock& block) const {
  block.Line("#define GROUPS " + std::to_string(layout_.groups));
  block.Line("#define WORDS " + std::to_string(layout_.words));
}

std::vector<WrittenValue> AggregateSink::WriteArguments(ExpressionWriter& writer) const {
  std::vector<WrittenValue> values;
  for (const AggregateLayout::Argument& argument : layout_.arguments)
    values.push_back(writer.Write(argument.value));
  return values;
}

void AggregateSink::WriteTextFold(CodeBlock& block, const Accumulator& accumulator,
                                  const std::string& into, const std::string& from) {
  TextExtreme(layout_.arguments[accumulator.argument].string, accumulator.fold)
      .WriteFold(generator_.Context(), block, into, from);
}

}  // namespace margay::compile
