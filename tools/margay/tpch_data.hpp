#pragma once

#include "benchmark_data.hpp"

namespace margay::tool {

//! TPC-H data, made by tpchgen-cli, in the types of DuckDB's own TPC-H extension. On their way into
//! the database, Parquet files lie in the folder DATABASE.generated; each is removed when it is
//! loaded.
class TpchData : public BenchmarkData {
 public:
  //! An empty `generator` stands for one that was not found.
  TpchData(std::filesystem::path database, double scale, std::filesystem::path generator);

  std::set<std::string> Tables() const override;

 protected:
  double NeededBytes() const override;
  void CheckTools() const override;
  void Load(Session& session, const std::set<std::string>& tables, std::ostream& progress) override;

 private:
  //! Tables of one file each, generated in one run.
  void LoadWhole(Session& session, const std::set<std::string>& tables, std::ostream& progress);
  //! A table of several files, one on disk at a time.
  void LoadParts(Session& session, const std::string& table, std::ostream& progress);
  //! Appends a file's rows, and removes the file.
  void AppendFile(Session& session, const std::string& table, const std::filesystem::path& file);
  //! Runs the generator; `what` are its arguments for tables and parts.
  void Generate(const std::vector<std::string>& what);
  //! How many files a table comes in, one after the other.
  int PartCount(const std::string& table) const;

  std::filesystem::path generated_;
  std::filesystem::path generator_;
};

}  // namespace margay::tool
