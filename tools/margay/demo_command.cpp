#include "demo_command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "benchmark_report.hpp"
#include "device_choice.hpp"
#include "interrupt_guard.hpp"
#include "program_files.hpp"
#include "session.hpp"
#include "text_table.hpp"
#include "units.hpp"

namespace margay::tool {
namespace {

//! Enough for a median, and quick.
constexpr int kRepeat = 3;

//! Their answer and their plan are short.
constexpr const char* kShownAnswer = "1";
constexpr const char* kShownPlan = "6";

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
      const std::string duckdb =
          result.HasDuckDbTime() ? FormatMilliseconds(result.duckdb.median_milliseconds) : "";
      table.AddRow({name, duckdb, "", "", "", "DuckDB"});
    }
  }
  table.Print(std::cout);
  std::cout << '\n';
  PrintReasons(std::cout, results);
  std::cout
      << "\nMedians of " << kRepeat
      << " hot runs each, taken in turn, after both gave the same answer. The first run also\n"
         "encodes the columns and compiles the kernels.\n";
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
  PrintTitle("The data: TPC-H at scale " + FormatScale(scale_));
  data->Require(data->Tables(), std::cout);
  SessionOptions options;
  options.database = data->Database().string();
  options.read_only = true;
  Session session(options);
  std::string rows = session.Query("SELECT count(*) FROM lineitem").Text(0, 0);
  std::cout << FormatCount(std::stoull(rows)) << " rows of lineitem and seven other tables in "
            << data->Database().string() << '\n';

  InterruptGuard guard(session);
  BenchmarkRunner runner(session, kRepeat, "force", [&] { return guard.WasRaised(); });
  std::vector<BenchmarkResult> results;
  bool is_good = true;
  PrintTitle("The 22 queries, in DuckDB and in Margay");
  for (const BenchmarkQuery& query : suite_.ReadQueries("all")) {
    std::cout << "Q" << query.name << " " << std::flush;
    results.push_back(runner.Run(query));
    is_good = is_good && results.back().IsGood();
    if (guard.WasRaised()) {
      return ExitCode::Failed;
    }
  }
  std::cout << '\n';
  PrintTitle(std::string("The answer of Q") + kShownAnswer);
  for (const BenchmarkResult& result : results) {
    if (result.query == kShownAnswer && result.answer) {
      result.answer->WriteBox(std::cout, 10);
    }
  }
  PrintTitle("DuckDB and Margay on " + device.name);
  PrintTimes(results);

  PrintTitle(std::string("What runs where: EXPLAIN of Q") + kShownPlan);
  session.Set("margay_mode", "force");
  session.Query("EXPLAIN " + suite_.ReadQuery(kShownPlan).sql).WriteBox(std::cout, 10);

  PrintTitle("Margay in your own DuckDB");
  PrintHints();
  return is_good ? ExitCode::Ok : ExitCode::Failed;
}

}  // namespace margay::tool
