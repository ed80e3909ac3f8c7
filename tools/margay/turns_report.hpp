#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "turns_result.hpp"

namespace margay::tool {

//! What holds for a whole run of the benchmark "turns".
struct TurnsSetting {
  int64_t sales = 0;
  uint64_t seed = 0;
  std::string device;
  std::string shape;
  std::string mode;
  uint32_t threads = 0;
  int repeat = 0;
  int passes = 0;
};

//! The result of the benchmark "turns", for people and as JSON.
class TurnsReport {
 public:
  //! A run in turn shall take this many times a repeated one, at most.
  static constexpr double kAim = 1.1;

  TurnsReport(TurnsSetting setting, TurnsResult result);

  void Print(std::ostream& output) const;

  //! Writes an object with the totals and one object per statement. Throws CommandError.
  void WriteJson(const std::string& path) const;

  //! No statement failed, and no answer differed.
  bool IsGood() const;

 private:
  //! What all statements that were compared took in one engine.
  struct Total {
    double repeated_milliseconds = 0;
    double in_turn_milliseconds = 0;
    //! Of the growth of the single statements.
    double mean_growth = 0;

    double Growth() const { return in_turn_milliseconds / repeated_milliseconds; }
  };

  Total Sum(TurnsTimes TurnsStatementResult::*engine) const;
  //! The geometric mean of the ratios to DuckDB.
  double MeanRatio() const;
  //! Of the statements that were compared, the few that come first by `order`.
  std::vector<const TurnsStatementResult*> First(
      const std::function<double(const TurnsStatementResult&)>& order) const;

  void PrintTotals(std::ostream& output) const;
  void PrintWorst(std::ostream& output) const;
  void PrintMemory(std::ostream& output) const;
  void PrintReasons(std::ostream& output) const;

  TurnsSetting setting_;
  TurnsResult result_;
  std::vector<const TurnsStatementResult*> compared_;
};

}  // namespace margay::tool
