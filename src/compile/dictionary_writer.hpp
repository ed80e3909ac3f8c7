#pragma once

#include <memory>
#include <vector>

#include "compile/expression_writer.hpp"
#include "storage/dictionary.hpp"

namespace margay::compile {

//! A dictionary function's result as dense identifiers: identifier i stands for the i-th distinct
//! result, in order.
struct DerivedColumn {
  Value identifier;
  plan::Type type;
  std::shared_ptr<const storage::Dictionary> texts;  //!< results of type Varchar
  std::vector<Int128> integers;                      //!< results of integral types
};

//! Writes dictionary functions: they have been computed once per distinct string, and a row looks
//! the result up by its code. The entry behind the last code belongs to NULL.
class DictionaryWriter {
 public:
  explicit DictionaryWriter(ExpressionWriter& writer) : writer_(writer) {}

  //! The function's result as a value. Throws Unsupported for results of type Varchar.
  Value WriteValue(const plan::Expression& expression);
  //! The function's result as an identifier; not for floats.
  DerivedColumn WriteIdentifier(const plan::Expression& expression);

 private:
  struct Source {
    Value code;     //!< of the column
    size_t values;  //!< in the dictionary
    const plan::DictionaryResults& results;
  };

  Source Evaluate(const plan::Expression& expression);
  //! The code of the row, or the entry behind the last code where the row is NULL.
  std::string Entry(const Source& source);
  //! Looks states up: sets `value.null`, raises faults.
  void WriteStates(const Source& source, const std::string& entry, Value& value);
  Value WriteBoolean(const Source& source);

  ExpressionWriter& writer_;
};

//! Whether `results`, of type boolean, are true for one run of codes, false for the others, and
//! NULL for NULL; then [first, last) is the run.
bool IsCodeRange(const plan::DictionaryResults& results, size_t& first, size_t& last);

}  // namespace margay::compile
