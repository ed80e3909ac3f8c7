#include "ssb_data.hpp"

#include <algorithm>
#include <utility>

#include "session.hpp"
#include "ssb_generator.hpp"
#include "ssb_rows.hpp"
#include "stopwatch.hpp"
#include "units.hpp"

namespace margay::tool {
namespace {

//! A part of a table comes in one statement, and has as many orders as there are at scale 10.
constexpr int64_t kItemsPerPart = 15000000;

//! Bytes of disk per unit of scale: measured 0.16 GB, and half as much again for what an
//! interrupted load leaves.
constexpr double kDatabaseBytesPerScale = 0.25e9;

std::vector<std::string> ColumnList(const SsbTable& table) {
  std::vector<std::string> list;
  for (const auto& [name, type] : table.columns) {
    list.push_back(name + " " + type);
  }
  return list;
}

}  // namespace

SsbData::SsbData(std::filesystem::path database, double scale)
    : BenchmarkData("SSB", std::move(database), scale) {}

std::set<std::string> SsbData::Tables() const {
  std::set<std::string> names;
  for (const SsbTable& table : SsbTables()) {
    names.insert(table.name);
  }
  return names;
}

double SsbData::NeededBytes() const {
  return Scale() * kDatabaseBytesPerScale;
}

void SsbData::Load(Session& session, const std::set<std::string>& tables, std::ostream& progress) {
  RegisterSsbRows(session.Database());
  SsbGenerator generator(Scale());
  for (const SsbTable& table : SsbTables()) {
    if (tables.count(table.name) == 0) {
      continue;
    }
    Stopwatch watch;
    CreateLoadingTable(session, table.name, ColumnList(table));
    int64_t items = table.count_items(generator);
    int64_t parts = (items + kItemsPerPart - 1) / kItemsPerPart;
    for (int64_t part = 0; part < parts; part++) {
      if (parts > 1) {
        progress << "  making " << table.name << ", part " << part + 1 << " of " << parts
                 << std::endl;
      }
      int64_t first = part * kItemsPerPart + 1;
      int64_t last = std::min(items, (part + 1) * kItemsPerPart);
      Append(session, table.name,
             "ssb_rows(" + SqlString(table.name) + ", " + ScaleText() + ", " +
                 std::to_string(first) + ", " + std::to_string(last) + ")");
    }
    progress << "  " << table.name;
    FinishLoadingTable(session, table.name, progress);
    progress << ", " << FormatSeconds(watch.Milliseconds()) << std::endl;
  }
}

}  // namespace margay::tool
