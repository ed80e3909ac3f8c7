#pragma once

#include <string>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry.hpp"
#include "duckdb/common/vector.hpp"
#include "duckdb/parser/column_definition.hpp"

namespace margay::integration {

//! Names that a table function gives its columns. Texts in some versions of DuckDB, and a type of
//! their own in others, which ignores case.
using ColumnNames = duckdb::vector<std::string>;

//! The name of a table or schema.
inline const std::string& NameOf(const duckdb::CatalogEntry& entry) {
  return entry.name;
}

//! The name under which a database is attached.
inline const std::string& NameOf(const duckdb::Catalog& catalog) {
  return catalog.GetName();
}

//! The name of a column.
inline const std::string& NameOf(const duckdb::ColumnDefinition& column) {
  return column.Name();
}

}  // namespace margay::integration
