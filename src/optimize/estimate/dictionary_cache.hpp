#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "optimize/physical/input_column.hpp"
#include "plan/dictionary_function.hpp"
#include "plan/expression.hpp"

namespace margay::optimize {

//! The results of dictionary functions over some columns, each evaluated once. Not thread-safe.
class DictionaryCache {
 public:
  //! `columns` are those of all tables, by number, and outlive the cache.
  explicit DictionaryCache(const std::vector<InputColumn>& columns) : columns_(columns) {}

  //! The results of a Dictionary expression for every value of its column's dictionary, and NULL.
  std::shared_ptr<const plan::DictionaryResults> Results(const plan::Expression& expression);

 private:
  struct Known {
    std::shared_ptr<const plan::DictionaryFunction> function;
    size_t column = 0;
    std::shared_ptr<const plan::DictionaryResults> results;
  };

  const std::vector<InputColumn>& columns_;
  std::unordered_multimap<size_t, Known> results_;  //!< by the functions' hashes
};

}  // namespace margay::optimize
