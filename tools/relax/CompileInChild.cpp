#include "tools/relax/CompileInChild.h"

#include "tools/relax/Command.h"
#include "tools/relax/Interrupt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <span>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace relax::tool {
namespace {

using Bytes = std::vector<uint8_t>;

/// What the child says: a StatusCode in one byte, then the artifact, or the error's text.
void answer(int to, StatusCode code, std::span<const uint8_t> rest) {
  const auto first = static_cast<uint8_t>(code);
  for (std::span<const uint8_t> left : {std::span(&first, 1), rest})
    while (!left.empty()) {
      const ssize_t written = ::write(to, left.data(), left.size());
      if (written < 0 && errno != EINTR)
        return; // The parent sees that something is missing, if there still is one.
      left = left.subspan(static_cast<size_t>(std::max<ssize_t>(written, 0)));
    }
}

[[noreturn]] void beChild(int to, const CompileRequest &request) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto compiler = CompilerLibrary::load();
  auto bytes = compiler ? compiler->compile(request) : Expected<Bytes>(Status(compiler.status()));
  if (bytes) {
    answer(to, StatusCode::Ok, *bytes);
  } else {
    const std::string &message = bytes.status().message();
    answer(to, bytes.status().code(),
           {reinterpret_cast<const uint8_t *>(message.data()), message.size()});
  }
  // Nothing of the parent's that was only copied is to be ended here.
  _exit(0);
}

/// All that comes, until the other end closes. Ctrl-C, where it came to this process alone, is
/// passed on.
Bytes readAll(int from, pid_t child) {
  Bytes bytes;
  std::array<uint8_t, 65536> piece;
  for (bool passedOn = false;;) {
    const ssize_t count = ::read(from, piece.data(), piece.size());
    if (count < 0 && errno == EINTR && interrupted() && !passedOn)
      passedOn = ::kill(child, SIGINT) == 0;
    if (count == 0 || (count < 0 && errno != EINTR))
      return bytes;
    if (count > 0)
      bytes.insert(bytes.end(), piece.begin(), piece.begin() + count);
  }
}

} // namespace

Expected<Bytes> compileInChild(const CompileRequest &request) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return Status(StatusCode::Io, fmt::format("no pipe: {}", std::strerror(errno)));
  const pid_t child = ::fork();
  if (child == 0)
    beChild(ends[1], request);
  const int error = errno;
  ::close(ends[1]);
  Bytes bytes = child > 0 ? readAll(ends[0], child) : Bytes();
  ::close(ends[0]);
  if (child < 0)
    return Status(StatusCode::Io,
                  fmt::format("no process for the compiler: {}", std::strerror(error)));
  int state = 0;
  while (::waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  if (interrupted() && (bytes.empty() || !WIFEXITED(state)))
    return Status(StatusCode::Cancelled, "cancelled");
  if (WIFSIGNALED(state))
    return Status(StatusCode::Internal,
                  fmt::format("the compiler was ended by signal {} ({}){}", WTERMSIG(state),
                              strsignal(WTERMSIG(state)),
                              WTERMSIG(state) == SIGKILL ? ": the system may lack memory" : ""));
  if (bytes.empty())
    return Status(StatusCode::Internal, "the compiler ended without an answer");
  const auto code = static_cast<StatusCode>(bytes.front());
  bytes.erase(bytes.begin());
  if (code == StatusCode::Ok)
    return bytes;
  return Status(code, std::string(bytes.begin(), bytes.end()));
}

} // namespace relax::tool
