#include "session.hpp"

#include <utility>

#include "answer_state.hpp"
#include "integration/instance.hpp"
#include "integration/margay_extension.hpp"

namespace margay::tool {

struct Session::State {
  duckdb::unique_ptr<duckdb::DuckDB> database;
  duckdb::unique_ptr<duckdb::Connection> connection;
};

void ThrowSqlError(const duckdb::ErrorData& error) {
  throw SqlError(duckdb::Exception::ExceptionTypeToString(error.Type()), error.Message(),
                 error.RawMessage());
}

namespace {

//! DuckDB reports errors in results where it can, and throws where it can't: both become SqlError.
template <class Function>
auto Translate(Function&& function) -> decltype(function()) {
  try {
    return function();
  } catch (const SqlError&) {
    throw;
  } catch (const std::exception& error) {
    ThrowSqlError(duckdb::ErrorData(error));
  }
}

}  // namespace

Session::Session(const SessionOptions& options) : state_(std::make_unique<State>()) {
  Translate([&] {
    duckdb::DBConfig config;
    if (options.read_only) {
      config.SetOptionByName("access_mode", duckdb::Value("READ_ONLY"));
    }
    if (options.threads > 0) {
      config.SetOptionByName("threads", duckdb::Value::BIGINT(options.threads));
    }
    state_->database = duckdb::make_uniq<duckdb::DuckDB>(
        options.database.empty() ? ":memory:" : options.database, &config);
    Register(*state_->database->instance);
    state_->connection = duckdb::make_uniq<duckdb::Connection>(*state_->database);
  });
  const std::pair<const char*, const std::string&> settings[] = {{"margay_device", options.device},
                                                                 {"margay_shape", options.shape},
                                                                 {"margay_mode", options.mode}};
  for (const auto& [name, value] : settings) {
    if (!value.empty()) {
      Set(name, value);
    }
  }
}

Session::~Session() = default;

Answer Session::Query(const std::string& sql) {
  return Translate([&] {
    auto answer = std::make_unique<Answer::State>();
    answer->result = state_->connection->Query(sql);
    answer->context = state_->connection->context;
    if (answer->result->HasError()) {
      ThrowSqlError(answer->result->GetErrorObject());
    }
    return Answer(std::move(answer));
  });
}

void Session::RunScript(const std::string& sql, Results results,
                        const std::function<void(Answer&)>& consume) {
  Translate([&] {
    for (auto& statement : state_->connection->ExtractStatements(sql)) {
      auto state = std::make_unique<Answer::State>();
      state->context = state_->connection->context;
      if (results == Results::Streamed) {
        state->result = state_->connection->SendQuery(std::move(statement));
      } else {
        state->result = state_->connection->Query(std::move(statement));
      }
      if (state->result->HasError()) {
        duckdb::ErrorData error = state->result->GetErrorObject();
        // DuckDB adds the place by itself only for statements that it gets as text.
        error.AddErrorLocation(sql);
        ThrowSqlError(error);
      }
      Answer answer(std::move(state));
      consume(answer);
    }
  });
}

void Session::Set(const std::string& name, const std::string& value) {
  Query("SET " + name + " = " + SqlString(value));
}

std::set<std::string> Session::TableNames(const std::string& sql) {
  return Translate([&] {
    auto names = state_->connection->GetTableNames(sql);
    return std::set<std::string>(names.begin(), names.end());
  });
}

std::set<std::string> Session::ExistingTables() {
  Answer answer = Query(
      "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() "
      "AND schema_name = 'main'");
  std::set<std::string> names;
  for (size_t row = 0; row < answer.RowCount(); row++) {
    names.insert(answer.Text(row, 0));
  }
  return names;
}

std::map<std::string, uint64_t> Session::Counters() {
  Answer answer = Query("SELECT name, CAST(value AS UBIGINT) FROM margay_counters()");
  std::map<std::string, uint64_t> counters;
  for (size_t row = 0; row < answer.RowCount(); row++) {
    counters[answer.Text(row, 0)] = std::stoull(answer.Text(row, 1));
  }
  return counters;
}

uint32_t Session::Threads() {
  return static_cast<uint32_t>(std::stoul(Query("SELECT current_setting('threads')").Text(0, 0)));
}

void Session::WaitForBackground() {
  integration::Instance::Get(*state_->database->instance)->builder.WaitUntilIdle();
}

duckdb::DatabaseInstance& Session::Database() {
  return *state_->database->instance;
}

void Session::Interrupt() noexcept {
  state_->connection->context->Interrupt();
}

std::string SqlString(const std::string& text) {
  std::string quoted = "'";
  for (char character : text) {
    quoted += character;
    if (character == '\'') {
      quoted += character;
    }
  }
  return quoted + "'";
}

}  // namespace margay::tool
