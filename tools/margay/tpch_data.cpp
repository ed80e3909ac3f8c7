#include "tpch_data.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "child_process.hpp"
#include "command.hpp"
#include "session.hpp"
#include "stopwatch.hpp"
#include "units.hpp"

namespace margay::tool {
namespace {

//! The columns and types of DuckDB's TPC-H extension (extension/tpch/dbgen/dbgen.cpp), which also
//! declares every column NOT NULL.
struct TableDefinition {
  std::string name;
  //! False for nation and region, which are the same at every scale.
  bool grows = true;
  std::vector<std::string> columns;
};

const std::vector<TableDefinition>& TableDefinitions() {
  static const std::vector<TableDefinition> definitions = {
      {"region", false, {"r_regionkey INTEGER", "r_name VARCHAR", "r_comment VARCHAR"}},
      {"nation",
       false,
       {"n_nationkey INTEGER", "n_name VARCHAR", "n_regionkey INTEGER", "n_comment VARCHAR"}},
      {"supplier",
       true,
       {"s_suppkey BIGINT", "s_name VARCHAR", "s_address VARCHAR", "s_nationkey INTEGER",
        "s_phone VARCHAR", "s_acctbal DECIMAL(15, 2)", "s_comment VARCHAR"}},
      {"customer",
       true,
       {"c_custkey BIGINT", "c_name VARCHAR", "c_address VARCHAR", "c_nationkey INTEGER",
        "c_phone VARCHAR", "c_acctbal DECIMAL(15, 2)", "c_mktsegment VARCHAR",
        "c_comment VARCHAR"}},
      {"part",
       true,
       {"p_partkey BIGINT", "p_name VARCHAR", "p_mfgr VARCHAR", "p_brand VARCHAR", "p_type VARCHAR",
        "p_size INTEGER", "p_container VARCHAR", "p_retailprice DECIMAL(15, 2)",
        "p_comment VARCHAR"}},
      {"partsupp",
       true,
       {"ps_partkey BIGINT", "ps_suppkey BIGINT", "ps_availqty BIGINT",
        "ps_supplycost DECIMAL(15, 2)", "ps_comment VARCHAR"}},
      {"orders",
       true,
       {"o_orderkey BIGINT", "o_custkey BIGINT", "o_orderstatus VARCHAR",
        "o_totalprice DECIMAL(15, 2)", "o_orderdate DATE", "o_orderpriority VARCHAR",
        "o_clerk VARCHAR", "o_shippriority INTEGER", "o_comment VARCHAR"}},
      {"lineitem",
       true,
       {"l_orderkey BIGINT", "l_partkey BIGINT", "l_suppkey BIGINT", "l_linenumber BIGINT",
        "l_quantity DECIMAL(15, 2)", "l_extendedprice DECIMAL(15, 2)", "l_discount DECIMAL(15, 2)",
        "l_tax DECIMAL(15, 2)", "l_returnflag VARCHAR", "l_linestatus VARCHAR", "l_shipdate DATE",
        "l_commitdate DATE", "l_receiptdate DATE", "l_shipinstruct VARCHAR", "l_shipmode VARCHAR",
        "l_comment VARCHAR"}},
  };
  return definitions;
}

//! A part holds as many rows as the table has at this scale: about 2 GB of Parquet for lineitem,
//! while the generator's second of start-up stays small against making the part.
constexpr double kScalePerPart = 10;

//! DuckDB makes its row groups of those of a file. With the generator's default, which are smaller,
//! it copies them together first, and 16 threads get into each other's way: orders of scale 10 took
//! 21 s to load then, and 11 s with 2 threads.
constexpr const char* kRowGroupBytes = "64MB";

//! Bytes of disk per unit of scale: the database with all tables (measured 0.26 GB at scale 1; half
//! as much again for what an interrupted load leaves), and the Parquet files of all tables (39 GB
//! at scale 100).
constexpr double kDatabaseBytesPerScale = 0.4e9;
constexpr double kGeneratedBytesPerScale = 0.4e9;

const TableDefinition& Definition(const std::string& table) {
  for (const auto& definition : TableDefinitions()) {
    if (definition.name == table) {
      return definition;
    }
  }
  throw CommandError(ExitCode::Failed, "TPC-H has no table " + table + ".");
}

}  // namespace

TpchData::TpchData(std::filesystem::path database, double scale, std::filesystem::path generator)
    : BenchmarkData("TPC-H", std::move(database), scale),
      generated_(Database().string() + ".generated"),
      generator_(std::move(generator)) {}

std::set<std::string> TpchData::Tables() const {
  std::set<std::string> names;
  for (const auto& definition : TableDefinitions()) {
    names.insert(definition.name);
  }
  return names;
}

double TpchData::NeededBytes() const {
  return Scale() * kDatabaseBytesPerScale +
         std::min(Scale(), kScalePerPart) * kGeneratedBytesPerScale;
}

void TpchData::CheckTools() const {
  if (generator_.empty()) {
    throw CommandError(ExitCode::Failed,
                       "The TPC-H data is missing and tpchgen-cli, which makes it, was not found: "
                       "fetch it with 'scripts/dependencies run' or 'pip install tpchgen-cli', and "
                       "name it with --generator.");
  }
}

void TpchData::Load(Session& session, const std::set<std::string>& tables, std::ostream& progress) {
  std::set<std::string> small;
  for (const auto& table : tables) {
    if (PartCount(table) == 1) {
      small.insert(table);
    }
  }
  if (!small.empty()) {
    LoadWhole(session, small, progress);
  }
  for (const auto& table : tables) {
    if (PartCount(table) > 1) {
      LoadParts(session, table, progress);
    }
  }
  std::filesystem::remove_all(generated_);
}

void TpchData::LoadWhole(Session& session, const std::set<std::string>& tables,
                         std::ostream& progress) {
  std::string list;
  for (const auto& table : tables) {
    list += (list.empty() ? "" : ",") + table;
  }
  progress << "  generating " << list << std::flush;
  Stopwatch watch;
  Generate({"--tables", list});
  progress << ": " << FormatSeconds(watch.Milliseconds()) << std::endl;
  for (const auto& table : tables) {
    progress << "  loading " << table << std::flush;
    Stopwatch load_watch;
    CreateLoadingTable(session, table, Definition(table).columns);
    AppendFile(session, table, generated_ / (table + ".parquet"));
    FinishLoadingTable(session, table, progress);
    progress << ", " << FormatSeconds(load_watch.Milliseconds()) << std::endl;
  }
}

void TpchData::LoadParts(Session& session, const std::string& table, std::ostream& progress) {
  int parts = PartCount(table);
  Stopwatch watch;
  CreateLoadingTable(session, table, Definition(table).columns);
  for (int part = 1; part <= parts; part++) {
    progress << "  generating and loading " << table << ", part " << part << " of " << parts
             << std::flush;
    Stopwatch part_watch;
    Generate({"--tables", table, "--parts", std::to_string(parts), "--part", std::to_string(part)});
    AppendFile(session, table,
               generated_ / table / (table + "." + std::to_string(part) + ".parquet"));
    progress << ": " << FormatSeconds(part_watch.Milliseconds()) << std::endl;
  }
  progress << "  " << table;
  FinishLoadingTable(session, table, progress);
  progress << ", " << FormatSeconds(watch.Milliseconds()) << std::endl;
}

void TpchData::AppendFile(Session& session, const std::string& table,
                          const std::filesystem::path& file) {
  Append(session, table, "read_parquet(" + SqlString(file.string()) + ")");
  std::filesystem::remove(file);
}

void TpchData::Generate(const std::vector<std::string>& what) {
  std::filesystem::remove_all(generated_);
  std::vector<std::string> arguments = {
      generator_.string(), "parquet",       "--scale-factor",    ScaleText(),   "--output-dir",
      generated_.string(), "--no-progress", "--row-group-bytes", kRowGroupBytes};
  arguments.insert(arguments.end(), what.begin(), what.end());
  RunProgram(arguments);
}

int TpchData::PartCount(const std::string& table) const {
  return Definition(table).grows ? std::max(1, static_cast<int>(std::ceil(Scale() / kScalePerPart)))
                                 : 1;
}

}  // namespace margay::tool
