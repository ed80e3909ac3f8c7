#include "compile/dictionary_writer.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "compile/refusal.hpp"

namespace margay::compile {

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

DictionaryWriter::Source DictionaryWriter::Evaluate(const plan::Expression& expression) {
  const plan::DictionaryResults& results = writer_.context_.dictionaries.Results(expression);
  return {writer_.Write(expression.Operands()[0]), results.states.size() - 1, results};
}

std::string DictionaryWriter::Entry(const Source& source) {
  writer_.dialect_.RequireRow();
  if (!source.code.CanBeNull())
    return source.code.code;
  const std::string last =
      writer_.context_.parameters.AddInteger(static_cast<Int128>(source.values), Machine::Int32);
  return writer_.Declare(Machine::Int32,
                         source.code.null + " ? " + last + " : " + source.code.code);
}

void DictionaryWriter::WriteStates(const Source& source, const std::string& entry, Value& value) {
  const auto& states = source.results.states;
  // The entry of NULL is only looked at where the column has NULLs.
  const auto end = states.end() - (source.code.CanBeNull() ? 0 : 1);
  const bool has_null = std::find(states.begin(), end, State::Null) != end;
  const bool has_error = std::find(states.begin(), end, State::Error) != end;
  if (!has_null && !has_error)
    return;
  const std::string offset = writer_.context_.parameters.AddLookup(states.data(), states.size());
  const std::string state =
      writer_.Declare(Machine::Int32, "(lookups + " + offset + ")[" + entry + "]");
  if (has_null)
    value.null = writer_.DeclareFlag("(" + state + " == 1)");
  if (has_error)
    writer_.RaiseFault("(" + state + " == 2)", "");
}

Value DictionaryWriter::WriteBoolean(const Source& source) {
  Value value;
  value.range = value.domain = {0, 1, true};
  size_t first = 0, last = 0;
  auto& parameters = writer_.context_.parameters;
  if (IsCodeRange(source.results, first, last)) {
    const std::string low = parameters.AddInteger(static_cast<Int128>(first), Machine::Int32);
    const std::string count =
        parameters.AddInteger(static_cast<Int128>(last - first), Machine::Int32);
    value.code = writer_.DeclareFlag(
        "(" + writer_.dialect_.Unsigned(source.code.code + " - " + low, Machine::Int32) +
        " < (uint)" + count + ")");
    value.null = source.code.null;
    return value;
  }
  const std::string entry = Entry(source);
  std::vector<uint8_t> table(source.results.integers.begin(), source.results.integers.end());
  const std::string offset = parameters.AddLookup(table.data(), table.size());
  value.code = writer_.DeclareFlag("(lookups + " + offset + ")[" + entry + "]");
  WriteStates(source, entry, value);
  return value;
}

Value DictionaryWriter::WriteValue(const plan::Expression& expression) {
  const plan::Type& type = expression.GetType();
  if (type.IsVarchar())
    throw Unsupported("computing with the string " + expression.ToString());
  const Source source = Evaluate(expression);
  if (type.IsBoolean())
    return WriteBoolean(source);

  auto& parameters = writer_.context_.parameters;
  const std::string entry = Entry(source);
  Value value;
  std::string element;
  const auto lookup = [&](const auto& table, std::string_view name) {
    const std::string offset =
        parameters.AddLookup(table.data(), table.size() * sizeof(*table.data()));
    return "((__global const " + std::string(name) + "*)(lookups + " + offset + "))";
  };
  if (type.kind == plan::TypeKind::Float64) {
    value.machine = Machine::Float64;
    element = lookup(source.results.reals, "double") + "[" + entry + "]";
  } else if (type.kind == plan::TypeKind::Float32) {
    value.machine = Machine::Float32;
    const std::vector<float> table(source.results.reals.begin(), source.results.reals.end());
    element = lookup(table, "float") + "[" + entry + "]";
  } else {
    const auto& integers = source.results.integers;
    bool has_valid = false;
    for (size_t i = 0; i < integers.size(); i++) {
      if (source.results.states[i] != State::Valid)
        continue;
      const Range one = Range::Of(integers[i]);
      value.range = has_valid ? value.range.Union(one) : one;
      has_valid = true;
    }
    // A UInt128's bits are only passed on.
    if (type.kind == plan::TypeKind::UInt128)
      value.range = Range::All();
    value.domain = value.range;
    value.machine = MachineFor(value.range);
    if (value.machine == Machine::Int32) {
      element =
          lookup(std::vector<int32_t>(integers.begin(), integers.end()), "int") + "[" + entry + "]";
    } else if (value.machine == Machine::Int64) {
      element = lookup(std::vector<int64_t>(integers.begin(), integers.end()), "long") + "[" +
                entry + "]";
    } else {
      const std::string table = lookup(integers, "ulong");
      element =
          "wide_make(" + table + "[2 * " + entry + "], (long)" + table + "[2 * " + entry + " + 1])";
    }
  }
  value.code = writer_.Declare(value.machine, element);
  WriteStates(source, entry, value);
  return value;
}

DerivedColumn DictionaryWriter::WriteIdentifier(const plan::Expression& expression) {
  DerivedColumn derived;
  derived.type = expression.GetType();
  if (derived.type.IsFloat())
    throw Unsupported("grouping by " + derived.type.ToString());
  const Source source = Evaluate(expression);
  const auto& states = source.results.states;
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
    const std::vector<std::string> texts = number(source.results.texts, std::less<>());
    derived.texts = std::make_shared<storage::Dictionary>(
        std::vector<std::string_view>(texts.begin(), texts.end()));
    count = texts.size();
  } else {
    // The bit patterns of a UInt128 are stored.
    const bool is_unsigned = derived.type.kind == plan::TypeKind::UInt128;
    derived.integers = number(source.results.integers, [&](Int128 left, Int128 right) {
      return is_unsigned ? static_cast<UInt128>(left) < static_cast<UInt128>(right) : left < right;
    });
    count = derived.integers.size();
  }
  Value& value = derived.identifier;
  value.range = value.domain = {0, static_cast<Int128>(std::max<size_t>(count, 1) - 1), true};
  bool is_identity = !source.code.CanBeNull() || states.back() == State::Null;
  for (size_t i = 0; i < source.values; i++) {
    is_identity = is_identity && states[i] == State::Valid && identifiers[i] == i;
  }
  if (is_identity) {
    value.code = source.code.code;
    value.null = source.code.null;
    return derived;
  }
  const std::string entry = Entry(source);
  const std::string offset = writer_.context_.parameters.AddLookup(
      identifiers.data(), identifiers.size() * sizeof(uint32_t));
  value.code = writer_.Declare(Machine::Int32,
                               "((__global const int*)(lookups + " + offset + "))[" + entry + "]");
  WriteStates(source, entry, value);
  return derived;
}

}  // namespace margay::compile
