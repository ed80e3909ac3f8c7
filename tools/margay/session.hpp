#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "answer.hpp"

namespace duckdb {
class DatabaseInstance;
}  // namespace duckdb

namespace margay::tool {

//! A statement failed; `what()` is DuckDB's message.
class SqlError : public std::runtime_error {
 public:
  //! `kind` is DuckDB's name for the type of the error: "Not implemented", "IO", "INTERRUPT", ...
  //! `message` is for users, with kind and place; `reason` is the bare sentence.
  SqlError(std::string kind, const std::string& message, std::string reason)
      : std::runtime_error(message), kind_(std::move(kind)), reason_(std::move(reason)) {}
  const std::string& Kind() const { return kind_; }
  const std::string& Reason() const { return reason_; }

 private:
  std::string kind_;
  std::string reason_;
};

//! More threads than any machine has.
constexpr uint32_t kMostThreads = 4096;

struct SessionOptions {
  //! The database file; empty for a database in memory.
  std::string database;
  bool read_only = false;
  //! DuckDB's threads; 0 for DuckDB's own choice.
  uint32_t threads = 0;
  //! margay_device, margay_shape, margay_mode; empty leaves the default.
  std::string device;
  std::string shape;
  std::string mode;
};

//! DuckDB with Margay registered, and one connection to it. Calls throw SqlError. Used by one
//! thread, except for Interrupt().
class Session {
 public:
  enum class Results { Materialized, Streamed };

  explicit Session(const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  //! Runs one statement and waits for its whole answer.
  Answer Query(const std::string& sql);

  //! Runs the statements of `sql` one after the other, up to the first error. `consume` gets each
  //! one's answer; a streamed answer must be read before it returns.
  void RunScript(const std::string& sql, Results results,
                 const std::function<void(Answer&)>& consume);

  //! SET name = 'value'.
  void Set(const std::string& name, const std::string& value);

  //! The tables that a statement reads, whether they exist or not.
  std::set<std::string> TableNames(const std::string& sql);

  //! The names of the tables that exist in the database.
  std::set<std::string> ExistingTables();

  //! Margay's counters by name; they only grow.
  std::map<std::string, uint64_t> Counters();

  uint32_t Threads();

  //! Waits until Margay has nothing left to prepare in the background.
  void WaitForBackground();

  //! The database itself, to add functions to.
  duckdb::DatabaseInstance& Database();

  //! Makes the running statement fail with an error of kind "INTERRUPT". Safe in a signal handler.
  void Interrupt() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

//! `text` as an SQL string, quotes included.
std::string SqlString(const std::string& text);

}  // namespace margay::tool
