#include "duckdb/margay_extension.hpp"

#include "duckdb/capture.hpp"
#include "duckdb/functions.hpp"
#include "duckdb/instance.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/optimizer/optimizer_extension.hpp"
#include "duckdb/settings.hpp"

namespace margay {
namespace {

void RegisterOptimizer(duckdb::DatabaseInstance& database) {
  duckdb::OptimizerExtension extension;
  extension.optimize_function = integration::CapturePlan;
  duckdb::OptimizerExtension::Register(duckdb::DBConfig::GetConfig(database), extension);
}

}  // namespace

void Register(duckdb::DatabaseInstance& database) {
  if (!integration::Instance::Create(database)) {
    return;
  }
  integration::RegisterSettings(database);
  integration::RegisterFunctions(database);
  RegisterOptimizer(database);
}

}  // namespace margay
