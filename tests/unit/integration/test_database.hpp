#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "duckdb.hpp"
#include "integration/instance.hpp"
#include "integration/margay_extension.hpp"

namespace margay::integration {

//! A database with Margay loaded, and one connection to it.
class TestDatabase {
 public:
  explicit TestDatabase(const std::string& path = {})
      : database_(path.empty() ? nullptr : path.c_str()) {
    Register(*database_.instance);
    connection_ = Connect();
  }

  duckdb::DuckDB& Database() { return database_; }
  duckdb::Connection& Connection() { return *connection_; }
  Instance& State() { return *Instance::Get(*database_.instance); }

  std::unique_ptr<duckdb::Connection> Connect() {
    return std::make_unique<duckdb::Connection>(database_);
  }

  //! The rows as text, fields divided by '|', rows by newlines; or "error: " and the message.
  static std::string Query(duckdb::Connection& connection, const std::string& sql) {
    auto result = connection.Query(sql);
    if (result->HasError()) {
      return "error: " + result->GetError();
    }
    std::string text;
    for (duckdb::idx_t row = 0; row < result->RowCount(); row++) {
      text += row == 0 ? "" : "\n";
      for (duckdb::idx_t column = 0; column < result->ColumnCount(); column++) {
        text += (column == 0 ? "" : "|") + result->GetValue(column, row).ToString();
      }
    }
    return text;
  }
  std::string Query(const std::string& sql) { return Query(*connection_, sql); }

  //! The same query by DuckDB alone.
  static std::string Reference(duckdb::Connection& connection, const std::string& sql) {
    std::string mode = Query(connection, "SELECT current_setting('margay_mode')");
    Run(connection, "SET margay_mode = 'off'");
    std::string answer = Query(connection, sql);
    Run(connection, "SET margay_mode = '" + mode + "'");
    return answer;
  }
  std::string Reference(const std::string& sql) { return Reference(*connection_, sql); }

  static void Run(duckdb::Connection& connection, const std::string& sql) {
    auto result = connection.Query(sql);
    ASSERT_FALSE(result->HasError()) << sql << ": " << result->GetError();
  }
  void Run(const std::string& sql) { Run(*connection_, sql); }

  uint64_t Counter(const std::string& name) {
    for (const auto& [counter, value] : State().counters.List()) {
      if (counter == name) {
        return value;
      }
    }
    ADD_FAILURE() << "there is no counter " << name;
    return 0;
  }

 private:
  duckdb::DuckDB database_;
  std::unique_ptr<duckdb::Connection> connection_;
};

//! A database file of its own, deleted at the end.
class TestFile {
 public:
  explicit TestFile(const std::string& name)
      : path_((std::filesystem::temp_directory_path() /
               ("margay_" + name + "_" + std::to_string(getpid()) + ".db"))
                  .string()) {
    Delete();
  }
  ~TestFile() { Delete(); }

  const std::string& Path() const { return path_; }

 private:
  void Delete() {
    std::filesystem::remove(path_);
    std::filesystem::remove(path_ + ".wal");
  }

  std::string path_;
};

}  // namespace margay::integration
