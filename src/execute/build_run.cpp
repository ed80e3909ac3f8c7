#include "execute/build_run.hpp"

namespace margay::execute {

void BuildRun::RunAll() {
  const compile::JoinTable& table = *Kernel().build;
  uint64_t entries = GetPart().LearnedSize(table.number);
  if (!table.is_numbered)
    entries = RowsOf(table.table);
  RunWhileFull([&] { Joins().Create(table, entries, GetPart().GetDevice(), GetPart().Pool()); },
               [&] { entries *= kGrowth; });
  if (table.is_numbered)
    GetPart().LearnSize(table.number, entries);
}

void BuildRun::BindSink(device::Kernel& kernel, uint32_t argument, const Batch& /*batch*/) {
  Joins().BindFilled(*Kernel().build, kernel, argument);
}

}  // namespace margay::execute
