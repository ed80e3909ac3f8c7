#include "execute/argument_binder.hpp"

#include <algorithm>
#include <stdexcept>

namespace margay::execute {

void ArgumentBinder::RequireAll() const {
  const auto missing = std::find(is_bound_.begin(), is_bound_.end(), false);
  if (missing == is_bound_.end())
    return;
  const auto place = static_cast<size_t>(missing - is_bound_.begin());
  throw std::logic_error("the kernel's argument " + arguments_.All()[place].Name() + " is not set");
}

}  // namespace margay::execute
