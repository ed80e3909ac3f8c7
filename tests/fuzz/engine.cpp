#include "engine.hpp"

#include <map>
#include <stdexcept>

#include "duckdb.hpp"
#include "duckdb/main/appender.hpp"
#include "integration/margay_extension.hpp"
#include "integration/type_conversion.hpp"

namespace margay::fuzz {

namespace {

using duckdb::FlatVector;
using duckdb::PhysicalType;

plan::Type TypeOf(const duckdb::LogicalType& type) {
  const std::optional<plan::Type> known = integration::ToPlanType(type);
  return known && known->kind != plan::TypeKind::UInt128 ? *known : plan::TypeKind::Varchar;
}

template <typename Value>
void StoreInteger(duckdb::Vector& vector, size_t row, Int128 value) {
  FlatVector::GetData<Value>(vector)[row] = static_cast<Value>(value);
}

void Store(duckdb::Vector& vector, size_t row, const Cell& cell) {
  if (cell.is_null) {
    FlatVector::SetNull(vector, row, true);
    return;
  }
  switch (vector.GetType().InternalType()) {
    case PhysicalType::BOOL:
    case PhysicalType::INT8:
      return StoreInteger<int8_t>(vector, row, cell.integer);
    case PhysicalType::INT16:
      return StoreInteger<int16_t>(vector, row, cell.integer);
    case PhysicalType::INT32:
      return StoreInteger<int32_t>(vector, row, cell.integer);
    case PhysicalType::INT64:
      return StoreInteger<int64_t>(vector, row, cell.integer);
    case PhysicalType::UINT8:
      return StoreInteger<uint8_t>(vector, row, cell.integer);
    case PhysicalType::UINT16:
      return StoreInteger<uint16_t>(vector, row, cell.integer);
    case PhysicalType::UINT32:
      return StoreInteger<uint32_t>(vector, row, cell.integer);
    case PhysicalType::UINT64:
      return StoreInteger<uint64_t>(vector, row, cell.integer);
    case PhysicalType::INT128:
      FlatVector::GetData<duckdb::hugeint_t>(vector)[row] = integration::ToHugeint(cell.integer);
      return;
    case PhysicalType::FLOAT:
      FlatVector::GetData<float>(vector)[row] = static_cast<float>(cell.real);
      return;
    case PhysicalType::DOUBLE:
      FlatVector::GetData<double>(vector)[row] = cell.real;
      return;
    case PhysicalType::VARCHAR:
      FlatVector::GetData<duckdb::string_t>(vector)[row] =
          duckdb::StringVector::AddString(vector, cell.text);
      return;
    default:
      throw std::logic_error("Engine: a table has no columns of type " +
                             vector.GetType().ToString());
  }
}

template <typename Value>
void AppendIntegers(duckdb::Vector& vector, size_t row, std::string& bytes) {
  Answer::AppendInteger(bytes, static_cast<Int128>(FlatVector::GetData<Value>(vector)[row]));
}

void Append(duckdb::Vector& vector, const plan::Type& type, size_t row, std::string& bytes) {
  if (FlatVector::IsNull(vector, row)) {
    return Answer::AppendNull(bytes);
  }
  switch (vector.GetType().InternalType()) {
    case PhysicalType::BOOL:
    case PhysicalType::UINT8:
      return AppendIntegers<uint8_t>(vector, row, bytes);
    case PhysicalType::INT8:
      return AppendIntegers<int8_t>(vector, row, bytes);
    case PhysicalType::INT16:
      return AppendIntegers<int16_t>(vector, row, bytes);
    case PhysicalType::INT32:
      return AppendIntegers<int32_t>(vector, row, bytes);
    case PhysicalType::INT64:
      return AppendIntegers<int64_t>(vector, row, bytes);
    case PhysicalType::UINT16:
      return AppendIntegers<uint16_t>(vector, row, bytes);
    case PhysicalType::UINT32:
      return AppendIntegers<uint32_t>(vector, row, bytes);
    case PhysicalType::UINT64:
      return AppendIntegers<uint64_t>(vector, row, bytes);
    case PhysicalType::INT128:
      return Answer::AppendInteger(
          bytes, integration::ToInt128(FlatVector::GetData<duckdb::hugeint_t>(vector)[row]));
    case PhysicalType::FLOAT:
      return Answer::AppendReal(bytes, FlatVector::GetData<float>(vector)[row]);
    case PhysicalType::DOUBLE:
      return Answer::AppendReal(bytes, FlatVector::GetData<double>(vector)[row]);
    default:
      if (!type.IsVarchar()) {
        throw std::logic_error("Engine: unexpected layout of " + type.ToString());
      }
      return Answer::AppendText(bytes, vector.GetValue(row).ToString());
  }
}

//! A broken invariant of DuckDB's or Margay's, or a kernel that a compiler refuses.
bool ShowsBug(const std::string& error) {
  return error.find("INTERNAL Error") != std::string::npos ||
         error.find("a bug in Margay") != std::string::npos ||
         error.find("clBuildProgram failed") != std::string::npos;
}

}  // namespace

struct Engine::State {
  State() : database(nullptr), connection(database), observer(database) {}

  void Append(const Table& table, const Rows& rows);

