#include "compile/parameter_declarations.hpp"

#include <stdexcept>

#include "compile/row_reader.hpp"

namespace margay::compile {

namespace {

using optimize::Machine;

std::string CodeOf(const optimize::Parameters::Slot& slot) {
  const std::string word = "parameters[" + std::to_string(slot.word) + "]";
  switch (slot.machine) {
    case Machine::Int32:
      return "(int)" + word;
    case Machine::Int64:
      return word;
    case Machine::Wide:
      return "wide_make((ulong)" + word + ", parameters[" + std::to_string(slot.word + 1) + "])";
    case Machine::Float32:
      return "as_float((uint)" + word + ")";
    case Machine::Float64:
      return "as_double(" + word + ")";
    case Machine::Text:
      break;
  }
  throw std::logic_error("DeclareParameters: a parameter that is no number");
}

}  // namespace

void DeclareParameters(const optimize::Parameters& parameters, CodeBlock& block) {
  for (size_t i = 0; i < parameters.Slots().size(); i++) {
    const optimize::Parameters::Slot& slot = parameters.Slots()[i];
    block.Line("const " + std::string(MachineName(slot.machine)) + " " + ParameterName(i) + " = " +
               CodeOf(slot) + ";");
  }
}

}  // namespace margay::compile
