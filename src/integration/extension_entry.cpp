#include "duckdb/main/database.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "integration/margay_extension.hpp"

extern "C" {

DUCKDB_CPP_EXTENSION_ENTRY(margay, loader) {
  margay::Register(loader.GetDatabaseInstance());
  loader.SetDescription("Runs queries on GPUs and CPUs through OpenCL");
}
}
