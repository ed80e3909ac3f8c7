#pragma once

#include <optional>
#include <string>
#include <vector>

#include "integration/capture/text_origins.hpp"
#include "integration/version/expressions.hpp"

namespace margay::integration {

//! An expression of the plan, or why there is none.
struct CapturedExpression {
  plan::ExpressionPointer expression;
  std::string reason;

  static CapturedExpression Refuse(std::string reason) { return {nullptr, std::move(reason)}; }
  explicit operator bool() const { return expression != nullptr; }
};

//! A comparison of captured operands; they must be of one type that the device compares.
CapturedExpression CaptureComparison(duckdb::ExpressionType comparison,
                                     const plan::ExpressionPointer& left,
                                     const plan::ExpressionPointer& right);

//! Translates DuckDB's bound expressions over the columns of `scope`.
//!
//! A subtree over one VARCHAR column and constants becomes a dictionary function, the largest such
//! subtree: LIKE, IN, substring, comparisons and casts of strings need nothing else. Whether the
//! column has a dictionary is not known yet, so that it also gets an expression that computes the
//! same from the string of a row, where the plan has the operations for that. Everything
//! else is translated operator by operator, with the types that DuckDB's binder chose. All
//! arithmetic that DuckDB checks for overflow is checked against the result type's range on the
//! device too; see expression.cpp for where DuckDB's own check is narrower or wider.
class ExpressionCapture {
 public:
  ExpressionCapture(duckdb::ClientContext& context, const CaptureScope& scope)
      : ExpressionCapture(context, scope, std::nullopt) {}

  CapturedExpression Capture(const duckdb::Expression& expression) const;

 private:
  ExpressionCapture(duckdb::ClientContext& context, const CaptureScope& scope,
                    std::optional<size_t> text)
      : context_(context), scope_(scope), origins_(scope), text_(text) {}

  //! Why an expression over VARCHARs is no dictionary function.
  CapturedExpression RefuseText(const std::string& what,
                                const duckdb::Expression& expression) const;

  //! Appends what `children` are to `operands`, or returns why one of them can't be captured.
  std::optional<CapturedExpression> CaptureOperands(
      const Expressions& children, std::vector<plan::ExpressionPointer>& operands) const;

  CapturedExpression Column(const duckdb::Expression& expression) const;
  CapturedExpression Constant(const duckdb::Expression& expression) const;
  CapturedExpression Comparison(const duckdb::Expression& expression) const;
  CapturedExpression Between(const duckdb::Expression& expression) const;
  CapturedExpression Conjunction(const duckdb::Expression& expression) const;
  CapturedExpression Operator(const duckdb::Expression& expression) const;
  CapturedExpression Case(const duckdb::Expression& expression) const;
  CapturedExpression Cast(const duckdb::Expression& expression) const;
  CapturedExpression Function(const duckdb::Expression& expression) const;
  //! A function of a string, if `expression` is one that the plan has.
  CapturedExpression TextFunction(const duckdb::Expression& expression) const;
  //! A function that gives a slice of a string; none if it is another function. See
  //! slice_functions.cpp.
  std::optional<CapturedExpression> SliceFunction(const duckdb::Expression& expression) const;
  CapturedExpression Arithmetic(plan::Operation operation,
                                const duckdb::Expression& expression) const;
  CapturedExpression Compress(const duckdb::Expression& expression) const;
  CapturedExpression Decompress(const duckdb::Expression& expression) const;
  CapturedExpression ConstantOrNull(const duckdb::Expression& expression) const;
  //! A function of numbers; none if it is another function. See math_functions.cpp.
  std::optional<CapturedExpression> MathFunction(const duckdb::Expression& expression) const;
  CapturedExpression Extreme(plan::Operation operation, const duckdb::Expression& expression) const;
  //! A function of a date or a timestamp; none if it is another function. See date_functions.cpp.
  std::optional<CapturedExpression> DateFunction(const duckdb::Expression& expression) const;
  std::optional<CapturedExpression> DateTruncation(const duckdb::Expression& expression) const;
  std::optional<CapturedExpression> IntervalArithmetic(const duckdb::Expression& expression) const;

  duckdb::ClientContext& context_;
  const CaptureScope& scope_;
  const TextOrigins origins_;
  //! The VARCHAR column of a table whose strings are computed with row by row, without dictionary
  //! functions.
  const std::optional<size_t> text_;
};

}  // namespace margay::integration
