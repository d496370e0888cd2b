#include "llm/Statistics.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace relax::llm {

namespace {

/// A line of /proc/self/status, in bytes.
uint64_t fromStatus(const char *format) {
  std::FILE *file = std::fopen("/proc/self/status", "r");
  if (!file)
    return 0;
  char line[256];
  unsigned long long kibibytes = 0;
  while (std::fgets(line, sizeof line, file))
    if (std::sscanf(line, format, &kibibytes) == 1)
      break;
  std::fclose(file);
  return kibibytes * 1024;
}

} // namespace

uint64_t peakMemory() { return fromStatus("VmHWM: %llu kB"); }

uint64_t residentMemory() { return fromStatus("RssAnon: %llu kB"); }

uint64_t machineMemory() {
  const long pages = sysconf(_SC_PHYS_PAGES), pageSize = sysconf(_SC_PAGESIZE);
  uint64_t memory = pages > 0 && pageSize > 0
                        ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(pageSize)
                        : 0;
  // In a container these are its own limits, of the second and the first kind of control groups.
  for (const char *path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
    if (std::FILE *file = std::fopen(path, "r")) {
      char text[32] = "";
      // "max" is no number; one that is too large is the largest, and so no limit either.
      const uint64_t limit =
          std::fgets(text, sizeof(text), file) ? std::strtoull(text, nullptr, 10) : 0;
      if (limit > 0)
        memory = memory > 0 ? std::min(memory, limit) : limit;
      std::fclose(file);
    }
  return memory;
}

} // namespace relax::llm
