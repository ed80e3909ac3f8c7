#include "integration/functions.hpp"

#include <string>
#include <utility>
#include <vector>

#include "device/device_registry.hpp"
#include "duckdb/function/table_function.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "integration/instance.hpp"
#include "integration/type_conversion.hpp"
#include "integration/version/names.hpp"

namespace margay::integration {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

using Row = duckdb::vector<Value>;
using Rows = std::vector<Row>;

//! A table function without parameters: its columns, and what makes its rows.
struct Listing {
  const char* name;
  std::vector<std::pair<const char*, LogicalType>> columns;
  Rows (*rows)(duckdb::ClientContext& context);
};

//! Gives a table function its listing.
struct ListingInfo : duckdb::TableFunctionInfo {
  explicit ListingInfo(Listing listing) : listing(std::move(listing)) {}
  const Listing listing;
};

struct ListingData : duckdb::TableFunctionData {
  explicit ListingData(const Listing& listing) : listing(listing) {}
  const Listing& listing;
};

struct ListingState : duckdb::GlobalTableFunctionState {
  Rows rows;
  size_t position = 0;
};

duckdb::unique_ptr<duckdb::FunctionData> Bind(duckdb::ClientContext&,
                                              duckdb::TableFunctionBindInput& input,
                                              duckdb::vector<LogicalType>& types,
                                              ColumnNames& names) {
  const auto& listing = static_cast<ListingInfo&>(*input.info).listing;
  for (const auto& [name, type] : listing.columns) {
    names.emplace_back(name);
    types.push_back(type);
  }
  return duckdb::make_uniq<ListingData>(listing);
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> Start(duckdb::ClientContext& context,
                                                           duckdb::TableFunctionInitInput& input) {
  auto state = duckdb::make_uniq<ListingState>();
  state->rows = static_cast<const ListingData&>(*input.bind_data).listing.rows(context);
  return state;
}

void Next(duckdb::ClientContext&, duckdb::TableFunctionInput& input, duckdb::DataChunk& output) {
  auto& state = static_cast<ListingState&>(*input.global_state);
  size_t rows = std::min<size_t>(STANDARD_VECTOR_SIZE, state.rows.size() - state.position);
  for (size_t i = 0; i < rows; i++) {
    const auto& row = state.rows[state.position + i];
    for (size_t column = 0; column < row.size(); column++) {
      output.SetValue(column, i, row[column]);
    }
  }
  state.position += rows;
  output.SetCardinality(rows);
}

Value Text(std::string_view text) {
  return Value(std::string(text));
}

Value TextOrNull(const std::string& text) {
  return text.empty() ? Value(LogicalType::VARCHAR) : Value(text);
}

Rows ListDevices(duckdb::ClientContext&) {
  DevicePools::Load();
  Rows rows;
  for (const auto& info : device::DeviceRegistry::Instance().Devices()) {
    rows.push_back({Value::UBIGINT(info.index), Value(info.name), Value(info.platform),
                    Text(device::KindName(info.kind)), Value(info.vendor), Value(info.version),
                    Value(info.driver_version), Value::UINTEGER(info.compute_units),
                    Value::UBIGINT(info.global_memory), Value::UBIGINT(info.largest_buffer),
                    Value::UBIGINT(info.local_memory), Value::BOOLEAN(info.IsUsable()),
                    TextOrNull(info.problem)});
  }
  return rows;
}

//! A value of the column as DuckDB would print it; integral and floating-point statistics only.
Value Bound(const storage::ColumnImage& column, bool is_min) {
  const auto& statistics = column.Statistics();
  if (!statistics.HasValues() || column.GetEncoding() == storage::Encoding::Text) {
    return Value(LogicalType::VARCHAR);
  }
  if (column.Type().IsFloat()) {
    double value = is_min ? statistics.real_min : statistics.real_max;
    return Value(Value::DOUBLE(value).ToString());
  }
  Int128 value = is_min ? statistics.min : statistics.max;
  if (column.GetDictionary()) {
    return Text(column.GetDictionary()->Value(static_cast<uint32_t>(value)));
  }
  const auto& type = column.Type();
  if (type.kind == plan::TypeKind::UInt128) {
    return Value(LogicalType::VARCHAR);
  }
  auto number = Value::HUGEINT(ToHugeint(value));
  switch (type.kind) {
    case plan::TypeKind::Decimal:
      return Value(Value::DECIMAL(ToHugeint(value), 38, type.scale).ToString());
    case plan::TypeKind::Date:
      return Value(Value::DATE(duckdb::date_t(static_cast<int32_t>(value))).ToString());
    case plan::TypeKind::Timestamp:
      return Value(Value::TIMESTAMP(duckdb::timestamp_t(static_cast<int64_t>(value))).ToString());
    case plan::TypeKind::Boolean:
      return Value(Value::BOOLEAN(value != 0).ToString());
    default:
      return Value(number.ToString());
  }
}

Rows ListCache(duckdb::ClientContext& context) {
  Rows rows;
  for (const auto& column : Instance::Get(context)->images.List()) {
    const auto& image = *column.image;
    rows.push_back(
        {Value(column.database), Value(column.schema), Value(column.table), Value(column.column),
         Value(image.Type().ToString()), Text(storage::EncodingName(image.GetEncoding())),
         Value::UBIGINT(image.Width()), Value::UBIGINT(image.Rows()),
         Value::UBIGINT(image.HeldBytes()), Value(column.device),
         Value::UBIGINT(image.Statistics().null_count), Bound(image, true), Bound(image, false),
         Value::UBIGINT(image.Segments().size()), Value::BOOLEAN(image.Statistics().sorted),
         Text("column"), Value(LogicalType::DOUBLE)});
  }
  for (const auto& item : Instance::Get(context)->images.ListStructures()) {
    const auto& structure = *item.structure;
    const Value no_text(LogicalType::VARCHAR), no_number(LogicalType::UBIGINT);
    rows.push_back({Value(item.database), Value(item.schema), Value(item.table),
                    Value(structure.keys), no_text, Value(structure.form), no_number,
                    Value::UBIGINT(structure.rows), Value::UBIGINT(structure.Bytes()),
                    Value(item.device), no_number, no_text, no_text, no_number,
                    Value(LogicalType::BOOLEAN), Text("join table"),
                    Value::DOUBLE(structure.build_milliseconds)});
  }
  return rows;
}

Rows ListCounters(duckdb::ClientContext& context) {
  Rows rows;
  for (const auto& [name, value] : Instance::Get(context)->counters.List()) {
    rows.push_back({Value(name), Value::UBIGINT(value)});
  }
  return rows;
}

Rows ListKernels(duckdb::ClientContext& context) {
  Rows rows;
  for (const auto& open : Instance::Get(context)->devices.List()) {
    for (const auto& program : open->device->Programs().Snapshot()) {
      rows.push_back({Value(open->device->Info().name), Value(program.origin),
                      Value::DOUBLE(program.build_milliseconds),
                      Value::UBIGINT(program.binary_bytes), Value::UBIGINT(program.memory_bytes),
                      Value::UBIGINT(program.uses), Value(*program.source)});
    }
  }
  return rows;
}

Rows Evict(duckdb::ClientContext& context) {
  auto instance = Instance::Get(context);
  uint64_t bytes = instance->images.Evict();
  for (const auto& open : instance->devices.List()) {
    open->pool->EvictAll();
    bytes += open->device->Programs().Clear();
    open->kernels->Clear();
  }
  instance->builder.ForgetProblems();
  return {{Value::UBIGINT(bytes)}};
}

std::vector<Listing> Listings() {
  const auto& text = LogicalType::VARCHAR;
  const auto& number = LogicalType::UBIGINT;
  const auto& flag = LogicalType::BOOLEAN;
  return {
      {"margay_devices",
       {{"index", number},
        {"name", text},
        {"platform", text},
        {"kind", text},
        {"vendor", text},
        {"version", text},
        {"driver", text},
        {"compute_units", LogicalType::UINTEGER},
        {"memory", number},
        {"largest_buffer", number},
        {"local_memory", number},
        {"usable", flag},
        {"problem", text}},
       ListDevices},
      {"margay_cache",
       {{"database", text},
        {"schema", text},
        {"table", text},
        {"column", text},
        {"type", text},
        {"encoding", text},
        {"width", number},
        {"rows", number},
        {"bytes", number},
        {"device", text},
        {"nulls", number},
        {"min", text},
        {"max", text},
        {"segments", number},
        {"sorted", flag},
        {"kind", text},
        {"build_ms", LogicalType::DOUBLE}},
       ListCache},
      {"margay_counters", {{"name", text}, {"value", number}}, ListCounters},
      {"margay_kernels",
       {{"device", text},
        {"origin", text},
        {"build_ms", LogicalType::DOUBLE},
        {"binary_bytes", number},
        {"bytes", number},
        {"uses", number},
        {"source", text}},
       ListKernels},
      {"margay_evict", {{"bytes_freed", number}}, Evict},
  };
}

}  // namespace

void RegisterFunctions(duckdb::DatabaseInstance& database) {
  duckdb::ExtensionLoader loader(database, "margay");
  for (auto& listing : Listings()) {
    duckdb::TableFunction function(listing.name, {}, Next, Bind, Start);
    function.function_info = duckdb::make_shared_ptr<ListingInfo>(std::move(listing));
    loader.RegisterFunction(std::move(function));
  }
}

}  // namespace margay::integration
