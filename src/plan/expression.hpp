#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plan/date_part.hpp"
#include "plan/dictionary_function.hpp"
#include "plan/type.hpp"

namespace margay::plan {

enum class Operation : uint8_t {
  Column,    //!< column number `column` of the input
  Constant,  //!< `constant`

  // Arithmetic. Operands and result have one type, except for Multiply of decimals, whose scales
  // add up, Add and Subtract of decimals, which share only the scale, Date plus or minus an
  // INTEGER number of days, and Timestamp plus a BIGINT number of microseconds. Out of the result
  // type's range is an error of the query.
  Add,
  Subtract,
  Multiply,
  Divide,         //!< Float64 or Float32; a divisor of zero is a fault, left to the front-end
  IntegerDivide,  //!< integers, towards zero; a divisor of zero gives NULL
  Modulo,         //!< integers, sign of the dividend; a divisor of zero gives NULL
  Negate,
  Absolute,  //!< numbers; the lowest signed integer is an error

  Sign,  //!< -1, 0 or 1 as Int8; that of NaN is 0
  // Rounding. Floats to integral floats; Round and Truncate take the number of digits after the
  // point as a second operand, an Int32 constant. But for Round: decimals to fewer digits.
  Round,  //!< half away from zero
  Floor,
  Ceiling,
  Truncate,
  // Of one or more operands of one type, the first of equal ones; NULLs don't count. In the order
  // of comparisons.
  Greatest,
  Least,

  // Comparison of two operands of one type; NULL if an operand is NULL. Floats in total order: NaN
  // equals NaN and is larger than everything else.
  Equal,
  NotEqual,
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual,
  // Comparison where NULL is a value like any other; never NULL.
  DistinctFrom,
  NotDistinctFrom,

  And,  //!< two or more operands, three-valued logic
  Or,
  Not,
  IsNull,
  IsNotNull,

  Case,      //!< when, then, [when, then, ...] else
  Coalesce,  //!< first operand that is not NULL
  In,        //!< operand 0 equals one of operands 1..n; three-valued logic
  Cast,      //!< operand 0 to `type` with DuckDB's rounding; out of range is an error
  TryCast,   //!< as Cast, but out of range gives NULL
  Compress,  //!< as Cast, of an integer to a narrower type that the front-end knows it to fit

  // Functions of a Varchar; NULL if it is NULL. Where there is an operand 1, it is a Varchar
  // constant.
  Like,        //!< operand 1 is a pattern: `%` any text, `_` one character, no escapes
  Prefix,      //!< begins with operand 1
  Suffix,      //!< ends with operand 1
  Contains,    //!< holds operand 1
  Length,      //!< characters, as BIGINT
  ByteLength,  //!< bytes of UTF-8, as BIGINT
  TextHash,    //!< a BIGINT that equal strings have in common
  // Slices, as Varchar: bytes of operand 0 that follow each other there.
  //! The characters from place operand 1 on, before place operand 2; both are Int64 constants.
  //! A place counts characters from the begin, or where it is negative from the end; outside of the
  //! string it stands for the nearer end.
  Slice,
  TrimBegin,  //!< without the characters at its begin that operand 1, a Varchar constant, holds
  TrimEnd,    //!< the same at its end

  //! `part` of operand 0, a Date or a Timestamp, as Int64; NULL for infinite ones
  DatePart,
  //! operand 0, a Date or a Timestamp, at the begin of its `part`; infinite ones are a fault
  DateTrunc,
  //! operand 0, a Date or a Timestamp, as many months later as operand 1, an Int32, says: the same
  //! day of the month, or its last one if it is shorter. What is no Timestamp is a fault.
  AddMonths,

  //! `function` of operand 0, a Varchar Column; see DictionaryFunction. Operand 1, if there is one,
  //! computes the same from the string itself, for columns without a dictionary.
  Dictionary,

  //! The number, from 0 on, of the row at hand of the table, groups or union that the columns of
  //! operand 0 are of, as Int64: the same wherever a plan reads that table. NULL where a join has
  //! found no row.
  RowNumber,

