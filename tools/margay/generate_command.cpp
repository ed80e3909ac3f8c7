#include "generate_command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <utility>

namespace margay::tool {

GenerateCommand::GenerateCommand(CLI::App& parent, std::unique_ptr<BenchmarkSuite> suite)
    : suite_(std::move(suite)),
      app_(parent.add_subcommand(suite_->Name(), "The tables of " + suite_->Title())) {
  app_->add_option("--scale", scale_, "Scale factor; fractions are allowed")
      ->check(CLI::Range(BenchmarkSuite::kSmallestScale, suite_->LargestScale()))
      ->capture_default_str();
  app_->add_option("--database", database_,
                   "New database file [the one that 'margay bench " + suite_->Name() +
                       "' keeps in the folder of --data]");
  app_->add_option("--data", data_, "Folder where benchmarks keep their data")
      ->envname("MARGAY_DATA")
      ->capture_default_str();
  suite_->AddDataOptions(*app_);
}

bool GenerateCommand::IsChosen() const {
  return app_->parsed();
}

ExitCode GenerateCommand::Run() {
  // Tables that are there already could be of another scale, or of another benchmark.
  if (!database_.empty() && std::filesystem::exists(database_)) {
    throw CommandError(ExitCode::Failed,
                       database_.string() + " exists: delete it, or name another --database.");
  }
  std::unique_ptr<BenchmarkData> data =
      database_.empty() ? suite_->KeptData(data_, scale_) : suite_->DataIn(database_, scale_);
  data->Require(data->Tables(), std::cout);
  std::cout << "All tables of " << suite_->Title() << " are in " << data->Database().string()
            << '\n';
  return ExitCode::Ok;
}

}  // namespace margay::tool
