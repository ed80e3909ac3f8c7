//! Answers as text for other programs: CSV and JSON.

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "answer_state.hpp"

namespace margay::tool {
namespace {

using duckdb::LogicalTypeId;
using duckdb::Value;

//! Calls `consume` with every row, chunk by chunk.
void ForEachRow(duckdb::QueryResult& result,
                const std::function<void(duckdb::DataChunk& chunk, size_t row)>& consume) {
  while (auto chunk = result.Fetch()) {
    for (size_t row = 0; row < chunk->size(); row++) {
      consume(*chunk, row);
    }
  }
  if (result.HasError()) {
    ThrowSqlError(result.GetErrorObject());
  }
}

std::string CsvField(const std::string& text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (char character : text) {
    quoted += character;
    if (character == '"') {
      quoted += character;
    }
  }
  return quoted + "\"";
}

std::string JsonString(const std::string& text) {
  return nlohmann::json(text).dump();
}

std::string JsonValue(const Value& value);

std::string JsonArray(const duckdb::vector<Value>& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); i++) {
    text += (i == 0 ? "" : ",") + JsonValue(values[i]);
  }
  return text + "]";
}

std::string JsonStruct(const Value& value) {
  const auto& fields = duckdb::StructType::GetChildTypes(value.type());
  const auto& values = duckdb::StructValue::GetChildren(value);
  std::string text = "{";
  for (size_t i = 0; i < values.size(); i++) {
    text += (i == 0 ? "" : ",") + JsonString(fields[i].first) + ":" + JsonValue(values[i]);
  }
  return text + "}";
}

//! A map with string keys would fit an object, but other keys would not: always pairs.
std::string JsonMap(const Value& value) {
  std::string text = "[";
  for (const auto& entry : duckdb::MapValue::GetChildren(value)) {
    const auto& pair = duckdb::StructValue::GetChildren(entry);
    text += (text.size() == 1 ? "" : ",") + std::string("{\"key\":") + JsonValue(pair[0]) +
            ",\"value\":" + JsonValue(pair[1]) + "}";
  }
  return text + "]";
}

std::string JsonValue(const Value& value) {
  if (value.IsNull()) {
    return "null";
  }
  switch (value.type().id()) {
    case LogicalTypeId::FLOAT:
    case LogicalTypeId::DOUBLE:
      // JSON has no infinity and no NaN.
      return std::isfinite(value.GetValue<double>()) ? value.ToString()
                                                     : JsonString(value.ToString());
    case LogicalTypeId::STRUCT:
      return JsonStruct(value);
    case LogicalTypeId::LIST:
      return JsonArray(duckdb::ListValue::GetChildren(value));
    case LogicalTypeId::ARRAY:
      return JsonArray(duckdb::ArrayValue::GetChildren(value));
    case LogicalTypeId::MAP:
      return JsonMap(value);
    case LogicalTypeId::BOOLEAN:
      return value.ToString();
    default:
      // Written as DuckDB writes them: integers and decimals with all their digits.
      return value.type().IsNumeric() ? value.ToString() : JsonString(value.ToString());
  }
}

}  // namespace

void Answer::WriteCsv(std::ostream& output) {
  auto& result = *state_->result;
  for (size_t column = 0; column < result.names.size(); column++) {
    output << (column == 0 ? "" : ",") << CsvField(result.names[column]);
  }
  output << '\n';
  ForEachRow(result, [&](duckdb::DataChunk& chunk, size_t row) {
    for (size_t column = 0; column < chunk.ColumnCount(); column++) {
      output << (column == 0 ? "" : ",");
      Value value = chunk.GetValue(column, row);
      if (!value.IsNull()) {
        output << CsvField(value.ToString());
      }
    }
    output << '\n';
  });
}

void Answer::WriteJson(std::ostream& output) {
  auto& result = *state_->result;
  bool is_first = true;
  output << '[';
  ForEachRow(result, [&](duckdb::DataChunk& chunk, size_t row) {
    output << (is_first ? "\n" : ",\n") << '{';
    is_first = false;
    for (size_t column = 0; column < chunk.ColumnCount(); column++) {
      output << (column == 0 ? "" : ",") << JsonString(result.names[column]) << ':'
             << JsonValue(chunk.GetValue(column, row));
    }
    output << '}';
  });
  output << (is_first ? "]\n" : "\n]\n");
}

}  // namespace margay::tool
