#include "tools/relax/ChildProcess.h"

#include "tools/relax/Interrupt.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace relax::tool {
namespace {

constexpr size_t maxErrorBytes = 4000;

/// The last bytes of what was written to `file`.
std::string tailOf(int file) {
  const off_t size = ::lseek(file, 0, SEEK_END);
  if (size <= 0)
    return {};
  std::string text(std::min(static_cast<size_t>(size), maxErrorBytes), '\0');
  const ssize_t count =
      ::pread(file, text.data(), text.size(), size - static_cast<off_t>(text.size()));
  text.resize(count > 0 ? static_cast<size_t>(count) : 0);
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text;
}

Expected<pid_t> start(const std::vector<std::string> &arguments, int errors) {
  std::vector<std::string> all = {"relax"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char *> pointers;
  pointers.reserve(all.size() + 1);
  for (std::string &argument : all)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  pid_t child = 0;
  const int code =
      ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0)
    return Status(StatusCode::Io,
                  fmt::format("relax can't be started again: {}", std::strerror(code)));
  return child;
}

} // namespace

std::string ChildResult::text() const {
  if (timedOut)
    return "no result within the time limit";
  if (signal != 0)
    return fmt::format("killed by signal {} ({})", signal, strsignal(signal));
  return fmt::format("exit code {}", exitCode);
}

Expected<ChildResult> runRelax(const std::vector<std::string> &arguments,
                               std::chrono::milliseconds limit) {
  const int errors = ::memfd_create("relax-errors", 0);
  if (errors < 0)
    return Status(StatusCode::Io, fmt::format("no memory file: {}", std::strerror(errno)));
  auto child = start(arguments, errors);
  if (!child) {
    ::close(errors);
    return child.takeStatus();
  }
  ChildResult result;
  const auto end = std::chrono::steady_clock::now() + limit;
  int state = 0;
  while (::waitpid(*child, &state, WNOHANG) == 0) {
    const bool late = std::chrono::steady_clock::now() > end;
    if (late || interrupted()) {
      ::kill(*child, SIGKILL);
      ::waitpid(*child, &state, 0);
      result.timedOut = late;
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  result.errors = tailOf(errors);
  ::close(errors);
  if (interrupted())
    return Status(StatusCode::Cancelled, "stopped");
  if (WIFSIGNALED(state))
    result.signal = WTERMSIG(state);
  else
    result.exitCode = WEXITSTATUS(state);
  return result;
}

} // namespace relax::tool
