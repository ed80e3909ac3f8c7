#include "execute/build_run.hpp"

namespace margay::execute {

void BuildRun::BindSink(device::Kernel& kernel, uint32_t argument, const Batch& /*batch*/) {
  Joins().Bind(*Kernel().build, kernel, argument);
}

}  // namespace margay::execute
