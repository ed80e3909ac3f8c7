#include "version.hpp"

#include "duckdb.h"

#ifndef MARGAY_VERSION
#define MARGAY_VERSION "development"
#endif

namespace margay::tool {

std::string MargayVersion() {
  return MARGAY_VERSION;
}

std::string DuckDbVersion() {
  return duckdb_library_version();
}

std::string VersionText() {
  return "margay " + MargayVersion() + " (DuckDB " + DuckDbVersion() + ")";
}

}  // namespace margay::tool