  Fault,  //!< no value: a fault wherever it is computed, left to the front-end
};

//! A constant of any type.
struct Constant {
  bool is_null = false;
  Int128 integer = 0;  //!< integral types
  double real = 0;     //!< Float32 and Float64
  std::string text;    //!< Varchar
};

class Expression;
using ExpressionPointer = std::shared_ptr<const Expression>;

//! A typed, immutable expression over the columns of a relational node's input.
class Expression {
 public:
  static ExpressionPointer Column(size_t column, Type type, std::string name);
  static ExpressionPointer MakeConstant(Constant constant, Type type);
  static ExpressionPointer Integer(Int128 value, Type type);
  static ExpressionPointer Null(Type type);
  static ExpressionPointer Make(Operation operation, Type type,
                                std::vector<ExpressionPointer> operands);
  //! `by_row` is operand 1, or null.
  static ExpressionPointer Dictionary(std::shared_ptr<const DictionaryFunction> function,
                                      ExpressionPointer argument,
                                      ExpressionPointer by_row = nullptr);
  //! A DatePart or a DateTrunc.
  static ExpressionPointer PartOf(Operation operation, DatePart part, Type type,
                                  ExpressionPointer operand);

  Operation GetOperation() const { return operation_; }
  const Type& GetType() const { return type_; }
  const std::vector<ExpressionPointer>& Operands() const { return operands_; }
  const Expression& Operand(size_t i) const { return *operands_[i]; }

  size_t ColumnIndex() const { return column_; }
  const std::string& ColumnName() const { return name_; }
  const Constant& GetConstant() const { return constant_; }
  DatePart Part() const { return part_; }
  const DictionaryFunction& Function() const { return *function_; }
  const std::shared_ptr<const DictionaryFunction>& FunctionPointer() const { return function_; }

  //! The text form that tests and EXPLAIN show, e.g. `(l_quantity < 24.00)`. Equal expressions over
  //! one input have equal text. The reverse holds up to types that the text leaves out, those of
  //! constants above all; SameExpression compares them too.
  std::string ToString() const;

 private:
  Expression(Operation operation, Type type) : operation_(operation), type_(type) {}

  Operation operation_;
  Type type_;
  std::vector<ExpressionPointer> operands_;
  size_t column_ = 0;
  std::string name_;
  Constant constant_;
  DatePart part_ = DatePart::Year;
  std::shared_ptr<const DictionaryFunction> function_;
};

//! Whether both compute the same value in the same types over one input. Names of columns don't
//! count.
bool SameExpression(const Expression& left, const Expression& right);
//! Equal for expressions that are the same.
size_t HashOf(const Expression& expression);

//! `expression` with every Column replaced by the expression of that number in `replacements`.
ExpressionPointer Substitute(const ExpressionPointer& expression,
                             const std::vector<ExpressionPointer>& replacements);

//! `expression` with other operands.
ExpressionPointer WithOperands(const Expression& expression,
                               std::vector<ExpressionPointer> operands);

//! Appends the conjuncts of `expression` (itself, if it is no And) to `conjuncts`.
void SplitConjunction(const ExpressionPointer& expression,
                      std::vector<ExpressionPointer>& conjuncts);

//! What all of `conjuncts` make; null where there are none.
ExpressionPointer Conjunction(std::vector<ExpressionPointer> conjuncts);

//! The numbers of the columns that `expression` reads are passed to `visit`.
template <typename Visit>
void VisitColumns(const Expression& expression, const Visit& visit) {
  if (expression.GetOperation() == Operation::Column) {
    visit(expression.ColumnIndex());
  }
  for (const ExpressionPointer& operand : expression.Operands()) {
    VisitColumns(*operand, visit);
  }
}

//! Whether the operation gives a slice of a Varchar.
bool IsSlice(Operation operation);

//! The name of an operation as tests and EXPLAIN show it: `+`, `=`, `AND`, `CASE`, ...
std::string_view OperationName(Operation operation);

}  // namespace margay::plan
