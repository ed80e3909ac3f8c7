#include "demo_command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "device_choice.hpp"
#include "interrupt_guard.hpp"
#include "program_files.hpp"
#include "session.hpp"
#include "text_table.hpp"
#include "units.hpp"

namespace margay::tool {
namespace {

//! Enough for a stable median, and quick.
constexpr int kRepeat = 9;

//! A scan with many sums per group, and a selective scan: both read lineitem only.
constexpr const char* kQueries[] = {"1", "6"};

void PrintTitle(const std::string& title) {
  std::cout << "\n== " << title << "\n\n" << std::flush;
}

void PrintTimes(const std::vector<BenchmarkResult>& results) {
  constexpr auto right = TextTable::Alignment::Right;
  TextTable table({{"query"},
                   {"DuckDB ms", right},
                   {"Margay ms", right},
                   {"times faster", right},
                   {"first run ms", right},
                   {"ran on"}});
  for (const auto& result : results) {
    std::string name = "Q" + result.query;
    if (result.IsCompared()) {
      table.AddRow({name, FormatMilliseconds(result.duckdb.median_milliseconds),
                    FormatMilliseconds(result.margay.median_milliseconds),
                    FormatFixed(result.Ratio(), 1), FormatMilliseconds(result.first_milliseconds),
                    result.IsOnDevice() ? "the device" : "DuckDB"});
    } else {
      table.AddRow({name, "", "", "", "", "not compared: " + result.reason});
    }
  }
  table.Print(std::cout);
  std::cout
      << "\nMedians of " << kRepeat
      << " hot runs each, taken in turn, after both gave the same answer. The first run also\n"
         "encodes the columns and compiles the kernel.\n";
}

void PrintHints() {
  std::filesystem::path extension = FindExtension();
  std::string path = extension.empty() ? "margay.duckdb_extension" : extension.string();
  std::cout << "The command line of DuckDB:\n"
            << "  duckdb -unsigned -cmd \"LOAD '" << path << "'\"\n\n"
            << "Python:\n"
            << "  connection = duckdb.connect(config={'allow_unsigned_extensions': 'true'})\n"
            << "  connection.execute(\"LOAD '" << path << "'\")\n\n"
            << "Then query as always. EXPLAIN shows which processor runs each part, and\n"
            << "SELECT * FROM margay_devices() shows the processors.\n";
}

}  // namespace

DemoCommand::DemoCommand(CLI::App& parent)
    : app_(parent.add_subcommand("demo", "A short tour with generated data")) {
  app_->add_option("--scale", scale_, "Scale factor of the TPC-H data")
      ->check(CLI::Range(BenchmarkSuite::kSmallestScale, suite_.LargestScale()))
      ->capture_default_str();
  app_->add_option("--data", data_, "Folder where the data is kept for the next run")
      ->envname("MARGAY_DATA")
      ->capture_default_str();
  suite_.AddDataOptions(*app_);
  suite_.AddQueryOptions(*app_);
}

bool DemoCommand::IsChosen() const {
  return app_->parsed();
}

ExitCode DemoCommand::Run() {
  PrintTitle("The processors that Margay can use");
  PrintDevices(std::cout);
  const device::DeviceInfo& device = RequireDevice("");

  std::unique_ptr<BenchmarkData> data = suite_.KeptData(data_, scale_);
  PrintTitle("The data: lineitem of TPC-H");
  data->Require({"lineitem"}, std::cout);
  SessionOptions options;
  options.database = data->Database().string();
  options.read_only = true;
  Session session(options);
  std::string rows = session.Query("SELECT count(*) FROM lineitem").Text(0, 0);
  std::cout << FormatCount(std::stoull(rows)) << " rows in " << data->Database().string() << '\n';

  InterruptGuard guard(session);
  BenchmarkRunner runner(session, kRepeat, "force", [&] { return guard.WasRaised(); });
  std::vector<BenchmarkResult> results;
  bool is_good = true;
  for (const char* name : kQueries) {
    BenchmarkQuery query = suite_.ReadQuery(name);
    results.push_back(runner.Run(query));
    const BenchmarkResult& result = results.back();
    PrintTitle("The answer of TPC-H Q" + query.name);
    if (result.answer) {
      result.answer->WriteBox(std::cout, 10);
    }
    is_good = is_good && result.IsCompared();
  }
  PrintTitle("DuckDB and Margay on " + device.name);
  PrintTimes(results);

  PrintTitle("What runs where: EXPLAIN of Q6");
  session.Set("margay_mode", "force");
  session.Query("EXPLAIN " + suite_.ReadQuery("6").sql).WriteBox(std::cout, 10);

  PrintTitle("Margay in your own DuckDB");
  PrintHints();
  return is_good ? ExitCode::Ok : ExitCode::Failed;
}

}  // namespace margay::tool
