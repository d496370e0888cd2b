#include "llm/Statistics.h"

#include <cstdio>

namespace relax::llm {

uint64_t peakMemory() {
  std::FILE *file = std::fopen("/proc/self/status", "r");
  if (!file)
    return 0;
  char line[256];
  unsigned long long kibibytes = 0;
  while (std::fgets(line, sizeof line, file))
    if (std::sscanf(line, "VmHWM: %llu kB", &kibibytes) == 1)
      break;
  std::fclose(file);
  return kibibytes * 1024;
}

} // namespace relax::llm
