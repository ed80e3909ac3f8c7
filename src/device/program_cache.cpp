#include "device/program_cache.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "device/device_error.hpp"
#include "device/device_state.hpp"
#include "device/program_builder.hpp"
#include "device/program_store.hpp"

namespace margay::device {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::mutex directory_mutex;
std::optional<fs::path>& ChosenDirectory() {
  static auto* const directory = new std::optional<fs::path>();
  return *directory;
}

fs::path DefaultDirectory() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return fs::path(cache) / "margay";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return fs::path(home) / ".cache" / "margay";
  }
  return {};
}

std::atomic<bool> may_optimize{true};

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

bool IsReady(const std::shared_future<std::shared_ptr<Program>>& entry) {
  return entry.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

//! What every program is built with, then what the caller adds.
std::string AllOptions(const DeviceState& state, const std::string& options) {
  std::string all = "-cl-std=CL1.2";
  if (state.Found().rounds_single_correctly) {
    all += " -cl-fp32-correctly-rounded-divide-sqrt";
  }
  if (!may_optimize) {
    all += " -cl-opt-disable";
  }
  return options.empty() ? all : all + " " + options;
}

}  // namespace

ProgramCache::ProgramCache(std::shared_ptr<DeviceState> state) : state_(std::move(state)) {}

ProgramCache::~ProgramCache() = default;

std::shared_ptr<Program> ProgramCache::Get(const std::string& source, const std::string& options) {
  const std::string all_options = AllOptions(*state_, options);
  const std::string key = all_options + '\0' + source;
  std::promise<std::shared_ptr<Program>> promise;
  Future future;
  bool is_ours = false;
  {
    const std::lock_guard lock(mutex_);
    const auto [position, is_new] = entries_.try_emplace(key);
    if (is_new) {
      position->second.program = promise.get_future().share();
    }
    future = position->second.program;
    is_ours = is_new;
    Touch(position->second);
  }
  if (is_ours) {
    try {
      std::shared_ptr<Program> program = Load(source, all_options);
      promise.set_value(program != nullptr ? program : Compile(source, all_options));
    } catch (...) {
      {
        const std::lock_guard lock(mutex_);
        entries_.erase(key);
      }
      promise.set_exception(std::current_exception());
    }
  }
  const std::shared_ptr<Program> program = future.get();
  program->CountUse();
  return program;
}

void ProgramCache::Touch(Entry& entry) {
  entry.last_use = ++uses_;
  while (entries_.size() > most_programs_) {
    auto oldest = entries_.end();
    for (auto position = entries_.begin(); position != entries_.end(); ++position) {
      if (IsReady(position->second.program) &&
          (oldest == entries_.end() || position->second.last_use < oldest->second.last_use)) {
        oldest = position;
      }
    }
    if (oldest == entries_.end() || oldest->second.last_use == uses_) {
      return;  // All others are being compiled.
    }
    entries_.erase(oldest);
  }
}

std::shared_ptr<Program> ProgramCache::Find(const std::string& source, const std::string& options) {
  const std::string all_options = AllOptions(*state_, options);
  const std::string key = all_options + '\0' + source;
  {
    const std::lock_guard lock(mutex_);
    if (const auto position = entries_.find(key); position != entries_.end()) {
      if (!IsReady(position->second.program)) {
        return nullptr;
      }
      const std::shared_ptr<Program> program = position->second.program.get();
      Touch(position->second);
      program->CountUse();
      return program;
    }
  }
  std::shared_ptr<Program> program = Load(source, all_options);
  if (program == nullptr) {
    return nullptr;
  }
  std::promise<std::shared_ptr<Program>> promise;
  promise.set_value(program);
  {
    const std::lock_guard lock(mutex_);
    Touch(entries_.try_emplace(key, Entry{promise.get_future().share()}).first->second);
  }
  program->CountUse();
  return program;
}

std::vector<ProgramStatistics> ProgramCache::Snapshot() const {
  const std::lock_guard lock(mutex_);
  std::vector<ProgramStatistics> statistics;
  for (const auto& [key, entry] : entries_) {
    if (IsReady(entry.program)) {
      statistics.push_back(entry.program.get()->Statistics());
    }
  }
  return statistics;
}

void ProgramCache::Limit(size_t most_programs) {
  const std::lock_guard lock(mutex_);
  most_programs_ = most_programs;
}

void ProgramCache::Clear() {
  std::unordered_map<std::string, Entry> cleared;
  const std::lock_guard lock(mutex_);
  cleared.swap(entries_);
}

void ProgramCache::SetDirectory(fs::path directory) {
  const std::lock_guard lock(directory_mutex);
  ChosenDirectory() = std::move(directory);
}

fs::path ProgramCache::Directory() {
  const std::lock_guard lock(directory_mutex);
  return ChosenDirectory() ? *ChosenDirectory() : DefaultDirectory();
}

void ProgramCache::SetOptimized(bool is_optimized) {
  may_optimize = is_optimized;
}

std::shared_ptr<Program> ProgramCache::Compile(const std::string& source,
                                               const std::string& options) {
  const Clock::time_point start = Clock::now();
  ProgramBuilder builder = ProgramBuilder::FromSource(state_, source);
  builder.Build(options);
  ProgramStatistics statistics{source, options, "compiled", MillisecondsSince(start), 0, 0};
  const ProgramStore store(Directory());
  if (store.IsEnabled()) {
    try {
      const std::string binary = builder.Binary();
      statistics.binary_bytes = binary.size();
      store.Save(StoreKey(source, options), binary);
    } catch (const DeviceError& error) {
      if (error.IsDeviceLost()) {
        throw;
      }
    }
  }
  return std::make_shared<Program>(state_, builder.Detach(), std::move(statistics));
}

std::shared_ptr<Program> ProgramCache::Load(const std::string& source, const std::string& options) {
  const Clock::time_point start = Clock::now();
  const std::optional<std::string> binary =
      ProgramStore(Directory()).Load(StoreKey(source, options));
  if (!binary) {
    return nullptr;
  }
  try {
    ProgramBuilder builder = ProgramBuilder::FromBinary(state_, *binary);
    builder.Build(options);
    return std::make_shared<Program>(
        state_, builder.Detach(),
        ProgramStatistics{source, options, "disk", MillisecondsSince(start), binary->size(), 0});
  } catch (const DeviceError& error) {
    if (error.IsDeviceLost()) {
      throw;
    }
    return nullptr;
  }
}

std::string ProgramCache::StoreKey(const std::string& source, const std::string& options) const {
  return state_->Found().identity + "options: " + options + "\nsource:\n" + source;
}

}  // namespace margay::device
