#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compile/calendar_form.hpp"
#include "compile/code_block.hpp"
#include "compile/dialect.hpp"
#include "compile/dictionary_cache.hpp"
#include "compile/parameters.hpp"
#include "compile/row_reader.hpp"
#include "compile/text_searches.hpp"
#include "compile/value.hpp"
#include "plan/expression.hpp"

namespace margay::compile {

//! What all writers of one kernel share.
struct KernelContext {
  const std::vector<InputColumn>& columns;  //!< of all tables, by number
  DictionaryCache& dictionaries;
  size_t table = 0;                      //!< that is scanned; rows of others come from joins
  std::set<size_t> missing_tables = {};  //!< of which a row may be missing: all of it is NULL
  Parameters parameters = {};
  size_t variables = 0;        //!< declared so far, for unique names
  TextSearches searches = {};  //!< made for whole segments, before their rows
  //! With dictionaries whose strings are read: argument `strings<number>` (storage::PackStrings).
  std::vector<InputColumn> string_columns = {};
  std::set<CalendarForm> calendars = {};  //!< in use
  std::set<std::string> sources = {};     //!< of kernels/ whose functions are in use
  bool can_fault = false;                 //!< an expression was written that may set `fault`
};

//! Writes the code that computes expressions for one row, or a vector of rows, into a block. Equal
//! expressions are computed once. A value out of its type's range sets the variable `fault`, but
//! only where the value counts: it is not NULL and its CASE branch is taken.
class ExpressionWriter {
 public:
  ExpressionWriter(KernelContext& context, const RowReader& reader, CodeBlock& block,
                   const Dialect& dialect = Dialect::Row())
      : context_(context), reader_(reader), block_(block), dialect_(dialect) {}

  const Dialect& GetDialect() const { return dialect_; }

  //! From here on values only count where the flag `condition` is set.
  void Restrict(const std::string& condition) { active_ = condition; }

  //! From here on column n has the value `columns[n]`, whatever the tables hold.
  void GiveColumns(std::vector<Value> columns) { given_columns_ = std::move(columns); }

  //! Writes the code of `expression` and returns its value. Throws Unsupported.
  Value Write(const plan::ExpressionPointer& expression);

  //! A flag: a boolean is true (and not NULL).
  std::string IsTrue(const Value& boolean);

  //! The code of `value` as another machine type that can hold it.
  std::string Convert(const Value& value, Machine machine) const {
    return dialect_.Convert(value, machine);
  }

  //! A new variable with the value of `code`.
  std::string Declare(Machine machine, const std::string& code);

  //! `value`, if it is a FLOAT or DOUBLE, as an integer of its place in DuckDB's order, in which
  //! NaN is the greatest, and the two zeros are one; other values as they are.
  Value AsOrdered(const Value& value);

 private:
  friend class ArithmeticWriter;
  friend class CastWriter;
  friend class DateWriter;
  friend class DictionaryWriter;
  friend class FloatGroupKey;
  friend class InWriter;
  friend class InternedText;
  friend class JoinWriter;
  friend class MathWriter;
  friend class OrderWords;
  friend class TextWriter;

  Value WriteNew(const plan::Expression& expression);
  //! What the expression is known by among those that were written.
  std::string Name(const plan::Expression& expression) const;
  Value WriteColumn(const plan::Expression& expression);
  //! The same, by the reader that fits the column's table.
  Value ReadColumn(const InputColumn& column, const RowReader& reader);
  //! A flag: the row of a joined table is missing; empty: it never is.
  std::string DeclareMissing(size_t table);
  Value WriteRowNumber(const plan::Expression& expression);
  Value WriteConstant(const plan::Expression& expression);
  Value WriteComparison(const plan::Expression& expression);
  //! The result of a comparison whose operands are NULL by these flags (empty: never), and that
  //! `code` computes where neither is.
  Value Compared(plan::Operation operation, const std::string& code, const std::string& a_null,
                 const std::string& b_null);
  Value WriteConjunction(const plan::Expression& expression);
  Value WriteCase(const plan::Expression& expression);
  Value WriteCoalesce(const plan::Expression& expression);

  //! A flag: `a` and `b`, neither NULL, compare as asked.
  std::string CompareCode(plan::Operation operation, const Value& a, const Value& b);
  //! `condition` where given and non-NULL values of two branches of one type become one value.
  Value Choose(const std::string& condition, const Value& yes, const Value& no,
               const plan::Type& type);
  //! A flag: either is; empty if neither can be.
  std::string EitherNull(const std::string& a, const std::string& b);
  //! Sets `fault` where `condition` holds, `null` does not, and the branch at hand is taken.
  void RaiseFault(const std::string& condition, const std::string& null);
  //! Writes an expression that only counts where `condition` holds.
  Value WriteWhere(const std::string& condition, const plan::ExpressionPointer& expression);
  //! `value`, whose range may exceed `bounds`, with a fault (or, with `to_null`, NULL) where it
  //! does.
  Value Bounded(Value value, const Range& bounds, bool to_null = false);
  std::string DeclareFlag(const std::string& code) { return Declare(Machine::Int32, code); }

  KernelContext& context_;
  const RowReader& reader_;
  CodeBlock& block_;
  const Dialect& dialect_;
  std::string active_;                //!< a flag: the branch at hand is taken; empty: always
  std::vector<Value> given_columns_;  //!< empty: they are read
  std::map<std::string, Value> written_;
};

//! Whether computing `expression` may raise an error.
bool CanFault(const plan::ExpressionPointer& expression, KernelContext scratch);

//! A literal of `value` for a machine integer type.
std::string IntegerLiteral(Int128 value, Machine machine);

}  // namespace margay::compile
