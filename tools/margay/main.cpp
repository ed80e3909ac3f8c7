//! The `margay` command: DuckDB with Margay inside, for scripts and benchmarks. One file per
//! subcommand; this one is the table of contents.

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <vector>

#include "bench_command.hpp"
#include "command.hpp"
#include "demo_command.hpp"
#include "devices_command.hpp"
#include "generate_command.hpp"
#include "sql_command.hpp"
#include "ssb_suite.hpp"
#include "tpch_suite.hpp"
#include "version.hpp"

namespace margay::tool {
namespace {

int Main(int argument_count, char** arguments) {
  CLI::App app("Runs DuckDB's queries on every processor of the machine.", "margay");
  app.set_version_flag("--version", VersionText());
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done; 1 a statement or benchmark failed, or answers differ; 2 wrong usage;\n"
      "3 no usable device where one is required.");

  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(std::make_unique<DevicesCommand>(app));
  commands.push_back(std::make_unique<SqlCommand>(app));
  CLI::App* bench = app.add_subcommand("bench", "Measures Margay against DuckDB");
  bench->require_subcommand(1);
  commands.push_back(std::make_unique<BenchCommand>(*bench, std::make_unique<TpchSuite>()));
  commands.push_back(std::make_unique<BenchCommand>(*bench, std::make_unique<SsbSuite>()));
  CLI::App* generate = app.add_subcommand("generate", "Makes the data of benchmarks");
  generate->require_subcommand(1);
  commands.push_back(std::make_unique<GenerateCommand>(*generate, std::make_unique<TpchSuite>()));
  commands.push_back(std::make_unique<GenerateCommand>(*generate, std::make_unique<SsbSuite>()));
  commands.push_back(std::make_unique<DemoCommand>(app));

  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::ParseError& error) {
    // Help and version texts come this way too.
    return app.exit(error) == 0 ? static_cast<int>(ExitCode::Ok)
                                : static_cast<int>(ExitCode::Usage);
  }

  ExitCode code = ExitCode::Usage;
  try {
    for (const auto& command : commands) {
      if (command->IsChosen()) {
        code = command->Run();
      }
    }
    std::cout.flush();
    if (!std::cout) {
      throw CommandError(ExitCode::Failed, "The output could not be written.");
    }
  } catch (const CommandError& error) {
    std::cout.flush();
    std::cerr << "margay: " << error.what() << std::endl;
    code = error.Code();
  } catch (const std::exception& error) {
    std::cout.flush();
    std::cerr << error.what() << std::endl;
    code = ExitCode::Failed;
  }
  return static_cast<int>(code);
}

}  // namespace
}  // namespace margay::tool

int main(int argument_count, char** arguments) {
  return margay::tool::Main(argument_count, arguments);
}
