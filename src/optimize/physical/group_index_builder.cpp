#include "optimize/physical/group_index_builder.hpp"

namespace margay::optimize {

std::vector<Value> GroupIndexBuilder::Build() {
  if (layout_.shared)
    return BuildShared();
  return {BuildOwn()};
}

Value GroupIndexBuilder::BuildOwn() {
  return builder_.Collect([&] {
    Value index;
    for (const GroupKey& key : layout_.keys) {
      const Machine machine =
          key.value.GetMachine() == Machine::Int32 ? Machine::Int32 : Machine::Int64;
      const Node* above = graph_.Wrapping("-", builder_.Convert(key.value, machine),
                                          builder_.Integer(key.low, machine));
      if (key.step != 1)
        above = graph_.Infix(machine, "/", above, graph_.Literal(key.step, Machine::Int64));
      const Node* place = graph_.Convert(above, Machine::Int32);
      // Sizes of small domains are part of the kernel, and so are loops over groups.
      const GroupDigit& digit = key.digits[0];
      const auto size = [&](uint64_t number) {
        return graph_.Literal(static_cast<Int128>(number), Machine::Int32);
      };
      if (digit.has_null)
        place = graph_.Select(key.value.null, size(digit.values), place);
      if (digit.stride != 1)
        place = graph_.Wrapping("*", place, size(digit.stride));
      index.node = index.node == nullptr ? place : graph_.Wrapping("+", index.node, place);
      index.faults.insert(index.faults.end(), key.value.faults.begin(), key.value.faults.end());
    }
    if (index.node == nullptr)
      index.node = graph_.Literal(0, Machine::Int32);
    return index;
  });
}

std::vector<const Node*> GroupIndexBuilder::BuildDigits(const GroupKey& key) {
  // Sizes are parameters: unlike those of small domains they change with the data.
  const auto parameter = [&](Int128 number) { return builder_.Integer(number, Machine::Int64); };
  const auto bits = [&](const char* symbol, const Node* a, Int128 b) {
    return graph_.Infix(Machine::Int64, symbol, a, graph_.Literal(b, Machine::Int64));
  };
  std::vector<const Node*> digits;
  if (key.digits.size() == 1) {
    digits.push_back(
        graph_.Wrapping("-", builder_.Convert(key.value, Machine::Int64), parameter(key.low)));
    if (key.step != 1)
      digits[0] = graph_.Call(Machine::Int64, "unsigned_divide", {digits[0], parameter(key.step)});
  } else {
    static_assert(kDigitBits == 63, "the shifts below");
    const Node* place = graph_.Call(
        Machine::Wide, "wide_subtract",
        {builder_.Convert(key.value, Machine::Wide), builder_.Integer(key.low, Machine::Wide)});
    const Node *low = graph_.Member(place, "low"), *high = graph_.Member(place, "high");
    // The mask comes before the shift: of one behind it LLVM makes a funnel shift, which Oclgrind
    // lacks.
    digits = {bits("&", low, INT64_MAX),
              graph_.Infix(Machine::Int64, "|", bits(">>", low, 63),
                           bits("<<", bits("&", high, INT64_MAX >> 1), 1)),
              bits("&", bits(">>", high, 62), 3)};
    digits.resize(key.digits.size());
  }
  for (size_t i = 0; i < digits.size(); i++) {
    const GroupDigit& digit = key.digits[i];
    if (key.HasNull() && key.value.CanBeNull()) {
      const Node* of_null = digit.has_null ? parameter(static_cast<Int128>(digit.values))
                                           : graph_.Literal(0, Machine::Int64);
      digits[i] = graph_.Select(key.value.null, of_null, digits[i]);
    }
    if (digit.stride != 1)
      digits[i] = graph_.Wrapping("*", digits[i], parameter(static_cast<Int128>(digit.stride)));
  }
  return digits;
}

std::vector<Value> GroupIndexBuilder::BuildShared() {
  std::vector<Value> index(layout_.index_places.size());
  for (const GroupKey& key : layout_.keys) {
    if (key.is_dependent)
      continue;
    const std::vector<const Node*> digits = BuildDigits(key);
    for (size_t i = 0; i < digits.size(); i++) {
      Value& word = index[key.digits[i].word];
      word.node = word.node == nullptr ? digits[i] : graph_.Wrapping("+", word.node, digits[i]);
    }
    index[0].faults.insert(index[0].faults.end(), key.value.faults.begin(), key.value.faults.end());
  }
  for (size_t word = 0; word < index.size(); word++) {
    if (index[word].node == nullptr)
      index[word].node = graph_.Literal(0, Machine::Int64);
    if (!layout_.is_index_certain) {
      const auto last = static_cast<Int128>(layout_.index_places[word] - 1);
      index[word].node = graph_.Call(Machine::Int64, "unsigned_min",
                                     {index[word].node, builder_.Integer(last, Machine::Int64)});
    }
  }
  return index;
}

}  // namespace margay::optimize
