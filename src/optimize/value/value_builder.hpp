#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "optimize/estimate/dictionary_cache.hpp"
#include "optimize/physical/input_column.hpp"
#include "optimize/value/parameters.hpp"
#include "optimize/value/value.hpp"
#include "plan/expression.hpp"

namespace margay::optimize {

//! What the expressions of a pipeline are over.
struct ValueContext {
  const std::vector<InputColumn>& columns;  //!< of all tables, by number
  DictionaryCache& dictionaries;
  size_t table = 0;                      //!< that is scanned; rows of others come from joins
  std::set<size_t> missing_tables = {};  //!< of which a row may be missing: all of it is NULL
};

//! Turns expressions into what computes them, and finds out what can be known about their values:
//! ranges, NULLs, errors. Writes no code. Equal expressions become one value.
//!
//! Not thread-safe. `context`, `graph` and `parameters` outlive the builder.
class ValueBuilder {
 public:
  ValueBuilder(const ValueContext& context, NodeGraph& graph, Parameters& parameters)
      : context_(context), graph_(graph), parameters_(parameters) {}

  //! From here on column `number` has this value, whatever tables hold. Not once it was built.
  void GiveColumn(size_t number, Value value) { given_columns_[number] = std::move(value); }

  //! The value of `expression`. Throws Unsupported.
  Value Build(const plan::ExpressionPointer& expression);
  //! What `build` makes, with all errors that it raises.
  Value Collect(const std::function<Value()>& build);

  //! The string of a VARCHAR that is a text column, a slice of one, a constant, or has a
  //! dictionary, and whether it is NULL. Throws Unsupported.
  Value Text(const plan::ExpressionPointer& expression);
  //! The string of a text column, as sliced.
  const Node* TextOf(const InputColumn& column);

  //! A flag: a boolean is true (and not NULL).
  const Node* IsTrue(const Value& boolean);
  //! `value` as an integer of another machine type that can hold it, or cut to it.
  const Node* Convert(const Value& value, Machine machine) {
    return graph_.Convert(value.node, machine);
  }
  //! `value`, if it is a FLOAT or DOUBLE, as an integer of its place in DuckDB's order, in which
  //! NaN is the greatest, and the two zeros are one; other values as they are.
  Value AsOrdered(const Value& value);

  // For the builders of single operations.

  const ValueContext& Context() const { return context_; }
  NodeGraph& Graph() { return graph_; }
  Parameters& GetParameters() { return parameters_; }

  //! A parameter of the kernel.
  const Node* Integer(Int128 value, Machine machine) {
    return graph_.Parameter(parameters_.AddInteger(value, machine), machine);
  }
  const Node* Real(double value, Machine machine) {
    return graph_.Parameter(parameters_.AddReal(value, machine), machine);
  }
  //! A flag: either is set; null if neither can be.
  const Node* Either(const Node* a, const Node* b);
  //! A flag: `a` and `b`, neither NULL, compare as asked; `are_flags` says that they are BOOLEANs.
  const Node* Compare(plan::Operation operation, const Value& a, const Value& b,
                      bool are_flags = false);
  //! A flag: integer node `a` is below `b`, of the same machine.
  const Node* Less(const Node* a, const Node* b);
  //! The result of a comparison whose operands are NULL by these flags (null: never), and that
  //! `is_true` computes where neither is.
  Value Compared(plan::Operation operation, const Node* is_true, const Node* a_null,
                 const Node* b_null);
  //! `yes` where `condition` is set, else `no`, both of `type`.
  Value Choose(const Node* condition, const Value& yes, const Value& no, const plan::Type& type);
  //! Raises an error where `condition` is set, `null` (null: never) is not, and the branch at hand
  //! is taken.
  void RaiseFault(const Node* condition, const Node* null);
  //! `value`, whose range may exceed `bounds`, with an error (or, with `to_null`, NULL) where it
  //! does.
  Value Bounded(Value value, const Range& bounds, bool to_null = false);
  //! A value of a column, wherever its row is.
  Value ColumnValue(const InputColumn& column);
  //! A constant string; where it is NULL, an empty one.
  const Node* TextConstant(const plan::Constant& constant);

 private:
  Value BuildNew(const plan::Expression& expression);
  Value BuildColumn(const plan::Expression& expression);
  Value BuildRowNumber(const plan::Expression& expression);
  Value BuildConstant(const plan::Expression& expression);
  Value BuildComparison(const plan::Expression& expression);
  Value BuildConjunction(const plan::Expression& expression);
  Value BuildCase(const plan::Expression& expression);
  Value BuildCoalesce(const plan::Expression& expression);
  //! A flag: the row of a joined table is missing; null: it never is.
  const Node* IsMissing(size_t table);
  //! Builds an expression that only counts where `condition` is set.
  Value BuildWhere(const Node* condition, const plan::ExpressionPointer& expression);
  //! Notes errors of what is being built, each once.
  void AddFaults(const std::vector<const Node*>& faults);
  //! From here on values only count where `condition` is set, too.
  void Restrict(const Node* condition);

  struct Known {
    const Node* active;
    plan::ExpressionPointer expression;
    Value value;
  };

  const ValueContext& context_;
  NodeGraph& graph_;
  Parameters& parameters_;
  const Node* active_ = nullptr;     //!< a flag: the branch at hand is taken; null: always
  std::vector<const Node*> faults_;  //!< raised by what is being built
  std::unordered_map<size_t, Value> given_columns_;  //!< by number; the others are read
  std::unordered_multimap<size_t, Known> known_;     //!< by hash of the expression
  std::unordered_multimap<size_t, Known> known_texts_;
  std::vector<std::pair<InputColumn, const Node*>> known_slices_;
};

//! Bounds of the values of a column of integers or codes.
Range RangeOf(const storage::ColumnForm& form);

//! The machine type of the values of a column that is no text.
Machine MachineOf(const storage::ColumnForm& form);

//! Whether computing `expression`, over `context`, may raise an error. Throws Unsupported.
bool CanFault(const plan::ExpressionPointer& expression, const ValueContext& context);

}  // namespace margay::optimize
