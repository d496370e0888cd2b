//===- ReplayTest.cpp - captured functions do what the same functions do that aren't ----------===//
#include "runtime/vm/Frame.h"
#include "runtime/vm/Interpreter.h"
#include "tests/unit/runtime/TestModule.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

namespace relax::test {
namespace {

using runtime::TensorView;

Function captured(Function function) {
  function.captured = true;
  return function;
}

/// "caller": (x: f32[n], y: f32[m]) -> what `callee` makes of x, and of y, and of x again, behind
/// each other: f32[n], f32[m], f32[n]. Each goes through the arena.
Function callerOf(uint32_t callee) {
  FunctionBuilder b("caller");
  Slot n = b.symbol("n", 0, 0), m = b.symbol("m", 1, 0), four = b.constant(4);
  Slot zero = b.constant(0), align = b.constant(64);
  auto rounded = [&](Slot count) {
    return b.product(b.slot(SlotOp::CeilDiv, b.product(count, four), align), align);
  };
  Slot sizeN = rounded(n), sizeM = rounded(m), both = b.slot(SlotOp::Add, sizeN, sizeM);
  b.function.arenaSize = both;
  b.parameter("x", DType::F32, {n});
  b.parameter("y", DType::F32, {m});
  b.result("a", DType::F32, {n});
  b.result("b", DType::F32, {m});
  b.result("c", DType::F32, {n});
  uint32_t x = b.buffer(Buffer::Parameter, 0), y = b.buffer(Buffer::Parameter, 1);
  uint32_t t = b.buffer(Buffer::Arena, 0, zero, sizeN),
           u = b.buffer(Buffer::Arena, 0, sizeN, sizeM);
  b.kernel(Double, {x, t}, n);
  b.kernel(Double, {y, u}, m);
  b.add(Instruction::CallFunction, callee, {t, b.buffer(Buffer::Result, 0)}, {n});
  b.add(Instruction::CallFunction, callee, {u, b.buffer(Buffer::Result, 1)}, {m});
  b.add(Instruction::CallFunction, callee, {x, b.buffer(Buffer::Result, 2)}, {n});
  return b.finish();
}

/// "quadruple": (x: f32[k]) -> 4 * x, by way of its arena.
Function quadruple() {
  FunctionBuilder b("quadruple");
  Slot k = b.symbol("k", 0, 0), four = b.constant(4), zero = b.constant(0);
  Slot bytes = b.product(k, four);
  b.function.arenaSize = bytes;
  b.parameter("x", DType::F32, {k});
  b.result("y", DType::F32, {k});
  uint32_t t = b.buffer(Buffer::Arena, 0, zero, bytes);
  b.kernel(Double, {b.buffer(Buffer::Parameter, 0), t}, k);
  b.kernel(Double, {t, b.buffer(Buffer::Result, 0)}, k);
  return b.finish();
}

Module callerModule(bool isCaptured = true) {
  Module module = testModule();
  module.functions = {quadruple(), callerOf(0)};
  for (Function &function : module.functions)
    function.captured = isCaptured;
  return module;
}

/// Calls "caller" and looks at each element.
void checkCaller(const runtime::Function &caller, int64_t n, int64_t m) {
  FloatTensor x({n}), y({m}), a({n}, -1), b({m}, -1), c({n}, -1);
  for (size_t i = 0; i != x.data.size(); ++i)
    x.data[i] = static_cast<float>(i + 1);
  for (size_t i = 0; i != y.data.size(); ++i)
    y.data[i] = static_cast<float>(i + 100);
  TensorView inputs[] = {x.view(), y.view()}, outputs[] = {a.view(), b.view(), c.view()};
  Status status = caller.call(inputs, outputs);
  ASSERT_TRUE(status.ok()) << status.message();
  for (size_t i = 0; i != x.data.size(); ++i) {
    ASSERT_EQ(a.data[i], 8 * x.data[i]) << n << ", " << m << ": " << i;
    ASSERT_EQ(c.data[i], 4 * x.data[i]) << n << ", " << m << ": " << i;
  }
  for (size_t i = 0; i != y.data.size(); ++i)
    ASSERT_EQ(b.data[i], 8 * y.data[i]) << n << ", " << m << ": " << i;
}

TEST(Replay, ShapesThatComeAgain) {
  for (unsigned threads : {1u, 2u}) {
    runtime::Module loaded = loadOrDie(callerModule(), {.threads = threads});
    auto caller = loaded.function("caller");
    ASSERT_TRUE(caller) << caller.status().message();
    // Small ones first and again after large ones: both arenas have moved in between. More
    // different shapes than are kept; no elements; large enough for several threads.
    for (int round = 0; round != 3; ++round)
      for (int64_t n : {1, 3, 0, 5000, 7, 70'000})
        for (int64_t m : {2, 0, 30'000})
          checkCaller(*caller, n, m);
  }
}

TEST(Replay, RandomShapesAsWithoutCapture) {
  runtime::Module with = loadOrDie(callerModule(true)), without = loadOrDie(callerModule(false));
  auto first = with.function("caller"), second = without.function("caller");
  std::mt19937 random(7);
  for (int i = 0; i != 500; ++i) {
    int64_t n = static_cast<int64_t>(random() % 6), m = static_cast<int64_t>(random() % 300);
    checkCaller(*first, n, m);
    checkCaller(*second, n, m);
  }
  // Only what was needed for the largest.
  EXPECT_EQ(with.memory().current, without.memory().current);
}

TEST(Replay, ACalleeIsCalledByOthersToo) {
  runtime::Module loaded = loadOrDie(callerModule());
  auto caller = loaded.function("caller"), callee = loaded.function("quadruple");
  checkCaller(*caller, 3, 4);
  // Its arena moves, which the caller's launches point into.
  FloatTensor x({100'000}, 1), y({100'000});
  TensorView inputs[] = {x.view()}, outputs[] = {y.view()};
  ASSERT_TRUE(callee->call(inputs, outputs).ok());
  EXPECT_EQ(y.data, std::vector<float>(100'000, 4));
  checkCaller(*caller, 3, 4);
}

TEST(Replay, MemoryLimit) {
  // Enough for the caller's arena, not for that of what it calls beside it.
  runtime::Module loaded = loadOrDie(callerModule(), {.memoryLimit = 100'000});
  auto caller = loaded.function("caller");
  checkCaller(*caller, 10, 20);
  const int64_t n = 20'000;
  FloatTensor x({n}), y({1}), a({n}, -1), b({1}, -1), c({n}, -1);
  TensorView inputs[] = {x.view(), y.view()}, outputs[] = {a.view(), b.view(), c.view()};
  for (int i = 0; i != 2; ++i) {
    Status status = caller->call(inputs, outputs);
    EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
    EXPECT_EQ(status.message().substr(0, 50), "caller: quadruple: no memory for the arena: 81920 ");
    EXPECT_EQ(a.data, std::vector<float>(20'000, -1)) << "nothing may have run";
    checkCaller(*caller, 10, 20);
  }
}

TEST(Replay, DonatedStorage) {
  Module module = testModule();
  module.functions.push_back(captured(updateFunction()));
  auto update = loadOrDie(module).function("update");
  FloatTensor first({5}, 1), second({5}, 10), third({2}, 20);
  auto call = [&](FloatTensor &pages, void *result) {
    TensorView inputs[] = {pages.view()}, outputs[] = {{result, DType::F32, pages.dims}};
    Status status = update->call(inputs, outputs);
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(outputs[0].data, pages.data.data());
  };
  for (int i = 1; i != 4; ++i) {
    call(first, nullptr);
    call(second, second.data.data());
    call(third, nullptr);
    EXPECT_EQ(first.data, std::vector<float>(5, 1 + 3.0f * static_cast<float>(i)));
    EXPECT_EQ(second.data, std::vector<float>(5, 10 + 3.0f * static_cast<float>(i)));
    EXPECT_EQ(third.data, std::vector<float>(2, 20 + 3.0f * static_cast<float>(i)));
  }
  TensorView inputs[] = {first.view()}, outputs[] = {second.view()};
  EXPECT_EQ(update->call(inputs, outputs).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(second.data, std::vector<float>(5, 19));
}

/// "checked": (i: i32[n], y: f32[n]) -> 2 * y, if all i are at least 0 and less than n.
Function checked() {
  FunctionBuilder b("checked");
  Slot n = b.symbol("n", 0, 0), zero = b.constant(0);
  b.parameter("i", DType::I32, {n});
  b.parameter("y", DType::F32, {n});
  b.result("z", DType::F32, {n});
  b.function.guards.push_back(
      {Guard::Elements, -1, -1, noSlot, noSlot, "take", "m.mlir:1:2", DType::I32});
  b.add(Instruction::CheckValues, 0, {b.buffer(Buffer::Parameter, 0)}, {zero, n});
  b.kernel(Double, {b.buffer(Buffer::Parameter, 1), b.buffer(Buffer::Result, 0)}, n);
  return b.finish();
}

TEST(Replay, AnErrorInTheMiddle) {
  // "outer" doubles y, then calls "middle", which calls "checked".
  auto forward = [](const char *name, uint32_t callee, bool doubles) {
    FunctionBuilder b(name);
    Slot n = b.symbol("n", 0, 0), four = b.constant(4), zero = b.constant(0);
    Slot bytes = b.product(n, four);
    b.parameter("i", DType::I32, {n});
    b.parameter("y", DType::F32, {n});
    b.result("z", DType::F32, {n});
    uint32_t y = b.buffer(Buffer::Parameter, 1);
    if (doubles) {
      b.function.arenaSize = bytes;
      uint32_t t = b.buffer(Buffer::Arena, 0, zero, bytes);
      b.kernel(Double, {y, t}, n);
      y = t;
    }
    b.add(Instruction::CallFunction, callee,
          {b.buffer(Buffer::Parameter, 0), y, b.buffer(Buffer::Result, 0)}, {n, n});
    return captured(b.finish());
  };
  Module module = testModule();
  module.functions = {captured(checked()), forward("middle", 0, false), forward("outer", 1, true)};
  auto outer = loadOrDie(module).function("outer");
  std::vector<int32_t> right = {2, 1, 0}, wrong = {0, 1, 3};
  const int64_t dims[] = {3};
  FloatTensor y({3}, 5), z({3});
  for (int round = 0; round != 2; ++round) {
    TensorView bad[] = {{wrong.data(), DType::I32, dims}, y.view()}, outputs[] = {z.view()};
    EXPECT_EQ(
        outer->call(bad, outputs).message(),
        "outer: middle: checked: take: element 2 is 3, but must be at least 0 and less than 3 "
        "[m.mlir:1:2]");
    TensorView good[] = {{right.data(), DType::I32, dims}, y.view()};
    Status status = outer->call(good, outputs);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(z.data, std::vector<float>(3, 20));
  }
}

TEST(Replay, ShapesOfACalleeAreCheckedBeforeAnythingRuns) {
  Module module = callerModule();
  module.functions[0].guards.push_back(
      {Guard::LessEqual, 0, 0, 0, 1, "k <= 4", "m.mlir:1:2"}); // Slot 1 is 4.
  auto caller = loadOrDie(module).function("caller");
  checkCaller(*caller, 4, 3);
  FloatTensor x({4}), y({5}), a({4}, -1), b({5}), c({4});
  TensorView inputs[] = {x.view(), y.view()}, outputs[] = {a.view(), b.view(), c.view()};
  Status status = caller->call(inputs, outputs);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("caller: quadruple: argument 0 \"x\", dimension 0: k <= 4"),
            std::string::npos)
      << status.message();
  EXPECT_EQ(a.data, std::vector<float>(4, -1));
  checkCaller(*caller, 4, 3);
}

TEST(Replay, FromManyThreads) {
  runtime::Module loaded = loadOrDie(callerModule(), {.threads = 2});
  auto caller = loaded.function("caller");
  std::vector<std::thread> threads;
  for (int64_t t = 0; t != 4; ++t)
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i != 50; ++i)
        checkCaller(*caller, 100 * t + i % 3, 40'000 * (i % 2) + t);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Replay, TheProfilerSeesEachKernel) {
  runtime::Module loaded = loadOrDie(callerModule());
  auto caller = loaded.function("caller");
  checkCaller(*caller, 2, 3);
  loaded.enableProfiling(true);
  checkCaller(*caller, 2, 3);
  EXPECT_EQ(loaded.profile()[Double].calls, 8u);
  EXPECT_EQ(loaded.profile()[Double].cost, 5 * 2u + 3 * 3u);
  loaded.enableProfiling(false);
  checkCaller(*caller, 2, 3);
  EXPECT_EQ(loaded.profile()[Double].calls, 8u);
}

TEST(Replay, LongListsAreCutAtCalls) {
  // 64 kernels; 64 calls of that; 64 calls of those: 2^18 launches would be too long a list.
  auto repeat = [](const char *name, int64_t callee) {
    FunctionBuilder b(name);
    Slot n = b.symbol("n", 0, 0), one = b.constant(1);
    b.parameter("x", DType::F32, {n});
    b.result("y", DType::F32, {n});
    uint32_t x = b.buffer(Buffer::Parameter, 0), y = b.buffer(Buffer::Result, 0);
    if (callee < 0)
      b.kernel(Double, {x, y}, n);
    for (int i = 0; i != 64; ++i) {
      if (callee < 0)
        b.kernel(Increase, {y}, n, {one});
      else
        b.add(Instruction::CallFunction, static_cast<uint32_t>(callee), {i == 0 ? x : y, y}, {n});
    }
    return captured(b.finish());
  };
  Module module = testModule();
  module.functions = {repeat("a", -1), repeat("b", 0), repeat("c", 1)};
  auto c = loadOrDie(module).function("c");
  FloatTensor x({3}), y({3});
  TensorView inputs[] = {x.view()}, outputs[] = {y.view()};
  Status status = c->call(inputs, outputs);
  ASSERT_TRUE(status.ok()) << status.message();
  // Doubling and adding 64 again and again: the same as done by hand, in float.
  float expected = 0;
  for (int i = 0; i != 64 * 64; ++i)
    expected = 2 * expected + 64;
  EXPECT_EQ(y.data, std::vector<float>(3, expected));
}

TEST(Replay, AsManyShapesAsAreKept) {
  for (bool isCaptured : {true, false}) {
    Module module;
    FunctionBuilder b("f");
    Slot n = b.symbol("n", 0, 0);
    b.parameter("x", DType::F32, {n});
    b.result("y", DType::F32, {n});
    b.kernel(Double, {b.buffer(Buffer::Parameter, 0), b.buffer(Buffer::Result, 0)}, n);
    b.function.captured = isCaptured;
    module.functions.push_back(b.finish());
    module.kernels.push_back({"k", ""});
    runtime::Environment environment;
    environment.module = &module;
    environment.pool = std::make_shared<runtime::ThreadPool>(1);
    environment.profiler = std::make_unique<runtime::Profiler>(module);
    environment.kernels.push_back(
        [](void *const *buffers, const int64_t *, int64_t begin, int64_t end) {
          for (int64_t i = begin; i != end; ++i)
            static_cast<float *>(buffers[1])[i] = 2 * static_cast<const float *>(buffers[0])[i];
        });
    runtime::Frame frame(module.functions[0], environment);
    const size_t most = isCaptured ? runtime::Frame::maxReplays : 1;
    for (int64_t size = 1; size != 100; ++size) {
      FloatTensor x({size}, 1), y({size});
      TensorView inputs[] = {x.view()}, outputs[] = {y.view()};
      ASSERT_TRUE(frame.call(inputs, outputs).ok());
      EXPECT_EQ(y.data, std::vector<float>(static_cast<size_t>(size), 2));
      EXPECT_EQ(frame.numReplays(), std::min(most, static_cast<size_t>(size)));
      // Shapes that are refused take no place.
      const int64_t negative[] = {-size};
      TensorView wrong[] = {{x.data.data(), DType::F32, negative}};
      EXPECT_FALSE(frame.call(wrong, outputs).ok());
      EXPECT_LE(frame.numReplays(), most);
    }
  }
}

TEST(Replay, WhatCannotBeCapturedIsRefused) {
  auto fault = [](auto change) {
    Module module = callerModule();
    module.libraries.push_back("library");
    change(module);
    Expected<std::vector<uint8_t>> bytes = serialize(module);
    return bytes ? std::string() : bytes.status().message();
  };
  EXPECT_EQ(fault([](Module &) {}), "");
  const std::string callee =
      "function \"caller\": is captured, but calls \"quadruple\", which can't";
  auto hasFault = [&](auto change, const std::string &text) {
    EXPECT_NE(fault(change).find(text), std::string::npos) << fault(change);
  };
  hasFault([](Module &m) { m.functions[0].captured = false; }, callee);
  hasFault(
      [](Module &m) {
        m.functions[0].code.insert(m.functions[0].code.begin(),
                                   {Instruction::CallLibrary, 0, {}, {}});
      },
      callee);
  hasFault(
      [](Module &m) {
        m.functions[1].code.insert(m.functions[1].code.begin(),
                                   {Instruction::CallLibrary, 0, {}, {}});
      },
      "is captured, but calls functions and libraries");
  hasFault(
      [](Module &m) {
        m.functions[0].parameters[0].donated = true;
        m.functions[0].results[0].alias = 0;
      },
      callee);
  hasFault(
      [](Module &m) {
        m.functions[0].parameters[0].type.dtype = DType::I32;
        m.functions[0].guards.push_back({Guard::ValuesInRange, 0, -1, 0, noSlot, "", ""});
      },
      callee);
}

} // namespace
} // namespace relax::test
