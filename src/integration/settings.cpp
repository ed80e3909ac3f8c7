#include "integration/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "device/device_registry.hpp"
#include "device/program_cache.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/main/database.hpp"
#include "storage/constants.hpp"

namespace margay::integration {
namespace {

constexpr const char* kMode = "margay_mode";
constexpr const char* kDevice = "margay_device";
constexpr const char* kShape = "margay_shape";
constexpr const char* kJoinMethod = "margay_join_method";
constexpr const char* kCacheDirectory = "margay_cache_directory";
constexpr const char* kDeviceMemory = "margay_device_memory";
constexpr const char* kMinRows = "margay_min_rows";
constexpr const char* kTailRows = "margay_tail_rows";
constexpr const char* kDictionaryStrings = "margay_dictionary_strings";
constexpr const char* kPartitions = "margay_partitions";
constexpr const char* kExplainProgram = "margay_explain_program";

//! Below this DuckDB answers in about the time that a launch and the fetch of its result take.
constexpr uint64_t kDefaultMinRows = 100000;
//! What DuckDB sorts or limits in well under a millisecond.
constexpr uint64_t kDefaultTailRows = 10000;

//! The plan of each is generated anew, and a launch takes some microseconds.
constexpr uint64_t kMostPartitions = 1024;
constexpr uint64_t kAnyNumber = UINT64_MAX;
//! Up to here every whole number is a DOUBLE.
constexpr double kLargestWholeDouble = 9007199254740992.0;

constexpr const char* kAuto = "auto";

std::string Lower(const duckdb::Value& value) {
  return duckdb::StringUtil::Lower(value.ToString());
}

void RefuseUnlessOneOf(const char* setting, const duckdb::Value& value,
                       const std::vector<std::string_view>& good) {
  std::string text = Lower(value);
  std::string list;
  for (std::string_view name : good) {
    if (text == name) {
      return;
    }
    list += (list.empty() ? "" : ", ") + std::string(name);
  }
  throw duckdb::InvalidInputException("%s must be one of %s, not '%s'", setting, list,
                                      value.ToString());
}

void CheckMode(duckdb::ClientContext&, duckdb::SetScope, duckdb::Value& value) {
  RefuseUnlessOneOf(kMode, value, {"auto", "force", "off"});
  value = duckdb::Value(Lower(value));
}

void CheckShape(duckdb::ClientContext&, duckdb::SetScope, duckdb::Value& value) {
  RefuseUnlessOneOf(kShape, value, {"auto", "loop", "lanes"});
  value = duckdb::Value(Lower(value));
}

void CheckJoinMethod(duckdb::ClientContext&, duckdb::SetScope, duckdb::Value& value) {
  std::vector<std::string_view> names{kAuto};
  for (optimize::JoinMethod method : optimize::kJoinMethods) {
    names.push_back(optimize::JoinMethodName(method));
  }
  RefuseUnlessOneOf(kJoinMethod, value, names);
  value = duckdb::Value(Lower(value));
}

void CheckDevice(duckdb::ClientContext&, duckdb::SetScope, duckdb::Value& value) {
  if (value.IsNull() || value.ToString().empty()) {
    throw duckdb::InvalidInputException(
        "%s must be auto, a kind of device (cpu, gpu), its index in margay_devices() or a part of "
        "its name",
        kDevice);
  }
  if (Lower(value) == kAuto) {
    return;
  }
  std::string problem;
  if (!device::DeviceRegistry::Instance().Find(value.ToString(), &problem)) {
    throw duckdb::InvalidInputException("%s = '%s': %s", kDevice, value.ToString(), problem);
  }
}

//! The bytes of a size such as '4GB'; none where `text` is no such size.
std::optional<uint64_t> ParseSize(const std::string& text) {
  duckdb::idx_t bytes = 0;
  std::string problem = duckdb::StringUtil::TryParseFormattedBytes(text, bytes);
  return problem.empty() ? std::optional<uint64_t>(bytes) : std::nullopt;
}

void CheckDeviceMemory(duckdb::ClientContext&, duckdb::SetScope, duckdb::Value& value) {
  if (Lower(value) != kAuto && !ParseSize(value.ToString())) {
    throw duckdb::InvalidInputException("%s must be auto or a size such as '4GB', not '%s'",
                                        kDeviceMemory, value.ToString());
  }
}

//! Makes the folder, unless it is there. An error says why it can't be written to.
std::error_code PrepareFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && access(folder.c_str(), W_OK | X_OK) != 0) {
    error = std::error_code(errno, std::generic_category());
  }
  return error;
}

