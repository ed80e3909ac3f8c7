#include "compile/dictionary_cache.hpp"

#include <stdexcept>

namespace margay::compile {

const plan::DictionaryResults& DictionaryCache::Results(const plan::Expression& expression) {
  const std::string key = expression.GetType().ToString() + "|" + expression.ToString();
  if (auto found = results_.find(key); found != results_.end())
    return found->second;
  const auto& dictionary = *columns_[expression.Operand(0).ColumnIndex()].form->GetDictionary();
  std::vector<std::string_view> values(dictionary.Size());
  for (size_t code = 0; code < values.size(); code++) {
    values[code] = dictionary.Value(static_cast<uint32_t>(code));
  }
  plan::DictionaryResults results = expression.Function().Evaluate(values);
  if (results.states.size() != values.size() + 1) {
    throw std::logic_error("a dictionary function gave a wrong number of results: " +
                           expression.ToString());
  }
  return results_.emplace(key, std::move(results)).first->second;
}

}  // namespace margay::compile
