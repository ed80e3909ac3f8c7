#pragma once

#include <string>

namespace margay::fuzz {

//! Says where the program is; if it crashes, that is the last thing it prints.
void NoteForCrash(const std::string& place);

//! From here on a crash prints the note.
void InstallCrashNote();

}  // namespace margay::fuzz
