#pragma once

#include "schedule/settings.hpp"

namespace duckdb {
class ClientContext;
class DatabaseInstance;
}  // namespace duckdb

namespace margay::integration {

using schedule::Mode;
using schedule::Settings;

//! The settings as they are now for a connection. See RegisterSettings for their meaning.
Settings ReadSettings(const duckdb::ClientContext& context);

//! Adds Margay's settings to a database. Their values are checked when they are set.
void RegisterSettings(duckdb::DatabaseInstance& database);

}  // namespace margay::integration