void UseCacheDirectory(duckdb::ClientContext&, duckdb::SetScope, duckdb::Value& value) {
  if (value.IsNull()) {
    throw duckdb::InvalidInputException(
        "%s must be the name of a folder, or '' to store no kernels, not NULL", kCacheDirectory);
  }
  const std::string folder = value.ToString();
  if (const std::error_code error = folder.empty() ? std::error_code() : PrepareFolder(folder)) {
    throw duckdb::InvalidInputException(
        "%s = '%s': %s; choose a folder that can be written to, or '' to store no kernels",
        kCacheDirectory, folder, error.message());
  }
  device::ProgramCache::SetDirectory(folder);
}

//! The whole number that a value is, also if it is written as 1e6; none where it is no such number.
std::optional<uint64_t> WholeNumber(const duckdb::Value& value) {
  duckdb::Value number;
  std::string problem;
  if (value.IsNull()) {
    return std::nullopt;
  }
  if (value.DefaultTryCastAs(duckdb::LogicalType::UBIGINT, number, &problem, true)) {
    return number.GetValue<uint64_t>();
  }
  if (!value.DefaultTryCastAs(duckdb::LogicalType::DOUBLE, number, &problem, true)) {
    return std::nullopt;
  }
  const double real = number.GetValue<double>();
  const bool is_whole = real >= 0 && real < kLargestWholeDouble && real == std::floor(real);
  return is_whole ? std::optional(static_cast<uint64_t>(real)) : std::nullopt;
}

//! Takes numbers from `least` to `most`. Settings of numbers are texts, as DuckDB would refuse what is
//! no number before it is checked here, and not say what is good.
void CheckNumber(const char* setting, uint64_t least, uint64_t most, duckdb::Value& value) {
  const std::optional<uint64_t> number = WholeNumber(value);
  if (!number || *number < least || *number > most) {
    const std::string range = most == kAnyNumber
                                  ? std::to_string(least) + " or larger"
                                  : "from " + std::to_string(least) + " to " + std::to_string(most);
    throw duckdb::InvalidInputException("%s must be a whole number, %s, not %s", setting, range,
                                        value.IsNull() ? "NULL" : "'" + value.ToString() + "'");
  }
  value = duckdb::Value(std::to_string(*number));
}

void CheckMinRows(duckdb::ClientContext&, duckdb::SetScope, duckdb::Value& value) {
  CheckNumber(kMinRows, 0, kAnyNumber, value);
}

void CheckTailRows(duckdb::ClientContext&, duckdb::SetScope, duckdb::Value& value) {
  CheckNumber(kTailRows, 0, kAnyNumber, value);
}

void CheckDictionaryStrings(duckdb::ClientContext&, duckdb::SetScope, duckdb::Value& value) {
  CheckNumber(kDictionaryStrings, 0, kAnyNumber, value);
}

void CheckPartitions(duckdb::ClientContext&, duckdb::SetScope, duckdb::Value& value) {
  CheckNumber(kPartitions, 1, kMostPartitions, value);
}

void CheckExplainProgram(duckdb::ClientContext&, duckdb::SetScope, duckdb::Value& value) {
  RefuseUnlessOneOf(kExplainProgram, value, {"true", "false"});
  value = duckdb::Value(Lower(value));
}

std::string Text(const duckdb::ClientContext& context, const char* setting) {
  duckdb::Value value;
  if (!context.TryGetCurrentSetting(setting, value) || value.IsNull()) {
    return {};
  }
  return value.ToString();
}

//! Where a value came by another way than SET, it was not checked.
uint64_t Number(const duckdb::ClientContext& context, const char* setting, uint64_t otherwise) {
  duckdb::Value value;
  if (!context.TryGetCurrentSetting(setting, value)) {
    return otherwise;
  }
  return WholeNumber(value).value_or(otherwise);
}

}  // namespace

