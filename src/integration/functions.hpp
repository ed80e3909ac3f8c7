#pragma once

namespace duckdb {
class DatabaseInstance;
}  // namespace duckdb

namespace margay::integration {

//! Adds Margay's table functions to a database:
//!
//!   margay_devices()    the OpenCL devices of this machine, usable or not
//!   margay_cache()      the encoded columns and the join tables
//!   margay_counters()   what Margay did since it was loaded
//!   margay_kernels()    the compiled kernels of the devices in use
//!   margay_evict()      drops the encoded columns; the bytes that were freed
void RegisterFunctions(duckdb::DatabaseInstance& database);

}  // namespace margay::integration
