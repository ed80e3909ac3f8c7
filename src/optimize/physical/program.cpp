#include "optimize/physical/program.hpp"

#include <algorithm>
#include <stdexcept>

namespace margay::optimize {

std::string_view SinkKindName(SinkKind kind) {
  switch (kind) {
    case SinkKind::JoinBuild:
      return "join build";
    case SinkKind::SingleResult:
      return "single result";
    case SinkKind::GroupTable:
      return "group table";
    case SinkKind::Rows:
      return "rows";
    case SinkKind::OrderedRows:
      return "ordered rows";
    case SinkKind::MaterialisedRows:
      return "materialised rows";
  }
  throw std::logic_error("SinkKindName: unknown kind");
}

std::vector<size_t> Program::SinksReadBy(size_t pipeline) const {
  const LoweredPipeline& lowered = *pipelines[pipeline].lowered;
  std::vector<size_t> read;
  const auto add = [&](size_t sink) {
    if (std::find(read.begin(), read.end(), sink) == read.end())
      read.push_back(sink);
  };
  const auto add_table = [&](size_t table) {
    if (tables[table].sink)
      add(*tables[table].sink);
  };
  add_table(lowered.table);
  for (const LoweredPipeline::Join& join : lowered.joins)
    add(join.build);
  for (const InputColumn& column : lowered.joined_columns)
    add_table(column.table);
  if (const auto* groups = std::get_if<GroupSink>(&lowered.sink); groups && groups->packing) {
    for (const InputColumn& column : groups->packing->columns)
      add_table(column.table);
  }
  return read;
}

std::vector<size_t> Program::Readers() const {
  std::vector<size_t> readers(sinks.size(), 0);
  readers[result] = 1;
  for (size_t pipeline = 0; pipeline < pipelines.size(); pipeline++) {
    for (size_t sink : SinksReadBy(pipeline))
      readers[sink]++;
  }
  return readers;
}

}  // namespace margay::optimize
