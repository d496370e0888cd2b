//===- CallBenchmark.cpp - what calls cost beside their kernels -------------------------------===//
//
// Prints nanoseconds: the best of some rounds, on one thread. Not a test; run it on a quiet
// machine:
//
//   cmake --build build/release --target runtime_call_benchmark && build/release/tests/…
//
//===------------------------------------------------------------------------------------------===//
#include "tests/unit/runtime/TestModule.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>

using namespace relax;
using namespace relax::test;
using runtime::Value;

namespace {

void require(const Status &status) {
  if (status.ok())
    return;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::exit(1);
}

/// Nanoseconds of a call of `f`, divided by `parts`.
template <typename F> void measure(const char *what, int calls, int parts, F f) {
  double best = 1e18;
  for (int round = 0; round != 15; ++round) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i != calls; ++i)
      f(i);
    std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count() / calls / parts);
  }
  std::printf("%-72s %8.2f ns\n", what, best);
}

constexpr int many = 100;

/// Planned: 100 kernels on a vector, or 100 calls of `callee`.
Function plannedKernels(const char *name, std::optional<uint32_t> callee = std::nullopt) {
  FunctionBuilder b(name);
  Slot n = b.symbol("n", 0, 0);
  b.parameter("x", DType::F32, {n});
  b.result("y", DType::F32, {n});
  uint32_t x = b.buffer(Buffer::Parameter, 0), y = b.buffer(Buffer::Result, 0);
  for (int i = 0; i != many; ++i) {
    if (callee)
      b.add(Instruction::CallFunction, *callee, {x, y}, {n});
    else
      b.kernel(Double, {x, y}, n);
  }
  return b.finish();
}

/// 100 times the same on registers, between making x and returning it.
template <typename Body> Function generalRepeat(const char *name, Body body) {
  GeneralBuilder b(name);
  Slot n = b.symbol("n", 0, 0);
  uint32_t x = b.argument("x", b.tensor(DType::F32, {n})), y = b.newRegister();
  b.generalResult("y", 0);
  b.endEntry();
  b.add(Instruction::Allocate, static_cast<uint32_t>(DType::F32), {y}, {n});
  for (int i = 0; i != many; ++i)
    body(b, n, x, y);
  return b.finishWith({x});
}

/// "scale" as a general function.
Function generalScale() {
  GeneralBuilder b("generalScale");
  Slot n = b.symbol("n", 0, 0, 0, 1'000'000), four = b.constant(4), count = b.product(n, four);
  uint32_t x = b.argument("x", b.tensor(DType::F32, {n, four}));
  uint32_t temporary = b.newRegister(), y = b.newRegister();
  b.generalResult("y", 0);
  b.endEntry();
  const auto f32 = static_cast<uint32_t>(DType::F32);
  b.add(Instruction::Allocate, f32, {temporary}, {n, four});
  b.kernelOn(Double, {x, temporary}, count);
  b.add(Instruction::Allocate, f32, {y}, {n, four});
  b.kernelOn(Double, {temporary, y}, count);
  b.add(Instruction::Release, 0, {temporary});
  return b.finishWith({y});
}

Function checkIndices() {
  GeneralBuilder b("indices");
  uint32_t x = b.argument("i", b.any());
  Slot lo = b.constant(0), hi = b.constant(50'000);
  b.function.guards.push_back({Guard::Elements, -1, -1, noSlot, noSlot, "take", ""});
  b.add(Instruction::CheckValues, 0, {x}, {lo, hi});
  return b.finishWith({});
}

/// One planned function that does nothing but a kernel.
Function one(const char *name) {
  FunctionBuilder b(name);
  Slot n = b.symbol("n", 0, 0);
  b.parameter("x", DType::F32, {n});
  b.result("y", DType::F32, {n});
  b.kernel(Double, {b.buffer(Buffer::Parameter, 0), b.buffer(Buffer::Result, 0)}, n);
  return b.finish();
}

Function captured(Function function, const char *name = nullptr) {
  function.captured = true;
  if (name)
    function.name = name;
  return function;
}

Module benchmarkModule() {
  Module module = testModule();
  module.packed = {{"nothing", false}};
  const auto f32 = static_cast<uint32_t>(DType::F32);
  module.functions = {
      scaleFunction(),
      plannedKernels("kernels"),
      plannedKernels("calls", 3),
      one("one"),
      generalScale(),
      generalRepeat("generalKernels", [](GeneralBuilder &b, Slot n, uint32_t x,
                                         uint32_t y) { b.kernelOn(Double, {x, y}, n); }),
      generalRepeat("generalAllocate",
                    [&](GeneralBuilder &b, Slot n, uint32_t, uint32_t y) {
                      b.add(Instruction::Allocate, f32, {y}, {n});
                    }),
      generalRepeat("generalCalls", [](GeneralBuilder &b, Slot, uint32_t x,
                                       uint32_t y) { b.add(Instruction::Invoke, 3, {x, y}); }),
      generalRepeat("generalPacked",
                    [](GeneralBuilder &b, Slot, uint32_t x, uint32_t y) {
                      b.add(Instruction::InvokePacked, 0, {x, y}).count = 1;
                    }),
      downFunction(9),
      growFunction(),
      checkIndices(),
      captured(scaleFunction(), "capturedScale"),
      captured(one("capturedOne")),
      captured(plannedKernels("capturedCalls", 13))};
  return module;
}

} // namespace

