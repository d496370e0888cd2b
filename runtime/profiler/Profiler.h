//===- Profiler.h - where the time of a module's calls goes -----------------------------------===//
//
// Off, it costs one branch an instruction. On, it reads the clock around each kernel, some 50 ns,
// and works out what the kernel computed and moved, outside of the time that is measured. It
// belongs to a module and is written while a call of it runs; read it between calls.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace relax::runtime {

class Profiler {
public:
  struct Row {
    std::string name;      ///< Of the kernel or the library function.
    std::string strategy;  ///< As in the artifact; "library" for a library function.
    std::string kind = {}; ///< As in the artifact; empty for a library function.
    uint64_t calls = 0;
    uint64_t nanoseconds = 0;
    uint64_t cost = 0; ///< The sum of the calls' costs: about the scalar operations.
    /// Of all calls, floating-point operations and bytes of operands and results; 0 where the
    /// artifact doesn't say.
    uint64_t flops = 0, bytes = 0;
  };

  /// A row for each kernel of the module, which must outlive this, then one for each library
  /// function.
  explicit Profiler(const artifact::Module &module);

  void enable(bool on) { isOn = on; }
  [[nodiscard]] bool enabled() const { return isOn; }
  void reset();

  /// Runs `function` as a call of row `index`. `numbers` is what a kernel is called with.
  template <typename F>
  void measure(size_t index, int64_t cost, std::span<const int64_t> numbers, F &&function) {
    auto start = std::chrono::steady_clock::now();
    function();
    auto time = std::chrono::steady_clock::now() - start;
    Row &row = table[index];
    ++row.calls;
    row.nanoseconds +=
        static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
    row.cost += cost > 0 ? static_cast<uint64_t>(cost) : 0;
    addWork(index, numbers);
  }

  [[nodiscard]] const std::vector<Row> &rows() const { return table; }
  /// The rows that were called, the longest first, as aligned text with a heading and a sum. Rates
  /// are "-" where the artifact doesn't say what a kernel computes or moves.
  [[nodiscard]] std::string report() const;

private:
  void addWork(size_t index, std::span<const int64_t> numbers);

  const artifact::Module &module;
  std::vector<Row> table;
  bool isOn = false;
};

} // namespace relax::runtime
