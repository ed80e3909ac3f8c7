#include "optimize/value/machine.hpp"

#include <stdexcept>

namespace margay::optimize {

std::string_view MachineName(Machine machine) {
  switch (machine) {
    case Machine::Int32:
      return "int";
    case Machine::Int64:
      return "long";
    case Machine::Wide:
      return "wide";
    case Machine::Float32:
      return "float";
    case Machine::Float64:
      return "double";
    case Machine::Text:
      break;
  }
  throw std::logic_error("MachineName: no machine type of one variable");
}

Machine MachineFor(const Range& range) {
  if (range.FitsIn(32))
    return Machine::Int32;
  if (range.FitsIn(64))
    return Machine::Int64;
  return Machine::Wide;
}

Range RangeOf(const plan::Type& type) {
  return {type.LowestValue(), type.HighestValue(), true};
}

Range RangeOfConstant(Int128 value) {
  for (int bits : {8, 16, 32, 48, 56, 64}) {
    const Int128 limit = static_cast<Int128>(1) << (bits - 1);
    const Range range{-limit, limit - 1, true};
    if (range.Contains(Range::Of(value)))
      return range;
  }
  return Range::All();
}

}  // namespace margay::optimize
