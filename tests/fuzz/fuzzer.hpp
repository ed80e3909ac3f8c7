#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checker.hpp"
#include "data_generator.hpp"
#include "engine.hpp"

namespace margay::fuzz {

struct Options {
  uint64_t seed = 1;
  uint64_t first_plan = 0;
  uint64_t plans = 20;
  uint64_t data_sets = 50;
  int join_percent = 50;      //!< of the plans; the others read one table
  int subquery_percent = 40;  //!< of the plans
  double seconds = 0;         //!< 0: no limit
  std::string device;
  std::string shape;  //!< empty: both
  bool verbose = false;
  bool self_check = false;
  bool keep_going = false;  //!< with the next plan after a difference
};

//! Draws plans, runs each over many data sets, and compares Margay's answers with DuckDB's.
//!
//! Everything is drawn from the seed, the plan's number and the data set's number, so that a plan
//! can be replayed alone.
class Fuzzer {
 public:
  explicit Fuzzer(Options options);

  //! False if a difference was found; it is printed.
  bool Run();

 private:
  struct Tally {
    uint64_t plans = 0;
    uint64_t refused_plans = 0;
    uint64_t empty_plans = 0;  //!< DuckDB can't bind any item
    uint64_t data_sets = 0;
    uint64_t comparisons = 0;
    uint64_t both_error = 0;
    uint64_t fallbacks = 0;
    uint64_t fewer_errors = 0;   //!< only DuckDB had an error; not compared
    uint64_t another_error = 0;  //!< likewise, where another one than DuckDB's was raised
    uint64_t without_device = 0;
    uint64_t differences = 0;
    uint64_t duckdb_differences = 0;  //!< DuckDB without its optimizer agrees with Margay
    // What a device did, all of it.
    uint64_t device_plans = 0;  //!< with a comparison
    uint64_t device_comparisons = 0;
    uint64_t subquery_plans = 0;               //!< of the plans, with sub-queries or CTEs
    uint64_t subquery_comparisons = 0;         //!< likewise
    uint64_t joined_plans = 0;                 //!< of the plans, with a join on the device
    uint64_t joined_comparisons = 0;           //!< likewise
    std::map<std::string, uint64_t> joins;     //!< by kind; those of each comparison
    uint64_t refused_comparisons = 0;          //!< of plans that are not refused for most data
    std::map<std::string, uint64_t> refusals;  //!< by reason; of parts of plans too
    std::map<std::string, uint64_t> reasons;   //!< of refused plans
  };

  //! False if the answers differ.
  bool RunPlan(uint64_t plan);
  bool RunDataSets(uint64_t plan);
  //! Takes out the items, conjuncts and conditions of joins that Margay refuses by themselves.
  void KeepWhatIsSupported(FuzzCase& fuzz_case);
  bool IsRefused(const FuzzCase& fuzz_case);
  //! False if the answers differ.
  bool CheckDataSet(const FuzzCase& fuzz_case);
  //! Takes out the residuals and filters of joins that Margay refuses by themselves.
  void KeepSupportedJoins(FuzzCase& fuzz_case);
  void CountRefusal(const std::string& error);
  void CountDeviceWork(const Query& query, const Verdict& verdict);
  //! Whether DuckDB without its optimizer finds the rows that Margay finds: then the reference is
  //! wrong, by an error of DuckDB's optimizer.
  bool IsDuckDbsOwn(const FuzzCase& fuzz_case, const Configuration& configuration);
  void ReportDifference(const FuzzCase& fuzz_case, const Configuration& configuration,
                        const Verdict& verdict);
  void PrintSummary();
  double Elapsed() const;
  bool IsOver() const { return options_.seconds > 0 && Elapsed() > options_.seconds; }

  Options options_;
  Engine engine_;
  Checker checker_;
  std::vector<Configuration> configurations_;
  Tally tally_;
  std::string last_reason_;  //!< of a refusal
  std::string place_;        //!< seed, plan and data set at work
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace margay::fuzz
