#pragma once

#include <cstddef>
#include <memory>

#include "execute/result_batch.hpp"
#include "memory/host_allocator.hpp"
#include "plan/dictionary_function.hpp"

namespace margay::execute {

//! Puts the results of `function` in the place of the texts of `column`, `rows` std::string_views,
//! and its type's. They lie in memory of `allocator`, and live as long as what is returned. Throws
//! ArithmeticFault where the function failed, and memory::OutOfMemory.
std::shared_ptr<const void> ComputeFunction(const plan::DictionaryFunction& function, size_t rows,
                                            memory::HostAllocator& allocator, ResultColumn& column);

}  // namespace margay::execute
