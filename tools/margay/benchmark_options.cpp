#include "benchmark_options.hpp"

#include <CLI/CLI.hpp>

#include "session.hpp"

namespace margay::tool {

void BenchmarkOptions::AddTo(CLI::App& app) {
  app.add_option("--mode", mode, "Margay's mode: force, or auto as users run it")
      ->check(CLI::IsMember({"force", "auto"}))
      ->capture_default_str();
  app.add_option("--cache", cache, "Folder of compiled kernels, instead of the user's");
  app.add_option("--device", device, "Device: auto, an index, a kind (cpu, gpu), part of a name");
  app.add_option("--shape", shape, "Shape of the kernels")
      ->check(CLI::IsMember({"auto", "loop", "lanes"}));
  app.add_option("--threads", threads, "Threads of DuckDB and of a CPU device [all]")
      ->check(CLI::Range(1U, kMostThreads));
  app.add_option("--data", data, "Folder where the data is kept for the next run")
      ->envname("MARGAY_DATA")
      ->capture_default_str();
}

std::unique_ptr<Session> BenchmarkOptions::OpenSession(
    const std::filesystem::path& database) const {
  SessionOptions options;
  options.database = database.string();
  options.read_only = true;
  options.threads = threads;
  options.device = device;
  options.shape = shape;
  options.mode = "off";
  auto session = std::make_unique<Session>(options);
  if (!cache.empty()) {
    session->Query("SET GLOBAL margay_cache_directory = " + SqlString(cache));
  }
  return session;
}

}  // namespace margay::tool
