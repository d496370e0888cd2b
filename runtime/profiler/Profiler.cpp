//===- Profiler.cpp ---------------------------------------------------------------------------===//
#include "runtime/profiler/Profiler.h"

#include "runtime/vm/Slots.h"

#include <algorithm>
#include <cstdio>

namespace relax::runtime {

Profiler::Profiler(const artifact::Module &module) : module(module) {
  table.reserve(module.kernels.size() + module.libraries.size());
  for (const artifact::Kernel &kernel : module.kernels)
    table.push_back({kernel.name, kernel.strategy, kernel.kind});
  for (const artifact::Library &library : module.libraries)
    table.push_back({library.name, "library"});
}

void Profiler::reset() {
  for (Row &row : table)
    row.calls = row.nanoseconds = row.cost = row.flops = row.bytes = 0;
}

void Profiler::addWork(size_t index, std::span<const int64_t> numbers) {
  if (index >= module.kernels.size())
    return;
  const artifact::Kernel &kernel = module.kernels[index];
  auto add = [&](artifact::Slot slot, uint64_t &sum) {
    const int64_t work = kernelCost(kernel, slot, numbers).value_or(0);
    sum += work > 0 ? static_cast<uint64_t>(work) : 0;
  };
  add(kernel.flops, table[index].flops);
  add(kernel.bytes, table[index].bytes);
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

  std::string out =
      "   time ms  share     calls   us each  GFLOP/s   GB/s  strategy              kernel\n";
  char line[256];
  auto rate = [](uint64_t amount, uint64_t nanoseconds) {
    char number[32] = "-";
    if (amount != 0 && nanoseconds != 0)
      std::snprintf(number, sizeof number, "%.1f",
                    static_cast<double>(amount) / static_cast<double>(nanoseconds));
    return std::string(number);
  };
  auto add = [&](const Row &row) {
    auto time = static_cast<double>(row.nanoseconds);
    std::snprintf(line, sizeof line, "%10.2f %5.1f%% %9llu %9.2f %8s %6s  %-20.20s  %.80s\n",
                  time * 1e-6, total ? 100 * time / static_cast<double>(total) : 0,
                  static_cast<unsigned long long>(row.calls),
                  row.calls ? time * 1e-3 / static_cast<double>(row.calls) : 0,
                  rate(row.flops, row.nanoseconds).c_str(),
                  rate(row.bytes, row.nanoseconds).c_str(), row.strategy.c_str(), row.name.c_str());
    out += line;
  };
  Row sum{"total", ""};
  for (const Row *row : used) {
    add(*row);
    sum.calls += row->calls;
    sum.nanoseconds += row->nanoseconds;
    sum.flops += row->flops;
    sum.bytes += row->bytes;
  }
  add(sum);
  return out;
}

} // namespace relax::runtime
