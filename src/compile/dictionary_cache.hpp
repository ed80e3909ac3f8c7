#pragma once

#include <map>
#include <string>

#include "compile/row_reader.hpp"
#include "plan/expression.hpp"

namespace margay::compile {

//! The results of dictionary functions over the columns of one image, each evaluated once.
class DictionaryCache {
 public:
  //! `columns` are those of the scan, by number, and outlive the cache.
  explicit DictionaryCache(const std::vector<InputColumn>& columns) : columns_(columns) {}

  //! The results of a Dictionary expression for every value of its column's dictionary, and NULL.
  const plan::DictionaryResults& Results(const plan::Expression& expression);

 private:
  const std::vector<InputColumn>& columns_;
  std::map<std::string, plan::DictionaryResults> results_;
};

}  // namespace margay::compile
