//===- Profiler.cpp ---------------------------------------------------------------------------===//
#include "runtime/profiler/Profiler.h"

#include <algorithm>
#include <cstdio>

namespace relax::runtime {

void Profiler::reset() {
  for (Row &row : table)
    row.calls = row.nanoseconds = row.cost = 0;
}

std::string Profiler::report() const {
  std::vector<const Row *> used;
  uint64_t total = 0;
  for (const Row &row : table)
    if (row.calls != 0) {
      used.push_back(&row);
      total += row.nanoseconds;
    }
  std::sort(used.begin(), used.end(), [](const Row *a, const Row *b) {
    return a->nanoseconds != b->nanoseconds ? a->nanoseconds > b->nanoseconds : a < b;
  });

  std::string out = "   time ms  share     calls   us each  Gop/s  strategy              kernel\n";
  char line[256];
  auto add = [&](const Row &row) {
    auto time = static_cast<double>(row.nanoseconds);
    std::snprintf(line, sizeof line, "%10.2f %5.1f%% %9llu %9.2f %6.1f  %-20.20s  %.80s\n",
                  time * 1e-6, total ? 100 * time / static_cast<double>(total) : 0,
                  static_cast<unsigned long long>(row.calls),
                  row.calls ? time * 1e-3 / static_cast<double>(row.calls) : 0,
                  row.nanoseconds ? static_cast<double>(row.cost) / time : 0, row.strategy.c_str(),
                  row.name.c_str());
    out += line;
  };
  Row sum{"total", "", 0, 0, 0};
  for (const Row *row : used) {
    add(*row);
    sum.calls += row->calls;
    sum.nanoseconds += row->nanoseconds;
    sum.cost += row->cost;
  }
  add(sum);
  return out;
}

} // namespace relax::runtime
