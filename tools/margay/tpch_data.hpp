#pragma once

#include <filesystem>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace margay::tool {

class Session;

//! TPC-H data of one scale in a database file, made by tpchgen-cli and kept for the next run:
//!
//!   FOLDER/tpch-SCALE.db         the tables that were asked for so far, in the types of DuckDB's
//!   own
//!                                TPC-H extension
//!   FOLDER/tpch-SCALE.generated/ Parquet files on their way into it, removed after each part
//!
//! A table is filled as "loading_NAME" and gets its name when it is complete, so an interrupted run
//! is simply redone. DuckDB's lock on the file keeps two processes from loading at once.
class TpchData {
 public:
  //! `scale` is positive and may be a fraction.
  TpchData(const std::filesystem::path& folder, double scale, std::filesystem::path generator);

  const std::filesystem::path& Database() const { return database_; }

  //! Makes and loads those of `tables` that the database does not have yet, and says so on
  //! `progress`. Opens the database for writing only where something is missing. Throws
  //! CommandError and SqlError.
  void Require(const std::set<std::string>& tables, std::ostream& progress);

 private:
  std::set<std::string> MissingTables(const std::set<std::string>& tables);
  void CheckFreeSpace() const;
  //! Tables of one file each, generated in one run.
  void LoadWhole(Session& session, const std::set<std::string>& tables, std::ostream& progress);
  //! A table of several files, one on disk at a time.
  void LoadParts(Session& session, const std::string& table, std::ostream& progress);
  void CreateLoadingTable(Session& session, const std::string& table);
  //! Appends a file's rows, and removes the file.
  void Append(Session& session, const std::string& table, const std::filesystem::path& file);
  //! Gives the table its name, and writes how many rows it has.
  void FinishLoadingTable(Session& session, const std::string& table, std::ostream& progress);
  //! Runs the generator; `what` are its arguments for tables and parts.
  void Generate(const std::vector<std::string>& what);
  //! How many files a table comes in, one after the other.
  int PartCount(const std::string& table) const;

  double scale_;
  //! The scale as it is written in file names and passed to the generator.
  std::string scale_text_;
  std::filesystem::path database_;
  std::filesystem::path generated_;
  std::filesystem::path generator_;
};

}  // namespace margay::tool
