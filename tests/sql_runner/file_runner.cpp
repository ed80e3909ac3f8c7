#include "file_runner.hpp"

#include <regex>
#include <stdexcept>
#include <utility>

#include "crash_note.hpp"
#include "integration/margay_extension.hpp"

namespace margay::test {

namespace {

constexpr const char* kOff = "margay off";

std::string Indented(const std::string& title, const std::string& text) {
  return "  " + title + ": " + text + "\n";
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) {
    text += (text.empty() ? "" : "\n") + line;
  }
  return text;
}

//! A problem, unless `error` is a message that holds the expected text.
std::string ErrorDifference(const Block& block, const Answer& answer) {
  if (!answer.HasError()) {
    return "  an error was expected, " + std::to_string(answer.RowCount()) + " rows came\n";
  }
  if (block.expected) {
    auto text = Joined(*block.expected);
    if (answer.Error().find(text) == std::string::npos) {
      return Indented("expected", text) + Indented("error", answer.Error());
    }
  }
  return "";
}

}  // namespace

std::unique_ptr<duckdb::DuckDB> OpenDatabase(const std::string& path) {
  auto database = std::make_unique<duckdb::DuckDB>(path);
  margay::Register(*database->instance);
  return database;
}

FileRunner::FileRunner(const RunnerOptions& options, Report& report, std::string path,
                       std::string directory)
    : options_(options),
      report_(report),
      path_(std::move(path)),
      directory_(std::move(directory)) {}

void FileRunner::Run() {
  auto blocks = ReadScript(path_, directory_);
  Open();
  for (const auto& block : blocks) {
    try {
      RunBlock(block);
    } catch (const Stop&) {
      break;
    } catch (const std::exception& exception) {
      report_.Fail(path_ + ":" + std::to_string(block.line), "test runner", block.sql,
                   Indented("exception", exception.what()));
      break;
    }
  }
  Close();
}

void FileRunner::RunBlock(const Block& block) {
  switch (block.kind) {
    case BlockKind::Statement:
      return RunStatement(block);
    case BlockKind::StatementError:
      return RunStatementError(block);
    case BlockKind::Query:
      return RunQuery(block);
    case BlockKind::Error:
      return RunError(block);
    case BlockKind::Database:
      Close();
      database_path_ = directory_ + "/" + block.argument;
      return Open();
    case BlockKind::Restart:
      Close();
      return Open();
    case BlockKind::Tails:
      tail_rows_ = std::stoull(block.argument);
      return;
    case BlockKind::Memory:
      memory_ = block.argument.substr(0, block.argument.find('/'));
      own_memory_ = block.argument.substr(block.argument.find('/') + 1);
      return;
    case BlockKind::Require:
      if (!HasExtension(block.argument)) {
        report_.Skip(path_ + ":" + std::to_string(block.line),
                     "DuckDB has no extension " + block.argument);
        throw Stop();
      }
      return;
  }
}

void FileRunner::RunStatement(const Block& block) {
  bool forced = block.forced && !options_.targets.empty();
  SetMode(block, forced ? "force" : "off", forced ? &options_.targets[0] : nullptr);
  auto before = forced ? ReadCounters() : DeviceCounters();
  auto answer = Answer::Of(ConnectionOf(block), block.sql);
  auto setting = forced ? options_.targets[0].Name() : kOff;
  if (answer.HasError()) {
    Check(block, setting, Indented("error", answer.Error()));
    throw Stop();
  }
  Check(block, setting, forced ? before.NoneUntil(ReadCounters()) : "");
}

void FileRunner::RunStatementError(const Block& block) {
  SetMode(block, "off", nullptr);
  Check(block, kOff, ErrorDifference(block, Answer::Of(ConnectionOf(block), block.sql)));
}

std::vector<Target> FileRunner::TargetsOf(const Block& block) const {
  return std::hash<std::string>()(block.sql) % options_.every == 0 ? options_.targets
                                                                   : std::vector<Target>();
}

void FileRunner::RunQuery(const Block& block) {
  const std::vector<Target> targets = TargetsOf(block);
  SetMode(block, "off", nullptr);
  auto wanted = Answer::Of(ConnectionOf(block), block.sql);
  if (wanted.HasError()) {
    return Check(block, kOff, Indented("error", wanted.Error()));
  }
  if (block.types != "*" && block.types.size() != wanted.ColumnCount()) {
    return Check(block, kOff, "  it has " + std::to_string(wanted.ColumnCount()) + " columns\n");
  }
  if (block.expected) {
    Check(block, kOff, wanted.DifferenceTo(*block.expected, block.sort));
  }
  if (!block.label.empty()) {
    auto [same, is_first] = labels_.emplace(block.label, wanted);
    if (!is_first) {
      Check(block, kOff, same->second.DifferenceTo(wanted, block.sort, block.tolerant));
    }
  }
  for (const auto& target : targets) {
    block.stays ? RunStays(block, wanted, target) : RunForced(block, wanted, target);
  }
  if (options_.with_auto && !block.stays && !targets.empty()) {
    RunAuto(block, wanted, targets[0]);
  }
}

