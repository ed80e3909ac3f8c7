#pragma once

#include "compile/code_block.hpp"
#include "optimize/value/parameters.hpp"

namespace margay::compile {

//! Declares the variables of all parameters, from the kernel's argument `parameters`.
void DeclareParameters(const optimize::Parameters& parameters, CodeBlock& block);

}  // namespace margay::compile
