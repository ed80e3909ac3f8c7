#pragma once

#include <vector>

#include "compile/argument_list.hpp"
#include "device/kernel.hpp"

namespace margay::execute {

//! Sets the arguments of a kernel by their names. Not thread-safe.
class ArgumentBinder {
 public:
  //! `arguments` are those of `kernel`. Both outlive the object.
  ArgumentBinder(device::Kernel& kernel, const compile::ArgumentList& arguments)
      : kernel_(kernel), arguments_(arguments), is_bound_(arguments.Size(), false) {}

  //! Sets an argument: a buffer, or a number of its type. Throws std::logic_error where the kernel
  //! has no such argument, and device::DeviceError.
  template <typename Content>
  void Bind(const compile::Argument& argument, const Content& content) {
    const uint32_t place = arguments_.PlaceOf(argument);
    kernel_.Argument(place, content);
    is_bound_[place] = true;
  }

  //! Throws std::logic_error where an argument has not been set.
  void RequireAll() const;

 private:
  device::Kernel& kernel_;
  const compile::ArgumentList& arguments_;
  std::vector<bool> is_bound_;
};

}  // namespace margay::execute