void FileRunner::RunForced(const Block& block, const Answer& wanted, const Target& target) {
  SetMode(block, "force", &target);
  auto before = ReadCounters();
  auto found = Answer::Of(ConnectionOf(block), block.sql);
  if (found.HasError()) {
    return Check(block, target.Name(), Indented("error", found.Error()));
  }
  auto problem = wanted.DifferenceTo(found, block.sort, block.tolerant);
  if (!block.anywhere) {
    problem += before.NoneUntil(ReadCounters());
  }
  Check(block, target.Name(), problem);
}

void FileRunner::RunAuto(const Block& block, const Answer& wanted, const Target& target) {
  SetMode(block, "auto", &target);
  auto found = Answer::Of(ConnectionOf(block), block.sql);
  Check(block, "auto mode, " + target.Name(),
        found.HasError() ? Indented("error", found.Error())
                         : wanted.DifferenceTo(found, block.sort, block.tolerant));
}

void FileRunner::RunStays(const Block& block, const Answer& wanted, const Target& target) {
  SetMode(block, "force", &target);
  auto refused = Answer::Of(ConnectionOf(block), block.sql);
  std::string problem;
  if (!refused.HasError()) {
    problem = "  force mode was expected to refuse it: " + *block.stays + "\n";
  } else if (!std::regex_search(refused.Error(), std::regex(*block.stays, std::regex::icase))) {
    problem = Indented("expected", *block.stays) + Indented("error", refused.Error());
  }
  Check(block, target.Name(), problem);
  RunAuto(block, wanted, target);
}

void FileRunner::RunError(const Block& block) {
  const std::vector<Target> targets = TargetsOf(block);
  SetMode(block, "off", nullptr);
  auto wanted = Answer::Of(ConnectionOf(block), block.sql);
  auto problem = ErrorDifference(block, wanted);
  Check(block, kOff, problem);
  if (!problem.empty()) {
    return;
  }
  for (const auto& target : targets) {
    SetMode(block, "force", &target);
    auto found = Answer::Of(ConnectionOf(block), block.sql);
    if (!found.HasError()) {
      Check(block, target.Name(), ErrorDifference(block, found));
    } else {
      Check(block, target.Name(),
            wanted.Error() == found.Error()
                ? ""
                : Indented("expected", wanted.Error()) + Indented("error", found.Error()));
    }
  }
}

void FileRunner::Open() {
  database_ = OpenDatabase(database_path_);
  monitor_ = std::make_unique<duckdb::Connection>(*database_);
  if (!options_.targets.empty()) {
    Execute(*monitor_, "SET GLOBAL margay_cache_directory = '" + options_.cache_directory + "'");
    Execute(*monitor_, "SET margay_mode = 'off'");
  }
}

void FileRunner::Close() {
  monitor_.reset();
  connections_.clear();
  database_.reset();
}

bool FileRunner::HasExtension(const std::string& name) {
  auto found = Answer::Of(*monitor_,
                          "SELECT 1 FROM duckdb_extensions() WHERE loaded AND "
                          "extension_name = '" +
                              name + "'");
  return found.RowCount() > 0;
}

duckdb::Connection& FileRunner::ConnectionOf(const Block& block) {
  auto& connection = connections_[block.connection];
  if (!connection) {
    connection = std::make_unique<duckdb::Connection>(*database_);
  }
  return *connection;
}

void FileRunner::SetMode(const Block& block, const std::string& mode, const Target* target) {
  NoteForCrash(path_, block.line, target ? target->Name() : kOff);
  if (options_.targets.empty()) {
    return;
  }
  auto& connection = ConnectionOf(block);
  if (target) {
    Execute(connection, "SET margay_device = '" + target->device + "'");
    Execute(connection, "SET margay_shape = '" + target->shape + "'");
    Execute(connection, "SET margay_tail_rows = " + std::to_string(tail_rows_));
    Execute(connection, "SET margay_min_rows = 0");
    if (!memory_.empty()) {
      Execute(connection, "SET GLOBAL margay_device_memory = '" +
                              (target->has_own_memory ? own_memory_ : memory_) + "'");
    }
  }
  Execute(connection, "SET margay_mode = '" + mode + "'");
}

void FileRunner::Execute(duckdb::Connection& connection, const std::string& sql) {
  auto answer = Answer::Of(connection, sql);
  if (answer.HasError()) {
    throw std::runtime_error(sql + ": " + answer.Error());
  }
}

FileRunner::DeviceCounters FileRunner::ReadCounters() {
  auto found = Answer::Of(*monitor_, "SELECT name, value FROM margay_counters()");
  std::map<std::string, uint64_t> values;
  for (const auto& row : found.Rows()) {
    values[row[0].value_or("")] = std::stoull(row[1].value_or("0"));
  }
  if (found.HasError() || !values.contains("device_executions")) {
    throw std::runtime_error("margay_counters() has no device_executions: " + found.Error());
  }
  return {values["device_executions"], values["runtime_fallbacks"]};
}

std::string FileRunner::DeviceCounters::NoneUntil(const DeviceCounters& later) const {
  if (later.executions > executions) {
    return "";
  }
  return later.fallbacks > fallbacks ? "  the device gave up while it ran, and DuckDB answered\n"
                                     : "  it did not run on the device\n";
}

void FileRunner::Check(const Block& block, const std::string& setting, const std::string& problem) {
  if (problem.empty()) {
    report_.Pass();
    return;
  }
  report_.Fail(path_ + ":" + std::to_string(block.line), setting, block.sql, problem);
  if (options_.stop_on_first) {
    throw Stop();
  }
}

}  // namespace margay::test
