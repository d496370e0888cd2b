//===- CallTest.cpp - functions compute what their code says ----------------------------------===//
#include "tests/unit/runtime/TestModule.h"

#include <gtest/gtest.h>

#include <thread>

namespace relax::test {
namespace {

using runtime::TensorView;

/// scale() of i -> i at n rows, compared element by element.
void checkScale(const runtime::Function &scale, int64_t n) {
  FloatTensor x({n, 4}), y({n, 4}, -1);
  for (size_t i = 0; i != x.data.size(); ++i)
    x.data[i] = static_cast<float>(i);
  TensorView inputs[] = {x.view()}, outputs[] = {y.view()};
  Status status = scale.call(inputs, outputs);
  ASSERT_TRUE(status.ok()) << status.message();
  for (size_t i = 0; i != y.data.size(); ++i)
    ASSERT_EQ(y.data[i], 4.0f * static_cast<float>(i)) << "n = " << n << ", element " << i;
}

TEST(Call, AnySizeOnOneSession) {
  for (unsigned threads : {1u, 2u, 5u}) {
    Module module = testModule();
    module.functions.push_back(scaleFunction());
    runtime::Module loaded = loadOrDie(module, {.threads = threads});
    auto scale = loaded.function("scale");
    ASSERT_TRUE(scale) << scale.status().message();
    // 0, 1, tails, the same again, smaller and larger than the last.
    for (int64_t n : {0, 1, 2, 3, 3, 1000, 1000, 7, 100'000, 0, 99'999, 1})
      checkScale(*scale, n);
  }
}

TEST(Call, ResultDims) {
  Module module = testModule();
  module.functions.push_back(scaleFunction());
  auto scale = loadOrDie(module).function("scale");
  ASSERT_TRUE(scale);
  int64_t dims[] = {12, 4};
  TensorView inputs[] = {{nullptr, DType::F32, dims}};
  auto result = scale->resultDims(inputs);
  ASSERT_TRUE(result) << result.status().message();
  EXPECT_EQ(*result, (std::vector<std::vector<int64_t>>{{12, 4}}));
  checkScale(*scale, 12); // The shapes are known, the arena isn't there yet.
}

TEST(Call, DonatedStorage) {
  Module module = testModule();
  module.functions.push_back(updateFunction());
  auto update = loadOrDie(module).function("update");
  ASSERT_TRUE(update);
  FloatTensor pages({5}, 1), other({5}, 1);
  TensorView inputs[] = {pages.view()};
  // Null: the runtime fills in the argument's storage.
  TensorView outputs[] = {{nullptr, DType::F32, pages.dims}};
  ASSERT_TRUE(update->call(inputs, outputs).ok());
  EXPECT_EQ(outputs[0].data, pages.data.data());
  EXPECT_EQ(pages.data, std::vector<float>(5, 4));
  // The same pointer.
  ASSERT_TRUE(update->call(inputs, outputs).ok());
  EXPECT_EQ(pages.data, std::vector<float>(5, 7));
  // Another one.
  outputs[0] = other.view();
  EXPECT_EQ(update->call(inputs, outputs).message(),
            "update: result 0 \"pages\": has storage of its own, but shares that of argument 0 "
            "\"pages\": pass the same pointer, or null");
  EXPECT_EQ(pages.data, std::vector<float>(5, 7));
}

TEST(Call, EverythingModule) {
  runtime::Module loaded = loadOrDie(everythingModule());
  auto main = loaded.function("main");
  ASSERT_TRUE(main);
  FloatTensor x({4}, 10), y({4});
  TensorView inputs[] = {x.view()}, outputs[] = {y.view()};
  Status status = main->call(inputs, outputs);
  ASSERT_TRUE(status.ok()) << status.message();
  // scale([10, 10, 10, 10] + 2 * [1, 2, 3, 4])
  EXPECT_EQ(y.data, (std::vector<float>{48, 56, 64, 72}));
  EXPECT_EQ(loaded.function("initialize").status().message(),
            "no function \"initialize\"; the module has \"scale\", \"main\"");
}

TEST(Call, BranchesChooseByShape) {
  // (x: f32[n]) -> 1 where n <= 4, else 2.
  FunctionBuilder b("choose");
  Slot n = b.symbol("n", 0, 0), four = b.constant(4), one = b.constant(1), two = b.constant(2);
  Slot small = b.slot(SlotOp::LessEqual, n, four);
  b.parameter("x", DType::F32, {n});
  b.result("y", DType::F32, {n});
  uint32_t y = b.buffer(Buffer::Result, 0);
  b.add(Instruction::BranchIfZero, 3, {}, {small});
  b.kernel(Fill, {y}, n, {one});
  b.add(Instruction::Jump, 4);
  b.kernel(Fill, {y}, n, {two});
  Module module = testModule();
  module.functions.push_back(b.finish());
  auto choose = loadOrDie(module).function("choose");
  ASSERT_TRUE(choose);
  for (int64_t size : {1, 4, 5, 3, 100}) {
    FloatTensor x({size}), y({size});
    TensorView inputs[] = {x.view()}, outputs[] = {y.view()};
    ASSERT_TRUE(choose->call(inputs, outputs).ok());
    EXPECT_EQ(y.data, std::vector<float>(static_cast<size_t>(size), size <= 4 ? 1 : 2));
  }
}

TEST(Call, LibraryFunctions) {
  FunctionBuilder b("main");
  Slot n = b.symbol("n", 0, 0);
  b.parameter("x", DType::F32, {n});
  b.result("y", DType::F32, {n});
  b.add(Instruction::CallLibrary, 0, {b.buffer(Buffer::Parameter, 0), b.buffer(Buffer::Result, 0)},
        {n});
  Module module = testModule();
  module.libraries.push_back("negate");
  module.functions.push_back(b.finish());

  auto missing = runtime::Module::loadBytes(serializeOrDie(module), "m.rlx");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.status().code(), StatusCode::Unsupported);
  EXPECT_EQ(missing.status().message(),
            "m.rlx: calls the library function \"negate\", which this program does not have");

