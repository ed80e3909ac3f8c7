#pragma once

#include <map>
#include <vector>

#include "optimize/estimate/dictionary_cache.hpp"
#include "optimize/physical/input_column.hpp"
#include "plan/expression.hpp"

namespace margay::optimize {

//! Tells from exact statistics which segments can hold rows that pass a filter.
class SegmentFilter {
 public:
  //! `columns` are those of the scan, by number.
  SegmentFilter(std::vector<plan::ExpressionPointer> conjuncts, std::vector<InputColumn> columns,
                DictionaryCache& dictionaries);

  //! False only if no row of the segment passes.
  bool MayMatch(size_t segment) const;
  //! Of what it knows about strings.
  uint64_t Bytes() const;

 private:
  bool MayMatch(const plan::Expression& predicate, size_t segment) const;
  bool MayCompare(const plan::Expression& comparison, size_t segment) const;
  bool MayMatchList(const plan::Expression& list, size_t segment) const;
  bool MayMatchDictionary(const plan::Expression& predicate, size_t segment) const;
  void PrepareDictionaries(const plan::Expression& predicate, DictionaryCache& dictionaries);

  std::vector<plan::ExpressionPointer> conjuncts_;
  std::vector<InputColumn> columns_;
  //! Per dictionary predicate among the conjuncts: how many codes below i are true or faulty.
  std::map<const plan::Expression*, std::vector<uint32_t>> matches_below_;
};

}  // namespace margay::optimize
