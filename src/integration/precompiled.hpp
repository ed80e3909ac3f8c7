//! Precompiled for every file of src/integration/: DuckDB's headers cost seconds per file
//! otherwise.
#pragma once

#include "duckdb.hpp"
