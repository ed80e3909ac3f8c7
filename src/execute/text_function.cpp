#include "execute/text_function.hpp"

#include <cstring>

#include "execute/part.hpp"

namespace margay::execute {

std::vector<std::byte> ResultsOf(const plan::DictionaryFunction& function, const plan::Type& type,
                                 std::span<const std::string_view> texts,
                                 std::vector<std::byte>& validity,
                                 plan::DictionaryResults& results) {
  using State = plan::DictionaryResults::State;
  results = function.Evaluate(texts);
  const auto bytes =
      type.IsVarchar() ? sizeof(std::string_view) : static_cast<size_t>(type.PhysicalBytes());
  std::vector<std::byte> values(texts.size() * bytes);
  validity.resize(texts.size(), std::byte{1});
  for (size_t i = 0; i < texts.size(); i++) {
    const size_t entry = validity[i] == std::byte{0} ? texts.size() : i;
    validity[i] = std::byte{results.states[entry] != State::Null};
    if (results.states[entry] == State::Error)
      throw ArithmeticFault("a function of strings failed; DuckDB runs this part again");
    if (results.states[entry] == State::Null)
      continue;
    if (type.IsVarchar()) {
      const std::string_view text = results.texts[entry];
      std::memcpy(values.data() + i * bytes, &text, bytes);
    } else if (type.IsFloat()) {
      const auto single = static_cast<float>(results.reals[entry]);
      const void* real = &results.reals[entry];
      std::memcpy(values.data() + i * bytes, bytes == sizeof(float) ? &single : real, bytes);
    } else {
      // Little-endian: the low bytes are the value in any narrower type.
      std::memcpy(values.data() + i * bytes, &results.integers[entry], bytes);
    }
  }
  return values;
}

}  // namespace margay::execute
