//===- Profiler.h - where the time of a module's calls goes -----------------------------------===//
//
// Off, it costs one branch an instruction. On, it reads the clock around each kernel, some 50 ns.
// It belongs to a module and is written while a call of it runs; read it between calls.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace relax::runtime {

class Profiler {
public:
  struct Row {
    std::string name;     ///< Of the kernel or the library function.
    std::string strategy; ///< As in the artifact; "library" for a library function.
    uint64_t calls = 0;
    uint64_t nanoseconds = 0;
    uint64_t cost = 0; ///< The sum of the calls' costs: about the scalar operations.
  };

  explicit Profiler(std::vector<Row> rows) : table(std::move(rows)) {}

  void enable(bool on) { isOn = on; }
  [[nodiscard]] bool enabled() const { return isOn; }
  void reset();

  /// Runs `function` as a call of row `index`.
  template <typename F> void measure(size_t index, int64_t cost, F &&function) {
    auto start = std::chrono::steady_clock::now();
    function();
    auto time = std::chrono::steady_clock::now() - start;
    Row &row = table[index];
    ++row.calls;
    row.nanoseconds +=
        static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
    row.cost += cost > 0 ? static_cast<uint64_t>(cost) : 0;
  }

  [[nodiscard]] const std::vector<Row> &rows() const { return table; }
  /// The rows that were called, the longest first, as aligned text with a heading and a sum.
  [[nodiscard]] std::string report() const;

private:
  std::vector<Row> table;
  bool isOn = false;
};

} // namespace relax::runtime
