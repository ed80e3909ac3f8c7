#pragma once

#include <filesystem>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace margay::tool {

class Session;

//! The tables of a benchmark at one scale, in a database file. They are made when they are first
//! asked for, and stay for the next run.
//!
//! A table is filled as "loading_NAME" and gets its name when it is complete, so an interrupted run
//! is simply redone. DuckDB's lock on the file keeps two processes from loading at once.
class BenchmarkData {
 public:
  virtual ~BenchmarkData() = default;
  BenchmarkData(const BenchmarkData&) = delete;
  BenchmarkData& operator=(const BenchmarkData&) = delete;

  const std::filesystem::path& Database() const { return database_; }

  //! All tables of the benchmark.
  virtual std::set<std::string> Tables() const = 0;

  //! Makes those of `tables` that the database does not have yet, and says so on `progress`. Opens
  //! the database for writing only where something is missing. Throws CommandError and SqlError.
  void Require(const std::set<std::string>& tables, std::ostream& progress);

 protected:
  //! `title` is the benchmark's name for people; `scale` is positive and may be a fraction.
  BenchmarkData(std::string title, std::filesystem::path database, double scale);

  double Scale() const { return scale_; }
  //! The scale as it is written in file names.
  const std::string& ScaleText() const { return scale_text_; }

  //! Bytes of disk that all tables take, and what is needed to make them.
  virtual double NeededBytes() const = 0;
  //! Called before anything is made. Throws CommandError where something needed is not there.
  virtual void CheckTools() const {}
  //! Makes `tables`, which are missing. Those that take long say more on `progress`.
  virtual void Load(Session& session, const std::set<std::string>& tables,
                    std::ostream& progress) = 0;

  //! The three steps of a table: an empty one, rows from a table function or subquery of SQL, and
  //! its name. The last one writes how many rows there are. `columns` are "name TYPE".
  static void CreateLoadingTable(Session& session, const std::string& table,
                                 const std::vector<std::string>& columns);
  static void Append(Session& session, const std::string& table, const std::string& source);
  static void FinishLoadingTable(Session& session, const std::string& table,
                                 std::ostream& progress);

 private:
  std::set<std::string> MissingTables(const std::set<std::string>& tables) const;
  void CheckFreeSpace() const;

  std::string title_;
  std::filesystem::path database_;
  double scale_;
  std::string scale_text_;
};

//! A scale as it is written in file names: "1", "0.01".
std::string FormatScale(double scale);

}  // namespace margay::tool
