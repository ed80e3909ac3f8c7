#pragma once

#include <optional>
#include <vector>

#include "optimize/estimate/dictionary_cache.hpp"
#include "optimize/physical/input_column.hpp"
#include "plan/expression.hpp"

namespace margay::optimize {

//! Estimates from statistics which share of its rows a filter keeps, between 0 and 1. Values count
//! as spread evenly, and filters of different columns as independent of each other. Only costs may
//! depend on it.
class Selectivity {
 public:
  //! `columns` by number. Both outlive this object.
  Selectivity(const std::vector<InputColumn>& columns, DictionaryCache& dictionaries)
      : columns_(columns), dictionaries_(dictionaries) {}

  double Of(const plan::Expression& predicate) const;
  double Of(const std::vector<plan::ExpressionPointer>& conjuncts) const;

  //! How many different values `column`, a Column, has: none where statistics don't tell.
  std::optional<double> DifferentValues(const plan::Expression& column) const;

 private:
  double OfComparison(const plan::Expression& comparison) const;
  double OfDictionary(const plan::Expression& predicate) const;
  //! The share of rows with one certain value of `expression`.
  double OfOneValue(const plan::Expression& expression) const;

  const std::vector<InputColumn>& columns_;
  DictionaryCache& dictionaries_;
};

}  // namespace margay::optimize
