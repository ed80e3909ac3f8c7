#include "child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "command.hpp"

extern char** environ;

namespace margay::tool {

void RunProgram(const std::vector<std::string>& arguments, ChildOutput output) {
  std::vector<char*> pointers;
  for (const auto& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output == ChildOutput::Dropped) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  }
  pid_t child = 0;
  int error = posix_spawn(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw CommandError(ExitCode::Failed,
                       arguments[0] + " can't be started: " + std::strerror(error));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      throw CommandError(ExitCode::Failed,
                         arguments[0] + " can't be waited for: " + std::strerror(errno));
    }
  }
  if (WIFSIGNALED(status)) {
    throw CommandError(ExitCode::Failed, arguments[0] + " was ended by signal " +
                                             std::to_string(WTERMSIG(status)) + ".");
  }
  if (WEXITSTATUS(status) != 0) {
    throw CommandError(ExitCode::Failed, arguments[0] + " failed with exit code " +
                                             std::to_string(WEXITSTATUS(status)) + ".");
  }
}

}  // namespace margay::tool
