#include "crash_note.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

namespace margay::test {

namespace {

char note[1024];

void PrintNote(int signal) {
  [[maybe_unused]] auto written = write(STDERR_FILENO, note, std::strlen(note));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void NoteForCrash(const std::string& path, int line, const std::string& setting) {
  static bool installed = [] {
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM}) {
      std::signal(signal, PrintNote);
    }
    return true;
  }();
  (void)installed;
  auto text =
      "\nended by a signal in " + path + ":" + std::to_string(line) + " [" + setting + "]\n";
  auto size = std::min(text.size(), sizeof(note) - 1);
  std::memcpy(note, text.data(), size);
  note[size] = 0;
}

}  // namespace margay::test
