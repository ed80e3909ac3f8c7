#include "turns_command.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <memory>

#include "device_choice.hpp"
#include "interrupt_guard.hpp"
#include "progress_line.hpp"
#include "session.hpp"
#include "turns_data.hpp"
#include "turns_runner.hpp"
#include "turns_statements.hpp"
#include "units.hpp"

namespace margay::tool {

TurnsCommand::TurnsCommand(CLI::App& parent)
    : app_(parent.add_subcommand("turns", "Many different statements in turn")) {
  app_->add_option("--statements", statements_, "Different statements")
      ->check(CLI::Range(size_t{1}, kMostTurnsStatements))
      ->capture_default_str();
  app_->add_option("--rows", rows_, "Rows of the table of facts")
      ->check(CLI::Range(TurnsData::kFewestSales, TurnsData::kMostSales))
      ->capture_default_str();
  app_->add_option("--passes", passes_, "Passes over all statements in turn, in each engine")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app_->add_option("--repeat", repeat_, "Runs of each statement in a row, in each engine")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app_->add_option("--seed", seed_, "Another seed gives other statements")->capture_default_str();
  app_->add_option("--json", json_, "Write the results to this file too");
  options_.AddTo(*app_);
  app_->add_flag("--list", list_, "Only list the statements");
  app_->footer(
      "All statements run on the device until they are ready there; then each one several times "
      "in\n"
      "a row, and then all of them in turn. Every answer is compared with DuckDB's.");
}

bool TurnsCommand::IsChosen() const {
  return app_->parsed();
}

ExitCode TurnsCommand::Run() {
  const std::vector<BenchmarkQuery> statements = MakeTurnsStatements(statements_, seed_);
  if (list_) {
    for (const BenchmarkQuery& statement : statements) {
      std::cout << "S" << statement.name << ": " << statement.sql << '\n';
    }
    return ExitCode::Ok;
  }
  const device::DeviceInfo& device = RequireDevice(options_.device);
  if (!json_.empty() && !std::ofstream(json_, std::ios::app)) {
    throw CommandError(ExitCode::Failed, json_ + " can't be written: name another --json file.");
  }
  TurnsData data(options_.data, rows_);
  data.Require(data.Tables(), std::cerr);
  const std::unique_ptr<Session> session = options_.OpenSession(data.Database());
  const TurnsSetting setting = Setting(device.name, session->Threads());
  std::cout << "Turns: " << statements.size() << " statements over " << FormatCount(rows_)
            << " sales, " << setting.threads << " threads, mode " << setting.mode << "\nDevice "
            << device.index << ": " << device.name << " (" << device.platform << ")\n"
            << std::endl;

  InterruptGuard guard(*session);
  ProgressLine progress(std::cerr);
  TurnsRunner runner(
      *session, repeat_, passes_, options_.mode, [&] { return guard.WasRaised(); }, progress);
  TurnsResult result = runner.Run(statements);
  progress.Clear();
  const TurnsReport report(setting, std::move(result));
  report.Print(std::cout);
  if (!json_.empty()) {
    report.WriteJson(json_);
  }
  return report.IsGood() ? ExitCode::Ok : ExitCode::Failed;
}

TurnsSetting TurnsCommand::Setting(const std::string& device, uint32_t threads) const {
  TurnsSetting setting;
  setting.sales = rows_;
  setting.seed = seed_;
  setting.device = device;
  setting.shape = options_.ShapeName();
  setting.mode = options_.mode;
  setting.threads = threads;
  setting.repeat = repeat_;
  setting.passes = passes_;
  return setting;
}

}  // namespace margay::tool
