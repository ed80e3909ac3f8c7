#include "execute/build_run.hpp"

#include <algorithm>

namespace margay::execute {

namespace {

//! A table that takes more than this part of the memory's limit is not kept: there would be little
//! room beside it.
constexpr uint64_t kLargestShareOfLimit = 4;

}  // namespace

void BuildRun::RunAll() {
  const compile::JoinTable& table = *Kernel().build;
  if (!Kernel().structure_name.empty()) {
    RunShared();
    return;
  }
  // What joins make of the rows of its table is not known before the first run.
  const uint64_t learned = table.is_numbered ? GetPart().LearnedSize(table.number) : 0;
  uint64_t entries = learned != 0 ? learned : std::max<uint64_t>(RowsOf(table.table), 1);
  RunWhileFull([&] { Joins().Create(table, entries, Queue(), GetPart().Pool()); },
               [&] { entries *= kGrowth; });
  FillPartitions(entries);
  if (table.is_numbered)
    GetPart().LearnSize(table.number, entries);
  if (table.ranged_key) {
    SetKeyRange(table, Joins().ReadKeyRange(table, Queue()));  // waits for the kernel
    Settle();
  }
}

void BuildRun::RunShared() {
  const compile::JoinTable& table = *Kernel().build;
  storage::TableStructures& structures = GetPart().ImageOf(Kernel())->Structures();
  auto structure = std::make_shared<storage::TableStructure>();
  for (const compile::InputColumn& column : Kernel().columns)
    structure->columns.push_back(column.image);
  if (const auto found = structures.Find(Kernel().structure_name, structure->columns)) {
    if (auto pins = found->TryPin()) {
      Joins().TakeShared(table, std::move(*pins));
      statistics_.structures_reused++;
      return;
    }
  }
  const auto start = std::chrono::steady_clock::now();
  const bool is_scratch =
      JoinBuffers::SharedBytes(table) > GetPart().Pool().Limit() / kLargestShareOfLimit;
  Joins().CreateShared(table, is_scratch, Queue(), GetPart().Pool());
  KernelRun::RunAll();
  FillPartitions(table.rows);
  SettleAll();
  if (table.is_ranked)
    Timed([&] { Joins().CountBits(table, Queue()); });
  if (is_scratch)
    return;
  Queue().Finish();  // others use it through their own queues
  structure->extents = Joins().Extents(table);
  structure->keys = Kernel().structure_keys;
  structure->form = compile::JoinMethodName(table.Method());
  structure->rows = table.rows;
  structure->build_milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  structures.Add(Kernel().structure_name, std::move(structure));
  statistics_.structures_built++;
}

void BuildRun::FillPartitions(uint64_t entries) {
  const compile::JoinTable& table = *Kernel().build;
  if (!table.is_partitioned)
    return;
  SettleAll();  // the table is filled through another queue
  uint64_t launches = 0;
  const double milliseconds =
      Joins().FillPartitions(table, entries, Kernel().work_group, GetPart().Pool(), [&] {
        ThrowIfInterrupted();
        launches++;
      });
  CountLaunches("entries into partitions and chains", launches, milliseconds);
}

void BuildRun::BindSink(device::Kernel& kernel, uint32_t argument, const Batch& /*batch*/) {
  Joins().BindFilled(*Kernel().build, kernel, argument);
}

}  // namespace margay::execute
