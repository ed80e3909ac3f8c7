#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answer.hpp"
#include "table.hpp"

namespace margay::fuzz {

//! A way to run a query: the statements that set it up.
struct Configuration {
  std::string name;
  std::vector<std::string> settings;
  bool uses_device = false;
  //! Whether an error must be the reference's, if there is one. Not without the optimizer, which
  //! decides what is computed for which rows.
  bool same_errors = true;
};

//! What Margay's counters say.
struct DeviceCounters {
  uint64_t device_executions = 0;
  uint64_t runtime_fallbacks = 0;  //!< a device began, DuckDB answered
  uint64_t kernels_compiled = 0;
};

//! An in-memory DuckDB with Margay in it, and one connection.
class Engine {
 public:
  Engine();
  ~Engine();

  //! Margay with its two shapes, or with one of them if `only_shape` is not empty, on a device that
  //! `device` selects (empty: its own choice).
  static std::vector<Configuration> MargayConfigurations(const std::string& device,
                                                         const std::string& only_shape);
  //! DuckDB without its optimizer, to test the fuzzer itself.
  static std::vector<Configuration> SelfCheckConfigurations();
  static Configuration Reference();

  //! Runs a statement that must not fail.
  void Execute(const std::string& statement);
  void Use(const Configuration& configuration);
  Answer Run(const std::string& query);
  //! The types that a query would give; Varchar for types that the plan doesn't know. None if
  //! DuckDB can't bind it.
  std::optional<std::vector<plan::Type>> Bind(const std::string& query);

  //! Makes the tables anew, with all traces of their earlier content gone. Others are dropped.
  void Create(const std::vector<Table>& tables);
  //! Truncates the tables and puts `rows`, one entry for each, into them.
  void Fill(const std::vector<Table>& tables, const std::vector<Rows>& rows);

  std::string Explain(const std::string& query);
  //! The kinds of the joins of a query that run on a device, in capitals; as many as there are.
  std::vector<std::string> DeviceJoins(const std::string& query);
  DeviceCounters ReadCounters();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace margay::fuzz
