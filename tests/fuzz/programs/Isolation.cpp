#include "tests/fuzz/programs/Isolation.h"

#include <cstdio>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace relax::fuzz {
namespace {

void writeAll(int file, const std::string &text) {
  for (size_t done = 0; done != text.size();) {
    ssize_t count = ::write(file, text.data() + done, text.size() - done);
    if (count <= 0)
      return;
    done += static_cast<size_t>(count);
  }
}

std::string readAll(int file) {
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = ::read(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(count));
  return text;
}

} // namespace

Isolated runIsolated(const std::function<std::string()> &work, unsigned seconds) {
  int ends[2];
  if (::pipe(ends) != 0)
    return {"", std::string("no pipe: ") + std::strerror(errno)};
  std::fflush(nullptr);
  pid_t child = ::fork();
  if (child < 0)
    return {"", std::string("no process: ") + std::strerror(errno)};
  if (child == 0) {
    ::close(ends[0]);
    // Of processor time, so that a busy machine makes no finds.
    rlimit limit{seconds, seconds + 5};
    ::setrlimit(RLIMIT_CPU, &limit);
    writeAll(ends[1], work());
    ::_exit(0);
  }
  ::close(ends[1]);
  Isolated result;
  result.text = readAll(ends[0]);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    result.death = WTERMSIG(status) == SIGXCPU ? "no end in " + std::to_string(seconds) + " s"
                                               : "signal " + std::to_string(WTERMSIG(status)) +
                                                     " (" + ::strsignal(WTERMSIG(status)) + ")";
  else if (WEXITSTATUS(status) != 0)
    result.death = "exit status " + std::to_string(WEXITSTATUS(status));
  return result;
}

} // namespace relax::fuzz
