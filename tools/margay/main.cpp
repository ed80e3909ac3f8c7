//! The `margay` command: DuckDB with Margay inside, for scripts and benchmarks. One file per
//! subcommand; this one is the table of contents.

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "bench_command.hpp"
#include "command.hpp"
#include "demo_command.hpp"
#include "devices_command.hpp"
#include "generate_command.hpp"
#include "sql_command.hpp"
#include "ssb_suite.hpp"
#include "tpch_suite.hpp"
#include "turns_command.hpp"
#include "version.hpp"

namespace margay::tool {
namespace {

//! The names of the commands of `app`.
std::string ListCommands(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

//! The message for a command line that can't be understood. `app` is the whole program.
std::string FailureMessage(const CLI::App* app, const CLI::Error& error) {
  std::string line = app->get_name();
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    line += " " + app->get_name();
  }
  std::string message = error.what();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError) &&
      app->get_require_subcommand_min() > 0) {
    const std::vector<std::string> words = app->remaining();
    if (words.empty()) {
      message = "a command is missing";
    } else {
      const char* kind = words.front().front() == '-' ? "option" : "command";
      message = std::string("there is no ") + kind + " '" + words.front() + "'";
    }
    message += "; commands: " + ListCommands(*app);
  }
  return line + ": " + message + "\nRun with --help for more information.\n";
}

int Main(int argument_count, char** arguments) {
  CLI::App app("Runs DuckDB's queries on every processor of the machine.", "margay");
  app.set_version_flag("--version", VersionText());
  app.require_subcommand(1);
  app.failure_message(FailureMessage);
  app.footer(
      "Exit codes: 0 done; 1 a statement or benchmark failed, or answers differ; 2 wrong usage;\n"
      "3 no usable device where one is required, or none of the kind.");

  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(std::make_unique<DevicesCommand>(app));
  commands.push_back(std::make_unique<SqlCommand>(app));
  CLI::App* bench = app.add_subcommand("bench", "Measures Margay against DuckDB");
  bench->require_subcommand(1);
  commands.push_back(std::make_unique<BenchCommand>(*bench, std::make_unique<TpchSuite>()));
  commands.push_back(std::make_unique<BenchCommand>(*bench, std::make_unique<SsbSuite>()));
  commands.push_back(std::make_unique<TurnsCommand>(*bench));
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
