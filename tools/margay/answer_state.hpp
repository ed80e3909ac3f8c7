#pragma once

#include "answer.hpp"
#include "duckdb.hpp"

namespace margay::tool {

struct Answer::State {
  duckdb::unique_ptr<duckdb::QueryResult> result;
  //! Of the connection that gave the result.
  duckdb::shared_ptr<duckdb::ClientContext> context;

  duckdb::MaterializedQueryResult& Materialized() const {
    return result->Cast<duckdb::MaterializedQueryResult>();
  }
};

//! Throws the SqlError that says the same as `error`.
[[noreturn]] void ThrowSqlError(const duckdb::ErrorData& error);

}  // namespace margay::tool
