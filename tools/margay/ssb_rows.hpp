#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace duckdb {
class DatabaseInstance;
}  // namespace duckdb

namespace margay::tool {

class SsbGenerator;

//! A table of the Star Schema Benchmark.
struct SsbTable {
  std::string name;
  //! Names and SQL types.
  std::vector<std::pair<std::string, std::string>> columns;
  //! What the rows are made from, one by one: orders for lineorder, otherwise rows.
  int64_t (*count_items)(const SsbGenerator& generator);
};

const std::vector<SsbTable>& SsbTables();

//! Adds the table function ssb_rows(table VARCHAR, scale DOUBLE, first BIGINT, last BIGINT) to a
//! database: the rows of the items `first` to `last`, counted from 1. All of DuckDB's threads make
//! rows, and these come in the order of the items all the same.
void RegisterSsbRows(duckdb::DatabaseInstance& database);

}  // namespace margay::tool
