//===- CpuCount.cpp ---------------------------------------------------------------------------===//
#include "runtime/threads/CpuCount.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <set>
#include <string>
#include <thread>
#include <utility>

namespace relax::runtime {
namespace {

/// The integer in a file of /sys, or -1.
int readNumber(const std::string &path) {
  std::ifstream file(path);
  int value = -1;
  return file >> value ? value : -1;
}

unsigned coresByAffinity() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0)
    return std::max(1u, std::thread::hardware_concurrency());
  std::set<std::pair<int, int>> cores;
  unsigned unknown = 0;
  for (int cpu = 0; cpu != CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &set))
      continue;
    std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    int package = readNumber(folder + "physical_package_id"), core = readNumber(folder + "core_id");
    if (core < 0)
      ++unknown;
    else
      cores.emplace(package, core);
  }
  return std::max(1u, static_cast<unsigned>(cores.size()) + unknown);
}

/// CPUs' worth of time that cgroup v2 grants, or a large number. The file holds "max 100000" or
/// "200000 100000": µs granted in each period of so many µs.
unsigned coresByQuota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double quota = 0, period = 0;
  if (!(file >> quota >> period) || quota <= 0 || period <= 0)
    return 1u << 20;
  return std::max(1u, static_cast<unsigned>(std::lround(quota / period)));
}

} // namespace

unsigned usableCores() { return std::min(coresByAffinity(), coresByQuota()); }

} // namespace relax::runtime