Settings ReadSettings(const duckdb::ClientContext& context) {
  Settings settings;
  std::string mode = Text(context, kMode);
  settings.mode = mode == "force" ? Mode::Force : mode == "off" ? Mode::Off : Mode::Auto;
  settings.device = Text(context, kDevice);
  std::string shape = Text(context, kShape);
  if (shape == "loop") {
    settings.shape = optimize::Shape::Loop;
  } else if (shape == "lanes") {
    settings.shape = optimize::Shape::Lanes;
  }
  // None for auto, which is no method.
  const std::string join_method = Text(context, kJoinMethod);
  for (optimize::JoinMethod method : optimize::kJoinMethods) {
    if (join_method == optimize::JoinMethodName(method)) {
      settings.join_method = method;
    }
  }
  // None for auto, which is no size.
  settings.device_memory = ParseSize(Text(context, kDeviceMemory));
  settings.min_rows = Number(context, kMinRows, kDefaultMinRows);
  settings.tail_rows = Number(context, kTailRows, kDefaultTailRows);
  settings.dictionary_strings = Number(context, kDictionaryStrings, storage::kSmallDictionary);
  settings.partitions = std::clamp<uint64_t>(Number(context, kPartitions, 1), 1, kMostPartitions);
  settings.explains_programs = Text(context, kExplainProgram) == "true";
  return settings;
}

void RegisterSettings(duckdb::DatabaseInstance& database) {
  auto& config = duckdb::DBConfig::GetConfig(database);
  const auto& text = duckdb::LogicalType::VARCHAR;
  const auto number = [](uint64_t value) { return duckdb::Value(std::to_string(value)); };
  config.AddExtensionOption(kMode,
                            "Where Margay runs queries: auto, force (a device or an error), off",
                            text, duckdb::Value("auto"), CheckMode);
  config.AddExtensionOption(
      kDevice,
      "The OpenCL device: auto, cpu, gpu, an index of margay_devices() or a part of a name", text,
      duckdb::Value(kAuto), CheckDevice);
  config.AddExtensionOption(kShape,
                            "The shape of generated kernels: auto, loop (CPU) or lanes (GPU)", text,
                            duckdb::Value(kAuto), CheckShape);
  config.AddExtensionOption(
      kJoinMethod,
      "How joins that it can serve find their matches: auto, direct, hash, partitioned_hash, "
      "bitmap, rank_bitmap, nested_loop",
      text, duckdb::Value(kAuto), CheckJoinMethod);
  config.AddExtensionOption(kCacheDirectory,
                            "The folder of compiled kernels, for the whole process; '' keeps none",
                            text, duckdb::Value(device::ProgramCache::Directory().string()),
                            UseCacheDirectory, duckdb::SetScope::GLOBAL);
  config.AddExtensionOption(
      kDeviceMemory,
      "The most memory of a device that Margay uses, such as '4GB'; auto: 80 % of a GPU", text,
      duckdb::Value(kAuto), CheckDeviceMemory, duckdb::SetScope::GLOBAL);
  config.AddExtensionOption(kMinRows, "In auto mode, tables with fewer rows stay with DuckDB", text,
                            number(kDefaultMinRows), CheckMinRows);
  config.AddExtensionOption(
      kTailRows, "In force mode, the most rows that operators above a device part may get", text,
      number(kDefaultTailRows), CheckTailRows);
  config.AddExtensionOption(
      kDictionaryStrings,
      "Different strings up to which a column that is encoded always gets a dictionary", text,
      number(storage::kSmallDictionary), CheckDictionaryStrings);
  config.AddExtensionOption(
      kPartitions,
      "Parts of the rows that joins and groups are computed for one after the other, where that "
      "can be done; more where memory lacks in force mode",
      text, number(1), CheckPartitions);
  config.AddExtensionOption(kExplainProgram, "EXPLAIN shows the physical program of each part too",
                            text, duckdb::Value("false"), CheckExplainProgram);
}

}  // namespace margay::integration
