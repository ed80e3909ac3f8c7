#include "compile/parameters.hpp"

#include <bit>
#include <cstring>
#include <stdexcept>

namespace margay::compile {

std::string Parameters::NextName() {
  return "p" + std::to_string(declarations_.size());
}

std::string Parameters::AddInteger(Int128 value, Machine machine) {
  const std::string name = NextName();
  const std::string word = "parameters[" + std::to_string(words_.size()) + "]";
  words_.push_back(static_cast<int64_t>(value));
  std::string code = word;
  if (machine == Machine::Int32) {
    code = "(int)" + word;
  } else if (machine == Machine::Wide) {
    code = "wide_make((ulong)" + word + ", parameters[" + std::to_string(words_.size()) + "])";
    words_.push_back(static_cast<int64_t>(value >> 64));
  } else if (machine != Machine::Int64) {
    throw std::logic_error("Parameters::AddInteger: not an integer machine type");
  }
  declarations_.push_back("const " + std::string(MachineName(machine)) + " " + name + " = " + code +
                          ";");
  return name;
}

std::string Parameters::AddReal(double value, Machine machine) {
  const std::string name = NextName();
  const std::string word = "parameters[" + std::to_string(words_.size()) + "]";
  if (machine == Machine::Float64) {
    words_.push_back(std::bit_cast<int64_t>(value));
    declarations_.push_back("const double " + name + " = as_double(" + word + ");");
  } else if (machine == Machine::Float32) {
    words_.push_back(std::bit_cast<uint32_t>(static_cast<float>(value)));
    declarations_.push_back("const float " + name + " = as_float((uint)" + word + ");");
  } else {
    throw std::logic_error("Parameters::AddReal: not a floating-point machine type");
  }
  return name;
}

std::string Parameters::AddLookup(const void* data, size_t bytes) {
  lookups_.resize((lookups_.size() + 15) / 16 * 16);
  const std::string name = AddInteger(static_cast<Int128>(lookups_.size()), Machine::Int64);
  const auto* begin = static_cast<const uint8_t*>(data);
  lookups_.insert(lookups_.end(), begin, begin + bytes);
  return name;
}

void Parameters::Declare(CodeBlock& block) const {
  for (const std::string& declaration : declarations_)
    block.Line(declaration);
}

}  // namespace margay::compile
