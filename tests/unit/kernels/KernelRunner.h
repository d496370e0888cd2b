//===- KernelRunner.h - schedules, compiles and calls one tensor program in a test -----------===//
//
//   Kernel kernel("func.func private @k(%x: tensor<?xf32, #relax.shape<[s0]>>) …");
//   std::vector<float> x(n), y(n);
//   kernel.run({x.data()}, {y.data()}, {n});
//
// The program is the text of one function with `relax.kernel` and `relax.kernel_symbols`; it goes
// through schedule-kernels and the whole way to machine code of this computer.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace relax::test {

struct KernelOptions {
  /// A target that this machine can run; empty for the machine itself.
  std::string target;
};

class Kernel {
public:
  explicit Kernel(const std::string &program, KernelOptions options = {});
  ~Kernel();
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  /// Nothing failed so far; if not, `error()` has the diagnostics.
  bool ok() const { return entry != nullptr; }
  const std::string &error() const { return message; }
  const std::string &strategy() const { return strategyName; }
  /// Number of units for these values of the symbols.
  int64_t extent(const std::vector<int64_t> &symbols) const;
  /// Calls the kernel for all units, in `pieces` calls; in reverse order if there are several.
  void run(std::vector<const void *> inputs, std::vector<void *> outputs,
           std::vector<int64_t> symbols, int64_t pieces = 1) const;

private:
  using Entry = void (*)(void *const *buffers, const int64_t *symbols, int64_t begin, int64_t end);
  struct State;
  State *state;
  Entry entry = nullptr;
  std::string message, strategyName;
};

/// `value` rounded to float16, as bits.
uint16_t toHalf(float value);
float fromHalf(uint16_t bits);

} // namespace relax::test
