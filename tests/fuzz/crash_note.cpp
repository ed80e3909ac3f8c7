#include "crash_note.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>

namespace margay::fuzz {

namespace {

char note[256] = "";

void PrintNote(int signal) {
  // Only what is allowed in a signal handler.
  if (write(STDERR_FILENO, note, std::strlen(note)) < 0) {
    _exit(1);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void NoteForCrash(const std::string& place) {
  std::snprintf(note, sizeof(note), "\nmargay_fuzz crashed at %s\n", place.c_str());
}

void InstallCrashNote() {
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, PrintNote);
  }
}

}  // namespace margay::fuzz
