#pragma once

#include <memory>
#include <vector>

#include "optimize/value/value_builder.hpp"
#include "storage/dictionary.hpp"

namespace margay::optimize {

//! A dictionary function's result as dense identifiers: identifier i stands for the i-th distinct
//! result, in order.
struct DerivedColumn {
  Value identifier;
  plan::Type type;
  std::shared_ptr<const storage::Dictionary> texts;  //!< results of type Varchar
  std::vector<Int128> integers;                      //!< results of integral types
};

//! Builds dictionary functions: they have been computed once per distinct string, and a row looks
//! the result up by its code. The entry behind the last code belongs to NULL.
class DictionaryBuilder {
 public:
  explicit DictionaryBuilder(ValueBuilder& builder) : builder_(builder), graph_(builder.Graph()) {}

  //! The function's result as a value. Throws Unsupported for results of type Varchar.
  Value BuildValue(const plan::Expression& expression);
  //! The function's result as an identifier; not for floats.
  DerivedColumn BuildIdentifier(const plan::Expression& expression);

 private:
  struct Source {
    Value code;     //!< of the column
    size_t values;  //!< in the dictionary
    std::shared_ptr<const plan::DictionaryResults> results;
  };

  Source Evaluate(const plan::Expression& expression);
  //! The code of the row, or the entry behind the last code where the row is NULL.
  const Node* Entry(const Source& source);
  //! Looks states up: sets `value.null`, raises faults.
  void AddStates(const Source& source, const Node* entry, Value& value);
  Value BuildBoolean(const Source& source);
  //! Adds the table of one field of the results, each as an Entry.
  template <typename Entry, typename Field>
  size_t AddTable(const Source& source, Field field);

  ValueBuilder& builder_;
  NodeGraph& graph_;
};

//! Whether `results`, of type boolean, are true for one run of codes, false for the others, and
//! NULL for NULL; then [first, last) is the run.
bool IsCodeRange(const plan::DictionaryResults& results, size_t& first, size_t& last);

}  // namespace margay::optimize
