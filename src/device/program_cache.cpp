#include "device/program_cache.hpp"

#include <malloc.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
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

//! See ProgramCache.
constexpr uint64_t kProgramBytes = uint64_t{400} << 10;
constexpr uint64_t kTimesBinary = 10;
constexpr uint64_t kPoclProgramBytes = uint64_t{16} << 10;
constexpr uint64_t kPoclTimesBinary = 3;

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

std::string ProgramCache::KeyOf(const ProgramSource& source, const std::string& options) {
  const auto& [low, high] = source.Hash();
  std::string key(2 * sizeof(uint64_t), '\0');
  std::memcpy(key.data(), &low, sizeof(low));
  std::memcpy(key.data() + sizeof(low), &high, sizeof(high));
  return key + options;
}

std::shared_ptr<Program> ProgramCache::Get(const ProgramSource& source,
                                           const std::string& options) {
  const std::string all_options = AllOptions(*state_, options);
  const std::string key = KeyOf(source, all_options);
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
      if (program == nullptr) {
        program = Compile(source, all_options);
      }
      promise.set_value(program);
      std::vector<Future> dropped;
      const std::lock_guard lock(mutex_);
      dropped = Account(key, *program);
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
}

std::vector<ProgramCache::Future> ProgramCache::Account(const std::string& key,
                                                        const Program& program) {
  const auto position = entries_.find(key);
  if (position != entries_.end() && position->second.bytes == 0) {
    position->second.bytes = program.Statistics().memory_bytes;
    bytes_ += position->second.bytes;
  }
  return Shrink();
}

std::vector<ProgramCache::Future> ProgramCache::Shrink() {
  std::vector<Future> dropped;
  while (bytes_ > most_bytes_) {
    auto oldest = entries_.end();
    for (auto position = entries_.begin(); position != entries_.end(); ++position) {
      const Entry& entry = position->second;
      if (entry.bytes != 0 && entry.last_use != uses_ &&
          (oldest == entries_.end() || entry.last_use < oldest->second.last_use)) {
        oldest = position;
      }
    }
    if (oldest == entries_.end()) {
      break;  // All others are being compiled.
    }
    bytes_ -= oldest->second.bytes;
    dropped.push_back(std::move(oldest->second.program));
    entries_.erase(oldest);
  }
  return dropped;
}

std::shared_ptr<Program> ProgramCache::Find(const ProgramSource& source,
                                            const std::string& options) {
  const std::string all_options = AllOptions(*state_, options);
  const std::string key = KeyOf(source, all_options);
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
  std::vector<Future> dropped;
  {
    const std::lock_guard lock(mutex_);
    Touch(entries_.try_emplace(key, Entry{promise.get_future().share()}).first->second);
    dropped = Account(key, *program);
  }
  program->CountUse();
  return program;
}

bool ProgramCache::IsInMemory(const ProgramSource& source, const std::string& options) {
  const std::string key = KeyOf(source, AllOptions(*state_, options));
  const std::lock_guard lock(mutex_);
  const auto position = entries_.find(key);
  if (position == entries_.end() || !IsReady(position->second.program)) {
    return false;
  }
  Touch(position->second);
  return true;
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

void ProgramCache::Limit(uint64_t most_bytes) {
  std::vector<Future> dropped;
  const std::lock_guard lock(mutex_);
  most_bytes_ = most_bytes;
  dropped = Shrink();
}

uint64_t ProgramCache::Clear() {
  uint64_t bytes = 0;
  {
    std::unordered_map<std::string, Entry> cleared;
    const std::lock_guard lock(mutex_);
    cleared.swap(entries_);
    bytes = std::exchange(bytes_, 0);
  }
  // The runtimes free the memory of programs, but glibc holds on to it: most of it lies between
  // what is in use.
  malloc_trim(0);
  return bytes;
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

uint64_t ProgramCache::MemoryBytes(uint64_t binary_bytes) const {
  const DeviceInfo& info = state_->Info();
  if (info.platform.find("Portable Computing Language") != std::string::npos) {
    return kPoclProgramBytes + kPoclTimesBinary * binary_bytes;
  }
  // Intel's runtime, and others, which were not measured.
  return kProgramBytes + kTimesBinary * binary_bytes;
}

std::shared_ptr<Program> ProgramCache::Compile(const ProgramSource& source,
                                               const std::string& options) {
  const Clock::time_point start = Clock::now();
  ProgramBuilder builder = ProgramBuilder::FromSource(state_, source.Text());
  builder.Build(options);
  ProgramStatistics statistics{source.SharedText(), options, "compiled", 0, 0, 0, 0};
  try {
    const std::string binary = builder.Binary();
    statistics.binary_bytes = binary.size();
    statistics.memory_bytes = MemoryBytes(binary.size());
    const ProgramStore store(Directory());
    if (store.IsEnabled()) {
      store.Save(StoreKey(source.Text(), options), binary);
    }
    if (state_->Info().kind == DeviceKind::Cpu) {
      ProgramBuilder small = ProgramBuilder::FromBinary(state_, binary);
      small.Build(options);
      builder = std::move(small);
    }
  } catch (const DeviceError& error) {
    // It stays as it was compiled.
    if (error.IsDeviceLost()) {
      throw;
    }
  }
  statistics.build_milliseconds = MillisecondsSince(start);
  return std::make_shared<Program>(state_, builder.Detach(), std::move(statistics));
}

std::shared_ptr<Program> ProgramCache::Load(const ProgramSource& source,
                                            const std::string& options) {
  const Clock::time_point start = Clock::now();
  const std::optional<std::string> binary =
      ProgramStore(Directory()).Load(StoreKey(source.Text(), options));
  if (!binary) {
    return nullptr;
  }
  try {
    ProgramBuilder builder = ProgramBuilder::FromBinary(state_, *binary);
    builder.Build(options);
    return std::make_shared<Program>(
        state_, builder.Detach(),
        ProgramStatistics{source.SharedText(), options, "disk", MillisecondsSince(start),
                          binary->size(), MemoryBytes(binary->size()), 0});
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
