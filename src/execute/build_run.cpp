#include "execute/build_run.hpp"

namespace margay::execute {

void BuildRun::RunAll() {
  const compile::JoinTable& table = *Kernel().build;
  uint64_t entries = GetPart().LearnedSize(table.number);
  RunWhileFull([&] { Joins().Create(table, entries, GetPart().GetDevice(), GetPart().Pool()); },
               [&] { entries *= kGrowth; });
  GetPart().LearnSize(table.number, entries);
}

void BuildRun::BindSink(device::Kernel& kernel, uint32_t argument, const Batch& /*batch*/) {
  Joins().BindFilled(*Kernel().build, kernel, argument);
}

}  // namespace margay::execute
