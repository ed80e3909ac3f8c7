#include "optimize/value/dictionary_builder.hpp"

#include <algorithm>

#include "optimize/unsupported.hpp"

namespace margay::optimize {

using State = plan::DictionaryResults::State;

bool IsCodeRange(const plan::DictionaryResults& results, size_t& first, size_t& last) {
  const size_t values = results.states.size() - 1;
  if (results.states[values] != State::Null)
    return false;
  first = last = 0;
  size_t runs = 0;
  for (size_t code = 0; code < values; code++) {
    if (results.states[code] != State::Valid)
      return false;
    if (results.integers[code] == 0)
      continue;
    if (runs == 0 || last != code) {
      runs++;
      first = code;
    }
    last = code + 1;
  }
  return runs <= 1;
}

DictionaryBuilder::Source DictionaryBuilder::Evaluate(const plan::Expression& expression) {
  auto results = builder_.Context().dictionaries.Results(expression);
  const size_t values = results->states.size() - 1;
  return {builder_.Build(expression.Operands()[0]), values, std::move(results)};
}

template <typename Entry, typename Field>
size_t DictionaryBuilder::AddTable(const Source& source, Field field) {
  const auto& entries = (*source.results).*field;
  return builder_.GetParameters().AddTable(entries.size() * sizeof(Entry),
                                           [results = source.results, field](uint8_t* bytes) {
                                             auto* into = reinterpret_cast<Entry*>(bytes);
                                             for (const auto& entry : (*results).*field)
                                               *into++ = static_cast<Entry>(entry);
                                           });
}

const Node* DictionaryBuilder::Entry(const Source& source) {
  if (!source.code.CanBeNull())
    return source.code.node;
  const Node* last = builder_.Integer(static_cast<Int128>(source.values), Machine::Int32);
  return graph_.Select(source.code.null, last, source.code.node);
}

void DictionaryBuilder::AddStates(const Source& source, const Node* entry, Value& value) {
  const auto& states = source.results->states;
  // The entry of NULL is only looked at where the column has NULLs.
  const auto end = states.end() - (source.code.CanBeNull() ? 0 : 1);
  const bool has_null = std::find(states.begin(), end, State::Null) != end;
  const bool has_error = std::find(states.begin(), end, State::Error) != end;
  if (!has_null && !has_error)
    return;
  const size_t table = AddTable<uint8_t>(source, &plan::DictionaryResults::states);
  const Node* state = graph_.Element(Machine::Int32, table, "uchar", entry);
  const auto is = [&](State wanted) {
    return graph_.Compare("==", state, graph_.Literal(static_cast<int>(wanted), Machine::Int32));
  };
  if (has_null)
    value.null = is(State::Null);
  if (has_error)
    builder_.RaiseFault(is(State::Error), nullptr);
}

Value DictionaryBuilder::BuildBoolean(const Source& source) {
  Value value;
  value.range = value.domain = {0, 1, true};
  size_t first = 0, last = 0;
  if (IsCodeRange(*source.results, first, last)) {
    value.node = graph_.InRange(
        source.code.node, builder_.Integer(static_cast<Int128>(first), Machine::Int32),
        builder_.Integer(static_cast<Int128>(last - first), Machine::Int32));
    value.null = source.code.null;
    return value;
  }
  const Node* entry = Entry(source);
  const size_t table = AddTable<uint8_t>(source, &plan::DictionaryResults::integers);
  value.node = graph_.Element(Machine::Int32, table, "uchar", entry);
  AddStates(source, entry, value);
  return value;
}

Value DictionaryBuilder::BuildValue(const plan::Expression& expression) {
  const plan::Type& type = expression.GetType();
  if (type.IsVarchar())
    throw Unsupported("computing with the string " + expression.ToString());
  const Source source = Evaluate(expression);
  if (type.IsBoolean())
    return BuildBoolean(source);

  const Node* entry = Entry(source);
  Value value;
  if (type.kind == plan::TypeKind::Float64) {
    value.node =
        graph_.Element(Machine::Float64, AddTable<double>(source, &plan::DictionaryResults::reals),
                       "double", entry);
  } else if (type.kind == plan::TypeKind::Float32) {
    value.node = graph_.Element(
        Machine::Float32, AddTable<float>(source, &plan::DictionaryResults::reals), "float", entry);
  } else {
    const auto& integers = source.results->integers;
    bool has_valid = false;
    for (size_t i = 0; i < integers.size(); i++) {
      if (source.results->states[i] != State::Valid)
        continue;
      const Range one = Range::Of(integers[i]);
      value.range = has_valid ? value.range.Union(one) : one;
      has_valid = true;
    }
    // A UInt128's bits are only passed on.
    if (type.kind == plan::TypeKind::UInt128)
      value.range = Range::All();
    value.domain = value.range;
    constexpr auto kIntegers = &plan::DictionaryResults::integers;
    const Machine machine = MachineFor(value.range);
    if (machine == Machine::Int32)
      value.node = graph_.Element(machine, AddTable<int32_t>(source, kIntegers), "int", entry);
    else if (machine == Machine::Int64)
      value.node = graph_.Element(machine, AddTable<int64_t>(source, kIntegers), "long", entry);
    else
      value.node = graph_.Element(machine, AddTable<Int128>(source, kIntegers), "ulong", entry);
  }
  AddStates(source, entry, value);
  return value;
}

DerivedColumn DictionaryBuilder::BuildIdentifier(const plan::Expression& expression) {
  DerivedColumn derived;
  derived.type = expression.GetType();
  if (derived.type.IsFloat())
    throw Unsupported("grouping by " + derived.type.ToString());
  const Source source = Evaluate(expression);
  const auto& states = source.results->states;
  std::vector<uint32_t> identifiers(states.size(), 0);
  // Numbers the different results in their order and returns them.
  const auto number = [&](const auto& results, const auto& is_less) {
    std::remove_cvref_t<decltype(results)> distinct;
    for (size_t i = 0; i < states.size(); i++) {
      if (states[i] == State::Valid)
        distinct.push_back(results[i]);
    }
    std::sort(distinct.begin(), distinct.end(), is_less);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (size_t i = 0; i < states.size(); i++) {
      if (states[i] != State::Valid)
        continue;
      const auto place = std::lower_bound(distinct.begin(), distinct.end(), results[i], is_less);
      identifiers[i] = static_cast<uint32_t>(place - distinct.begin());
    }
    return distinct;
  };
  size_t count = 0;
  if (derived.type.IsVarchar()) {
    const std::vector<std::string> texts = number(source.results->texts, std::less<>());
    derived.texts = std::make_shared<storage::Dictionary>(
        std::vector<std::string_view>(texts.begin(), texts.end()));
    count = texts.size();
  } else {
    // The bit patterns of a UInt128 are stored.
    const bool is_unsigned = derived.type.kind == plan::TypeKind::UInt128;
    derived.integers = number(source.results->integers, [&](Int128 left, Int128 right) {
      return is_unsigned ? static_cast<UInt128>(left) < static_cast<UInt128>(right) : left < right;
    });
    count = derived.integers.size();
  }
  Value& value = derived.identifier;
  value.range = value.domain = {0, static_cast<Int128>(std::max<size_t>(count, 1) - 1), true};
  bool is_identity = !source.code.CanBeNull() || states.back() == State::Null;
  for (size_t i = 0; i < source.values; i++)
    is_identity = is_identity && states[i] == State::Valid && identifiers[i] == i;
  if (is_identity) {
    value.node = source.code.node;
    value.null = source.code.null;
    return derived;
  }
  const Node* entry = Entry(source);
  value.node = graph_.Element(
      Machine::Int32, builder_.GetParameters().AddTable(std::move(identifiers)), "int", entry);
  AddStates(source, entry, value);
  return derived;
}

}  // namespace margay::optimize