  duckdb::DuckDB database;
  duckdb::Connection connection;
  duckdb::Connection observer;  //!< reads the counters, whatever the settings of the other one are
};

Engine::Engine() : state_(std::make_unique<State>()) {
  margay::Register(*state_->database.instance);
  // Rows that meet an error first must be the same ones in every run.
  Execute("SET threads = 1");
}

Engine::~Engine() = default;

std::vector<Configuration> Engine::MargayConfigurations(const std::string& device,
                                                        const std::string& only_shape) {
  std::vector<Configuration> configurations;
  for (const std::string shape : {"loop", "lanes"}) {
    if (!only_shape.empty() && shape != only_shape) {
      continue;
    }
    Configuration configuration;
    configuration.name = shape;
    configuration.uses_device = true;
    configuration.settings = {"SET margay_mode = 'force'", "SET margay_shape = '" + shape + "'"};
    if (!device.empty()) {
      configuration.settings.push_back("SET margay_device = '" + device + "'");
    }
    configurations.push_back(configuration);
  }
  return configurations;
}

std::vector<Configuration> Engine::SelfCheckConfigurations() {
  Configuration configuration;
  configuration.name = "unoptimized";
  configuration.same_errors = false;
  configuration.settings = {"SET margay_mode = 'off'", "PRAGMA disable_optimizer"};
  return {configuration};
}

Configuration Engine::Reference() {
  Configuration configuration;
  configuration.name = "off";
  configuration.settings = {"SET margay_mode = 'off'", "PRAGMA enable_optimizer"};
  return configuration;
}

void Engine::Execute(const std::string& statement) {
  const auto result = state_->connection.Query(statement);
  if (result->HasError()) {
    throw std::runtime_error(statement + ": " + result->GetError());
  }
}

void Engine::Use(const Configuration& configuration) {
  for (const std::string& statement : configuration.settings) {
    Execute(statement);
  }
}

Answer Engine::Run(const std::string& query) {
  Answer answer;
  const auto result = state_->connection.Query(query);
  if (result->HasError()) {
    answer.error = result->GetError();
    answer.shows_bug = ShowsBug(*answer.error);
    answer.refused =
        !answer.shows_bug && result->GetErrorObject().RawMessage().rfind("margay", 0) == 0;
    return answer;
  }
  for (const duckdb::LogicalType& type : result->types) {
    answer.types.push_back(TypeOf(type));
  }
  answer.rows.reserve(result->RowCount());
  while (const auto chunk = result->Fetch()) {
    chunk->Flatten();
    for (size_t row = 0; row < chunk->size(); row++) {
      std::string& bytes = answer.rows.emplace_back();
      for (size_t column = 0; column < chunk->ColumnCount(); column++) {
        Append(chunk->data[column], answer.types[column], row, bytes);
      }
    }
  }
  return answer;
}

std::optional<std::vector<plan::Type>> Engine::Bind(const std::string& query) {
  const auto statement = state_->connection.Prepare(query);
  if (statement->HasError()) {
    return std::nullopt;
  }
  std::vector<plan::Type> types;
  for (const duckdb::LogicalType& type : statement->GetTypes()) {
    types.push_back(TypeOf(type));
  }
  return types;
}

void Engine::Create(const std::vector<Table>& tables) {
  const auto present = state_->connection.Query("SELECT table_name FROM duckdb_tables()");
  for (const auto& row : *present) {
    Execute("DROP TABLE " + row.GetValue<std::string>(0));
  }
  for (const Table& table : tables) {
    Execute(table.CreateStatement());
  }
}

void Engine::Fill(const std::vector<Table>& tables, const std::vector<Rows>& rows) {
  for (size_t i = 0; i < tables.size(); i++) {
    Execute("TRUNCATE " + tables[i].name);
    state_->Append(tables[i], rows[i]);
  }
}

void Engine::State::Append(const Table& table, const Rows& rows) {
  duckdb::vector<duckdb::LogicalType> types;
  for (const Column& column : table.columns) {
    types.push_back(integration::ToLogicalType(column.type));
  }
  duckdb::Appender appender(connection, table.name);
  duckdb::DataChunk chunk;
  chunk.Initialize(duckdb::Allocator::DefaultAllocator(), types);
  for (size_t first = 0; first < rows.count; first += STANDARD_VECTOR_SIZE) {
    const size_t count = std::min<size_t>(rows.count - first, STANDARD_VECTOR_SIZE);
    chunk.Reset();
    for (size_t column = 0; column < types.size(); column++) {
      for (size_t row = 0; row < count; row++) {
        Store(chunk.data[column], row, rows.columns[column][first + row]);
      }
    }
    chunk.SetCardinality(count);
    appender.AppendDataChunk(chunk);
  }
  appender.Close();
}

std::string Engine::Explain(const std::string& query) {
  const auto result = state_->connection.Query("EXPLAIN " + query);
  return result->HasError() ? result->GetError() : result->ToString();
}

std::vector<std::string> Engine::DeviceJoins(const std::string& query) {
  // A part lists its operators as "SCAN t, JOIN INNER (SCAN u)".
  const std::string join = ", JOIN ";
  const auto result = state_->connection.Query("EXPLAIN (FORMAT json) " + query);
  const std::string plan = result->HasError() ? "" : result->GetValue(1, 0).ToString();
  std::vector<std::string> kinds;
  for (size_t place = plan.find(join); place != std::string::npos; place = plan.find(join, place)) {
    place += join.size();
    kinds.push_back(plan.substr(place, plan.find(' ', place) - place));
  }
  return kinds;
}

DeviceCounters Engine::ReadCounters() {
  DeviceCounters counters;
  const auto result = state_->observer.Query("SELECT name, value FROM margay_counters()");
  if (result->HasError()) {
    throw std::runtime_error("margay_counters: " + result->GetError());
  }
  const std::map<std::string, uint64_t*> wanted = {
      {"device_executions", &counters.device_executions},
      {"runtime_fallbacks", &counters.runtime_fallbacks},
      {"kernels_compiled", &counters.kernels_compiled}};
  for (const auto& row : *result) {
    const auto counter = wanted.find(row.GetValue<std::string>(0));
    if (counter != wanted.end()) {
      *counter->second = row.GetValue<uint64_t>(1);
    }
  }
  return counters;
}

}  // namespace margay::fuzz
