#pragma once

#include <string>

namespace margay::test {

//! Remembers what runs, so that a crash inside an OpenCL runtime or a kernel names the test. The
//! first call installs the signal handlers; for one thread.
void NoteForCrash(const std::string& path, int line, const std::string& setting);

}  // namespace margay::test
