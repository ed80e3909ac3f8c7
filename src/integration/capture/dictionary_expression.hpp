#pragma once

#include <string>

#include "duckdb/common/shared_ptr.hpp"
#include "duckdb/planner/expression.hpp"
#include "plan/dictionary_function.hpp"

namespace margay::integration {

//! A bound DuckDB expression over one VARCHAR column, evaluated by DuckDB itself.
class DictionaryExpression : public plan::DictionaryFunction {
 public:
  //! `expression` has BoundReferenceExpression(0) in the place of the column, and a type that
  //! ToPlanType knows. The context must be alive whenever the function is evaluated: parts live in
  //! the physical plans of their own connection, so that it is.
  DictionaryExpression(duckdb::ClientContext& context,
                       duckdb::unique_ptr<duckdb::Expression> expression);

  plan::Type ResultType() const override { return type_; }
  bool IsIncreasing() const override;
  bool DependsOnTextAlone() const override;
  //! Runs the expression vector by vector. Where a vector fails it runs value by value, so that
  //! only the values at fault are marked.
  plan::DictionaryResults Evaluate(std::span<const std::string_view> values) const override;
  std::string ToString(const std::string& argument) const override;
  //! As DuckDB compares its expressions.
  bool Equals(const plan::DictionaryFunction& other) const override;
  size_t Hash() const override;

 private:
  duckdb::weak_ptr<duckdb::ClientContext> context_;
  duckdb::unique_ptr<const duckdb::Expression> expression_;
  plan::Type type_;
};

}  // namespace margay::integration