int main() {
  runtime::Registry registry;
  registry.addPacked("nothing", [](runtime::PackedCall &call) {
    call.results[0] = call.arguments[0];
    return Status();
  });
  runtime::Module loaded = loadOrDie(benchmarkModule(), {.threads = 1, .registry = &registry});
  auto function = [&](const char *name) { return *loaded.function(name); };
  FloatTensor x({2, 4}), y({2, 4}), x3({3, 4}), y3({3, 4}), v({1}), w({1});
  runtime::TensorView in[] = {x.view()}, out[] = {y.view()}, in3[] = {x3.view()};
  runtime::TensorView out3[] = {y3.view()}, vin[] = {v.view()}, wout[] = {w.view()};
  auto invoke = [&](const runtime::Function &f, const std::vector<Value> &arguments) {
    auto results = f.invoke(arguments);
    require(results ? Status() : results.takeStatus());
  };

  runtime::Function scale = function("scale"), general = function("generalScale");
  measure("planned, 2 kernels, the shapes of the last call", 20'000, 1,
          [&](int) { require(scale.call(in, out)); });
  measure("planned, 2 kernels, other shapes", 20'000, 1,
          [&](int i) { require(i % 2 ? scale.call(in, out) : scale.call(in3, out3)); });
  measure("planned, captured, 2 kernels, other shapes that were seen before", 20'000, 1,
          [&, f = function("capturedScale")](int i) {
            require(i % 2 ? f.call(in, out) : f.call(in3, out3));
          });
  measure("planned, each kernel", 2000, many,
          [&, f = function("kernels")](int) { require(f.call(vin, wout)); });
  measure("planned, each call of a planned function with 1 kernel", 2000, many,
          [&, f = function("calls")](int) { require(f.call(vin, wout)); });
  const std::vector<Value> two = {floats({2, 4})}, single = {floats({1})};
  measure("planned, captured, each call of a planned function with 1 kernel", 2000, many,
          [&, f = function("capturedCalls")](int) { require(f.call(vin, wout)); });
  measure("planned, 2 kernels, by values", 20'000, 1, [&](int) { invoke(scale, two); });
  measure("general, 2 kernels, 2 allocations", 20'000, 1, [&](int) { invoke(general, two); });
  measure("general, each kernel", 2000, many,
          [&, f = function("generalKernels")](int) { invoke(f, single); });
  measure("general, each allocation with its release", 2000, many,
          [&, f = function("generalAllocate")](int) { invoke(f, single); });
  measure("general, each call of a planned function with 1 kernel", 2000, many,
          [&, f = function("generalCalls")](int) { invoke(f, single); });
  measure("general, each call of a host function", 2000, many,
          [&, f = function("generalPacked")](int) { invoke(f, single); });
  measure(
      "general, each recursive call (7 instructions, a shape, a kernel)", 50, 1000,
      [&, f = function("down"), k = std::vector<Value>{shapeOf({1000})}](int) { invoke(f, k); });
  measure("general, each trip of a loop that makes a longer tensor (8 instructions)", 50, 1000,
          [&, f = function("grow"),
           k = std::vector<Value>{floats({0}), integers({}, {1000})}](int) { invoke(f, k); });
  std::vector<int32_t> narrow(1'000'000, 7);
  int64_t dims[] = {1'000'000};
  const std::vector<Value> wide = {integers({1'000'000}, std::vector<int64_t>(1'000'000, 7))};
  measure("check that an i64 index is in range, of 1,000,000", 5, 1'000'000,
          [&, f = function("indices")](int) { invoke(f, wide); });
  measure("check that an i32 index is in range, of 1,000,000", 5, 1'000'000,
          [&, f = function("indices"),
           k = std::vector<Value>{Value::borrow({narrow.data(), DType::I32, dims})}](int) {
            invoke(f, k);
          });
  return 0;
}
