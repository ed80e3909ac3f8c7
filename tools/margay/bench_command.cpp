#include "bench_command.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <utility>

#include "cold_runs.hpp"
#include "device/bandwidth.hpp"
#include "device/device_registry.hpp"
#include "device_choice.hpp"
#include "interrupt_guard.hpp"
#include "peers.hpp"
#include "progress_line.hpp"
#include "text_table.hpp"
#include "units.hpp"

namespace margay::tool {

BenchCommand::BenchCommand(CLI::App& parent, std::unique_ptr<BenchmarkSuite> suite)
    : suite_(std::move(suite)),
      app_(parent.add_subcommand(suite_->Name(), "The queries of " + suite_->Title())) {
  app_->add_option("--scale", scale_, "Scale factor; fractions are allowed")
      ->check(CLI::Range(BenchmarkSuite::kSmallestScale, suite_->LargestScale()))
      ->capture_default_str();
  app_->add_option("--queries", queries_, "For example " + suite_->ExampleOfQueries())
      ->capture_default_str();
  app_->add_option("--repeat", repeat_, "Hot runs of each query in each engine")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app_->add_option("--json", json_, "Write the results to this file too");
  app_->add_option("--peers", peers_,
                   "Measure these other engines too: hyper, datafusion, polars, chdb [all]")
      ->check(CLI::IsMember(Peers::Names()))
      ->delimiter(',')
      ->expected(0, static_cast<int>(Peers::Names().size()));
  app_->add_option("--chart", chart_, "Draw the times of --peers as bars into this SVG file")
      ->needs("--peers");
  app_->add_flag("--cold", cold_,
                 "Measure first runs too, in new processes: all cold, and with kernels on disk");
  options_.AddTo(*app_);
  suite_->AddDataOptions(*app_);
  suite_->AddQueryOptions(*app_);
  app_->add_flag("--list", list_, "Only list the queries and the tables they read");
  app_->footer(
      "Answers are compared first; then DuckDB and Margay run in turn. Columns:\n"
      "  ratio        how many times faster Margay is (medians of the hot runs)\n"
      "  share        of the device's measured read bandwidth that the kernels reach\n"
      "  above floor  Margay's time over that of reading the same bytes at full bandwidth\n"
      "  first ms     Margay's first run: encoding, compiling unless the kernels are on disk, "
      "running\n"
      "  cold ms      the first run of a new process without kernels on disk (--cold)\n"
      "  on disk ms   the first run of the next process, which finds them there (--cold)");
}

bool BenchCommand::IsChosen() const {
  return app_->parsed();
}

ExitCode BenchCommand::Run() {
  std::vector<BenchmarkQuery> queries = suite_->ReadQueries(queries_);
  if (list_) {
    PrintList(queries);
    return ExitCode::Ok;
  }
  const device::DeviceInfo& device = RequireDevice(options_.device);
  if (!json_.empty() && !std::ofstream(json_, std::ios::app)) {
    throw CommandError(ExitCode::Failed, json_ + " can't be written: name another --json file.");
  }

  const std::unique_ptr<Session> opened = options_.OpenSession(PrepareData(queries));
  Session& session = *opened;

  BenchmarkSetting setting;
  setting.suite = suite_->Name();
  setting.scale = scale_;
  setting.device = device.name;
  setting.shape = options_.ShapeName();
  setting.mode = options_.mode;
  setting.threads = session.Threads();
  setting.repeat = repeat_;
  setting.bandwidth_bytes_per_second =
      device::MeasureReadBandwidth(*device::DeviceRegistry::Instance().Open(device.index));

  std::cout << suite_->Title() << " at scale " << scale_ << ", " << setting.threads
            << " threads, mode " << options_.mode << "\nDevice " << device.index << ": "
            << device.name << " (" << device.platform << "), reads "
            << FormatBytes(setting.bandwidth_bytes_per_second) << "/s\n"
            << std::endl;

  BenchmarkReport report(setting);
  InterruptGuard guard(session);
  BenchmarkRunner runner(session, repeat_, options_.mode, [&] { return guard.WasRaised(); });
  ProgressLine progress(std::cerr);
  for (size_t i = 0; i < queries.size(); i++) {
    const auto& query = queries[i];
    progress.Show("Running Q" + query.name, i + 1, queries.size());
    BenchmarkResult result = runner.Run(query);
    if (cold_ && result.IsCompared()) {
      const std::filesystem::path scratch = options_.data / (suite_->Name() + "-cold");
      result.cold = ColdRuns(ArgumentsForOthers(), scratch).Run(query.name);
    }
    report.Add(std::move(result));
    if (guard.WasRaised()) {
      break;
    }
  }
  progress.Clear();
  if (app_->count("--peers") > 0 && !guard.WasRaised()) {
    RunPeers(session, queries, setting.threads, report);
  }
  report.Print(std::cout);
  if (!json_.empty()) {
    report.WriteJson(json_);
  }
  return report.IsGood() ? ExitCode::Ok : ExitCode::Failed;
}

std::vector<std::string> BenchCommand::ArgumentsForOthers() const {
  std::vector<std::string> arguments = {suite_->Name(), "--scale", FormatScale(scale_), "--data",
                                        options_.data,  "--mode",  options_.mode};
  const auto add = [&](const char* name, const std::string& value) {
    arguments.emplace_back(name);
    arguments.push_back(value);
  };
  if (!options_.device.empty()) {
    add("--device", options_.device);
  }
  if (!options_.shape.empty()) {
    add("--shape", options_.shape);
  }
  if (options_.threads > 0) {
    add("--threads", std::to_string(options_.threads));
  }
  return arguments;
}

void BenchCommand::RunPeers(Session& session, const std::vector<BenchmarkQuery>& queries,
                            uint32_t threads, BenchmarkReport& report) const {
  const std::filesystem::path scratch = options_.data / (suite_->Name() + "-peers");
  Peers peers(session, scratch, threads, repeat_);
  std::cerr << "Writing the tables and DuckDB's answers for the other engines" << std::endl;
  peers.Prepare(queries);
  // The parser stores an empty text for --peers without a list.
  const bool is_all = peers_.front().empty();
  for (const auto& name : is_all ? Peers::Names() : peers_) {
    std::cerr << "Running " << name << std::endl;
    report.AddPeer(peers.Run(name));
  }
  if (!chart_.empty()) {
    const std::string json = (scratch / "report.json").string();
    report.WriteJson(json);
    peers.DrawChart(json, chart_);
  }
}

void BenchCommand::PrintList(const std::vector<BenchmarkQuery>& queries) const {
  Session session({});
  TextTable table({{"query"}, {"tables"}});
  for (const auto& query : queries) {
    std::string names;
    for (const auto& name : session.TableNames(query.sql)) {
      names += (names.empty() ? "" : ", ") + name;
    }
    table.AddRow({"Q" + query.name, names});
  }
  table.Print(std::cout);
}

std::filesystem::path BenchCommand::PrepareData(const std::vector<BenchmarkQuery>& queries) const {
  std::set<std::string> tables;
  {
    Session session({});
    for (const auto& query : queries) {
      tables.merge(session.TableNames(query.sql));
    }
  }
  std::unique_ptr<BenchmarkData> data = suite_->KeptData(options_.data, scale_);
  data->Require(tables, std::cerr);
  return data->Database();
}

}  // namespace margay::tool
