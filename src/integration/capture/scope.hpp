#pragma once

#include <optional>
#include <string>
#include <vector>

#include "duckdb/common/types.hpp"
#include "duckdb/planner/column_binding.hpp"
#include "duckdb/planner/expression.hpp"
#include "plan/expression.hpp"

namespace margay::integration {

//! Where the values of a VARCHAR column, or of one that DuckDB compressed to an integer, come from:
//! a column of the table, as it is or through an expression.
struct TextOrigin {
  size_t base = 0;  //!< the column of the plan node that holds the table's column unchanged
  //! Over BoundReferenceExpression(0); none for the table's column itself.
  duckdb::shared_ptr<const duckdb::Expression> expression;
};

//! A column of the plan node built so far.
struct CapturedColumn {
  plan::Type type;
  std::string name;  //!< unique within the node
  //! Of VARCHAR columns, unless an outer join made values NULL that their expression would not, and
  //! of compressed ones.
  std::optional<TextOrigin> origin;
};

//! What a binding of the DuckDB operator at the same height means.
struct CapturedBinding {
  duckdb::ColumnBinding binding;
  duckdb::LogicalType type;
  std::optional<size_t> column;  //!< of the node
  std::string reason;            //!< why there is no column
  bool is_row_id = false;        //!< the number of the table's row, which no column has
  //! A string that is the same in all rows, which no column has; null else.
  plan::ExpressionPointer text = nullptr;
};

//! The columns an expression may refer to.
struct CaptureScope {
  std::vector<CapturedColumn> columns;
  std::vector<CapturedBinding> bindings;

  //! What a BoundColumnRefExpression refers to; null for columns from elsewhere.
  const CapturedBinding* Find(const duckdb::Expression& column_reference) const;
};

bool IsColumnReference(const duckdb::Expression& expression);

}  // namespace margay::integration
