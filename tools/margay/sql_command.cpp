#include "sql_command.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string_view>

#include "device_choice.hpp"
#include "interrupt_guard.hpp"
#include "stopwatch.hpp"
#include "units.hpp"

namespace margay::tool {
namespace {

//! More rows than anybody reads.
constexpr size_t kMostRows = 1000000000;

//! No statement is one word that ends like this.
bool LooksLikeFile(const std::string& source) {
  constexpr std::string_view ending = ".sql";
  return source.size() > ending.size() &&
         source.compare(source.size() - ending.size(), ending.size(), ending) == 0 &&
         source.find_first_of(" \t\n;") == std::string::npos;
}

}  // namespace

SqlCommand::SqlCommand(CLI::App& parent)
    : app_(parent.add_subcommand("sql", "Runs SQL statements, up to the first error")) {
  app_->add_option("source", source_,
                   "Statements, or the name of a file with statements, or - for standard input")
      ->required();
  app_->add_option("--database", options_.database,
                   "Database file, made where there is none [in memory]");
  app_->add_flag("--read-only", options_.read_only, "Open the database for reading only");
  app_->add_option("--device", options_.device,
                   "Device: auto, an index, a kind (cpu, gpu) or part of a name");
  app_->add_option("--shape", options_.shape, "Shape of the kernels")
      ->check(CLI::IsMember({"auto", "loop", "lanes"}));
  app_->add_option("--mode", options_.mode,
                   "auto: where it is expected to win; force: on the device or an error; off")
      ->check(CLI::IsMember({"auto", "force", "off"}));
  app_->add_option("--threads", options_.threads, "Threads [all]")
      ->check(CLI::Range(1U, kMostThreads));
  app_->add_option("--format", format_, "Output")
      ->check(CLI::IsMember({"table", "csv", "json"}))
      ->capture_default_str();
  app_->add_option("--rows", largest_rows_, "Rows that a table shows at most")
      ->check(CLI::Range(size_t{1}, kMostRows))
      ->capture_default_str();
  app_->add_flag("--timing", timing_, "Print each statement's time to standard error");
  app_->footer(
      "Ctrl-C interrupts the running statement. Examples:\n"
      "  margay sql \"SELECT * FROM margay_devices()\"\n"
      "  margay sql --database my.db --format csv report.sql > report.csv\n"
      "  margay sql --database my.db --mode force --timing \"SELECT sum(i) FROM numbers\"");
}

bool SqlCommand::IsChosen() const {
  return app_->parsed();
}

ExitCode SqlCommand::Run() {
  std::string sql = ReadSource();
  if (!options_.device.empty() || options_.mode == "force") {
    RequireDevice(options_.device);
  }
  Session session(options_);
  InterruptGuard guard(session);
  Stopwatch watch;
  session.RunScript(
      sql, format_ == "table" ? Session::Results::Materialized : Session::Results::Streamed,
      [&](Answer& answer) {
        Print(answer);
        if (timing_) {
          std::cout.flush();
          std::cerr << "Time: " << FormatMilliseconds(watch.Milliseconds()) << " ms" << std::endl;
        }
        watch = Stopwatch();
      });
  return ExitCode::Ok;
}

std::string SqlCommand::ReadSource() const {
  if (source_ == "-") {
    std::stringstream text;
    text << std::cin.rdbuf();
    return text.str();
  }
  std::error_code error;
  if (!std::filesystem::is_regular_file(source_, error)) {
    if (LooksLikeFile(source_)) {
      throw CommandError(ExitCode::Failed, source_ + ": no such file.");
    }
    return source_;
  }
  std::ifstream file(source_);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) {
    throw CommandError(ExitCode::Failed, source_ + " can't be read.");
  }
  return text.str();
}

void SqlCommand::Print(Answer& answer) const {
  if (!answer.HasRows()) {
    return;
  }
  if (format_ == "csv") {
    answer.WriteCsv(std::cout);
  } else if (format_ == "json") {
    answer.WriteJson(std::cout);
  } else {
    answer.WriteBox(std::cout, largest_rows_);
  }
}

}  // namespace margay::tool
