#pragma once

#include <string>
#include <vector>

namespace margay::tool {

//! Whether what a program prints on its standard output is seen; errors always are.
enum class ChildOutput { Shown, Dropped };

//! Runs a program, which shares this one's terminal, and waits for it. The first of `arguments` is
//! its path. Throws CommandError where it can't be started or does not end with 0.
void RunProgram(const std::vector<std::string>& arguments, ChildOutput output = ChildOutput::Shown);

}  // namespace margay::tool
