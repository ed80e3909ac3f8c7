// Differential fuzzing of Margay against DuckDB in one process; see fuzzer.hpp.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "compile/kernel_library.hpp"
#include "crash_note.hpp"
#include "device/program_cache.hpp"
#include "fuzzer.hpp"

int main(int count, char** arguments) {
  margay::fuzz::Options options;
  std::string replay;
  CLI::App application("Runs random queries with Margay off and on, and compares the answers.");
  application.add_option("--seed", options.seed, "Where all random numbers come from");
  application.add_option("--plans", options.plans, "Number of queries");
  application.add_option("--datasets", options.data_sets, "Number of data sets for each query");
  application.add_option("--joins", options.join_percent,
                         "How many of 100 queries join several tables");
  application.add_option("--subqueries", options.subquery_percent,
                         "How many of 100 queries have sub-queries or CTEs");
  application.add_option("--seconds", options.seconds, "Stop after this time; 0: no limit");
  application.add_option("--device", options.device, "A value for margay_device");
  application.add_option("--shape", options.shape, "loop or lanes; both if left out")
      ->check(CLI::IsMember({"loop", "lanes"}));
  bool unoptimized = false;
  application.add_flag("--unoptimized", unoptimized,
                       "Compile kernels without optimization: several times as many plans");
  application.add_flag("--verbose", options.verbose, "Print each query and each refusal");
  application.add_option("--replay", replay, "Run one query again: seed:plan");
  application.add_flag("--keep-going", options.keep_going,
                       "Go on with the next query after a difference");
  application.add_flag("--self-check", options.self_check,
                       "Compare DuckDB with DuckDB without its optimizer, to test this program");
  CLI11_PARSE(application, count, arguments);

  try {
    if (!replay.empty()) {
      const size_t colon = replay.find(':');
      if (colon == std::string::npos) {
        std::fprintf(stderr, "--replay needs seed:plan\n");
        return 2;
      }
      options.seed = std::stoull(replay.substr(0, colon));
      options.first_plan = std::stoull(replay.substr(colon + 1));
      options.plans = 1;
      options.verbose = true;
    }
    margay::device::ProgramCache::SetOptimized(!unoptimized);
    margay::compile::KernelLibrary::SetChecked(true);
    margay::fuzz::InstallCrashNote();
    return margay::fuzz::Fuzzer(options).Run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "margay_fuzz: %s\n", error.what());
    return 2;
  }
}
