#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "answer_state.hpp"
#include "duckdb/common/box_renderer.hpp"

namespace margay::tool {
namespace {

//! Sums of floating-point values depend on their order, in DuckDB as here.
constexpr double kRelativeTolerance = 1e-9;

//! Without a terminal nothing is cut to fit one.
constexpr duckdb::idx_t kUnlimitedWidth = 1 << 20;

bool IsFloatingPoint(const duckdb::LogicalType& type) {
  return type.id() == duckdb::LogicalTypeId::DOUBLE || type.id() == duckdb::LogicalTypeId::FLOAT;
}

bool AreEqual(const duckdb::Value& left, const duckdb::Value& right) {
  if (!left.IsNull() && !right.IsNull() && IsFloatingPoint(left.type())) {
    double a = left.GetValue<double>();
    double b = right.GetValue<double>();
    if (std::isfinite(a) && std::isfinite(b)) {
      return std::abs(a - b) <= kRelativeTolerance * std::max(std::abs(a), std::abs(b));
    }
  }
  return duckdb::Value::NotDistinctFrom(left, right);
}

}  // namespace

Answer::Answer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Answer::~Answer() = default;
Answer::Answer(Answer&&) noexcept = default;
Answer& Answer::operator=(Answer&&) noexcept = default;

bool Answer::HasRows() const {
  return state_->result->properties.return_type == duckdb::StatementReturnType::QUERY_RESULT;
}

size_t Answer::RowCount() const {
  return state_->Materialized().RowCount();
}

std::string Answer::Text(size_t row, size_t column) const {
  return state_->Materialized().GetValue(column, row).ToString();
}

std::string Answer::Difference(const Answer& other) const {
  auto& left = state_->Materialized();
  auto& right = other.state_->Materialized();
  if (left.names != right.names) {
    return "the names of the columns differ";
  }
  if (left.types != right.types) {
    return "the types of the columns differ";
  }
  if (left.RowCount() != right.RowCount()) {
    return std::to_string(left.RowCount()) + " rows against " + std::to_string(right.RowCount());
  }
  auto left_rows = left.Collection().GetRows();
  auto right_rows = right.Collection().GetRows();
  for (size_t row = 0; row < left.RowCount(); row++) {
    for (size_t column = 0; column < left.ColumnCount(); column++) {
      duckdb::Value a = left_rows.GetValue(column, row);
      duckdb::Value b = right_rows.GetValue(column, row);
      if (!AreEqual(a, b)) {
        return "row " + std::to_string(row + 1) + ", " + left.names[column] + ": " + a.ToString() +
               " against " + b.ToString();
      }
    }
  }
  return "";
}

void Answer::WriteBox(std::ostream& output, size_t largest_rows) const {
  auto& result = state_->Materialized();
  if (result.statement_type == duckdb::StatementType::EXPLAIN_STATEMENT) {
    for (size_t row = 0; row < result.RowCount(); row++) {
      output << result.GetValue(1, row).ToString() << '\n';
    }
    return;
  }
  duckdb::BoxRendererConfig config;
  config.max_rows = largest_rows;
  if (isatty(STDOUT_FILENO) == 0) {
    config.max_width = kUnlimitedWidth;
  }
  output << result.ToBox(*state_->context, config);
}

}  // namespace margay::tool
