//===- AtomicFile.cpp -------------------------------------------------------------------------===//
#include "runtime/support/AtomicFile.h"

#include "runtime/support/Text.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace relax {
namespace {

Status systemError(const std::string &path, const char *what, int error) {
  StatusCode code = error == ENOSPC || error == EDQUOT || error == EFBIG
                        ? StatusCode::ResourceExhausted
                        : StatusCode::Io;
  return Status(code, text(path, ": ", what, ": ", std::strerror(error)));
}

/// 0, or the errno of the write that failed.
int writeAll(int file, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    size_t most = std::min<size_t>(bytes.size(), size_t{1} << 30);
    ssize_t written = ::write(file, bytes.data(), most);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return written < 0 ? errno : ENOSPC;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return 0;
}

/// Makes the rename durable. Some file systems can't flush a folder; the file is whole even then.
void flushFolderOf(const std::string &path) {
  size_t slash = path.find_last_of('/');
  std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0)
    return;
  (void)::fsync(file);
  ::close(file);
}

} // namespace

Status writeFileAtomically(const std::string &path, std::span<const uint8_t> bytes) {
  return writeFileAtomically(path, std::vector<std::span<const uint8_t>>{bytes});
}

Status writeFileAtomically(const std::string &path,
                           const std::vector<std::span<const uint8_t>> &parts) {
  static std::atomic<unsigned> counter{0};
  std::string temporary = text(path, ".tmp.", ::getpid(), '.', counter.fetch_add(1));
  int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0)
    return systemError(path, "can't be written", errno);
  int error = 0;
  for (size_t i = 0; i != parts.size() && error == 0; ++i)
    error = writeAll(file, parts[i]);
  if (error == 0 && ::fsync(file) != 0)
    error = errno;
  if (::close(file) != 0 && error == 0)
    error = errno;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0)
    error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    return systemError(path, "can't be written", error);
  }
  flushFolderOf(path);
  return {};
}

} // namespace relax
