#include "storage/parallel_for.hpp"

namespace margay::storage {

void SequentialFor(size_t count, const std::function<void(size_t)>& function) {
  for (size_t i = 0; i < count; i++) {
    function(i);
  }
}

}  // namespace margay::storage
