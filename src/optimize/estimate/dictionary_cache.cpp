#include "optimize/estimate/dictionary_cache.hpp"

#include <stdexcept>
#include <string_view>

namespace margay::optimize {

std::shared_ptr<const plan::DictionaryResults> DictionaryCache::Results(
    const plan::Expression& expression) {
  const auto& function = expression.FunctionPointer();
  const size_t column = expression.Operand(0).ColumnIndex();
  const size_t hash = function->Hash();
  const auto [first, end] = results_.equal_range(hash);
  for (auto known = first; known != end; ++known) {
    if (known->second.column == column && known->second.function->Equals(*function))
      return known->second.results;
  }
  const auto& dictionary = *columns_[column].form->GetDictionary();
  std::vector<std::string_view> values(dictionary.Size());
  for (size_t code = 0; code < values.size(); code++)
    values[code] = dictionary.Value(static_cast<uint32_t>(code));
  auto results = std::make_shared<const plan::DictionaryResults>(function->Evaluate(values));
  if (results->states.size() != values.size() + 1) {
    throw std::logic_error("a dictionary function gave a wrong number of results: " +
                           expression.ToString());
  }
  results_.emplace(hash, Known{function, column, results});
  return results;
}

}  // namespace margay::optimize
