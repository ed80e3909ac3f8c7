#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace margay::tool {

class Session;

//! The options that all benchmarks have: how Margay runs, and where files are kept.
struct BenchmarkOptions {
  std::string mode = "force";
  //! As in margay_device, margay_shape and margay_cache_directory; empty leaves the default.
  std::string device;
  std::string shape;
  std::string cache;
  //! 0 for DuckDB's own choice.
  uint32_t threads = 0;
  std::filesystem::path data = "margay-data";

  //! Adds the options to a command; the parser fills this object.
  void AddTo(CLI::App& app);

  //! The name of the shape.
  std::string ShapeName() const { return shape.empty() ? "auto" : shape; }

  //! Opens `database` for reading only, with these options, but with margay_mode off. Throws
  //! SqlError.
  std::unique_ptr<Session> OpenSession(const std::filesystem::path& database) const;
};

}  // namespace margay::tool