  runtime::Registry registry;
  registry.add("negate", [](const runtime::LibraryCall &call) -> Status {
    if (call.values[0] > 10)
      return Status(StatusCode::Unsupported, "too many");
    EXPECT_EQ(call.sizes[0], static_cast<uint64_t>(call.values[0]) * 4);
    for (int64_t i = 0; i != call.values[0]; ++i)
      static_cast<float *>(call.buffers[1])[i] = -static_cast<const float *>(call.buffers[0])[i];
    return {};
  });
  auto main = loadOrDie(module, {.registry = &registry}).function("main");
  ASSERT_TRUE(main);
  FloatTensor x({3}, 5), y({3});
  TensorView inputs[] = {x.view()}, outputs[] = {y.view()};
  ASSERT_TRUE(main->call(inputs, outputs).ok());
  EXPECT_EQ(y.data, std::vector<float>(3, -5));
  FloatTensor large({11}), result({11});
  TensorView largeInputs[] = {large.view()}, largeOutputs[] = {result.view()};
  EXPECT_EQ(main->call(largeInputs, largeOutputs).message(),
            "main: library function \"negate\": too many");
}

TEST(Call, MemoryLimit) {
  Module module = testModule();
  module.functions.push_back(scaleFunction());
  runtime::Module loaded = loadOrDie(module, {.memoryLimit = 100'000});
  auto scale = loaded.function("scale");
  ASSERT_TRUE(scale);
  checkScale(*scale, 1000);
  FloatTensor x({10'000, 4}), y({10'000, 4}, -1);
  TensorView inputs[] = {x.view()}, outputs[] = {y.view()};
  Status status = scale->call(inputs, outputs);
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(
      status.message(),
      "scale: no memory for the arena: 163840 bytes are needed, 0 are in use, and the limit is "
      "100000, where n = 10000 is dimension 0 of \"x\"");
  EXPECT_EQ(y.data, std::vector<float>(40'000, -1)) << "nothing may have run";
  checkScale(*scale, 1000);
  EXPECT_EQ(loaded.memory().peak, 16384u);
  EXPECT_EQ(loaded.memory().limit, 100'000u);
  // More than any machine has.
  FunctionBuilder b("huge");
  b.function.arenaSize = b.constant(int64_t{1} << 60);
  module.functions.push_back(b.finish());
  auto huge = loadOrDie(module).function("huge");
  ASSERT_TRUE(huge);
  EXPECT_EQ(huge->call({}, {}).code(), StatusCode::ResourceExhausted);
}

TEST(Call, PlansThatDoNotFitAreRefused) {
  auto run = [](auto change) {
    Module module = testModule();
    module.functions.push_back(scaleFunction());
    change(module.functions[0]);
    auto scale = loadOrDie(module).function("scale");
    FloatTensor x({2, 4}), y({2, 4}, -1);
    TensorView inputs[] = {x.view()}, outputs[] = {y.view()};
    Status status = scale->call(inputs, outputs);
    EXPECT_EQ(status.code(), StatusCode::Internal);
    EXPECT_EQ(y.data, std::vector<float>(8, -1));
    return status.message();
  };
  const std::string prefix = "scale: the artifact's plan does not fit these shapes: ";
  auto constant = [](Function &f, int64_t value) {
    f.slots.push_back({SlotOp::Constant, value, 0});
    return static_cast<Slot>(f.slots.size() - 1);
  };
  EXPECT_EQ(run([&](Function &f) { f.buffers[2].size = constant(f, 33); }),
            prefix + "buffer 2 is at 0 with 33 bytes in an arena of 32");
  EXPECT_EQ(run([&](Function &f) { f.buffers[2].offset = constant(f, 8); }),
            prefix + "buffer 2 is at 8 with 32 bytes in an arena of 32");
  EXPECT_EQ(run([&](Function &f) { f.buffers[2].offset = constant(f, -64); }),
            prefix + "buffer 2 is at -64 with 32 bytes in an arena of 32");
  EXPECT_EQ(run([&](Function &f) { f.code[1].extent = constant(f, -1); }),
            prefix + "kernel \"k_double\" has an extent of -1");
  EXPECT_EQ(run([&](Function &f) { f.arenaMaximum = 31; }),
            prefix + "the arena has 32 bytes; at most 31 were promised");
}

TEST(Call, NestedRoomIsChecked) {
  Module module = everythingModule();
  // "main" calls "scale" with 1 x 4 elements; make it 2 x 4, more than its buffers have.
  module.functions[2].slots[3].a = 2;
  auto main = loadOrDie(module).function("main");
  FloatTensor x({4}), y({4});
  TensorView inputs[] = {x.view()}, outputs[] = {y.view()};
  EXPECT_EQ(main->call(inputs, outputs).message(),
            "main: the artifact's plan does not fit these shapes: argument 0 of \"scale\" has 32 "
            "bytes; its buffer has 16");
}

TEST(Call, FromManyThreads) {
  Module module = testModule();
  module.functions.push_back(scaleFunction());
  module.functions.push_back(updateFunction());
  runtime::Module loaded = loadOrDie(module, {.threads = 2});
  auto scale = loaded.function("scale");
  ASSERT_TRUE(scale);
  std::vector<std::thread> threads;
  for (int64_t t = 0; t != 4; ++t)
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i != 20; ++i)
        checkScale(*scale, 1000 * t + i);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Call, Profile) {
  Module module = testModule();
  module.functions.push_back(scaleFunction());
  runtime::Module loaded = loadOrDie(module);
  auto scale = loaded.function("scale");
  checkScale(*scale, 10);
  EXPECT_EQ(loaded.profile()[Double].calls, 0u) << "it is off at first";
  loaded.enableProfiling(true);
  checkScale(*scale, 10);
  checkScale(*scale, 0); // An empty kernel isn't called.
  EXPECT_EQ(loaded.profile()[Double].calls, 2u);
  EXPECT_EQ(loaded.profile()[Double].cost, 80u);
  EXPECT_EQ(loaded.profile()[Add].calls, 0u);
  EXPECT_NE(loaded.profileReport().find("k_double"), std::string::npos);
  EXPECT_EQ(loaded.profileReport().find("k_add"), std::string::npos);
  loaded.resetProfile();
  EXPECT_EQ(loaded.profile()[Double].calls, 0u);
}

TEST(Call, ProfileCountsWork) {
  Module module = testModule();
  module.functions.push_back(updateFunction());
  artifact::Kernel &kernel = module.kernels[Increase];
  kernel.symbols = {"by"};
  kernel.slots = {{SlotOp::Dimension, 0, 0}, {SlotOp::Constant, 5, 0}, {SlotOp::Mul, 0, 1}};
  kernel.flops = 2;
  runtime::Module loaded = loadOrDie(module);
  loaded.enableProfiling(true);
  auto update = loaded.function("update");
  ASSERT_TRUE(update);
  FloatTensor pages({5}, 1);
  TensorView inputs[] = {pages.view()};
  for (int i = 0; i != 2; ++i) {
    TensorView outputs[] = {{nullptr, DType::F32, pages.dims}};
    ASSERT_TRUE(update->call(inputs, outputs).ok());
  }
  // It is called with the number 3; nothing is said of bytes.
  EXPECT_EQ(loaded.profile()[Increase].flops, 2u * 3 * 5);
  EXPECT_EQ(loaded.profile()[Increase].bytes, 0u);
  EXPECT_NE(loaded.profileReport().find(" - "), std::string::npos) << loaded.profileReport();
}

} // namespace
} // namespace relax::test
