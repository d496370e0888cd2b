//===- GeneralTest.cpp - general functions: registers, loops, recursion, values ---------------===//
#include "tests/unit/runtime/TestModule.h"

#include <gtest/gtest.h>

#include <thread>

namespace relax::test {
namespace {

using runtime::Value;

/// The module of these functions, and the first of them.
class Loaded {
public:
  explicit Loaded(std::vector<Function> functions, const runtime::LoadOptions &options = {},
                  std::vector<PackedFunction> packed = {})
      : module(load(std::move(functions), options, std::move(packed))),
        first(*module.function(module.contents().functions[0].name)) {}

  runtime::Module module;
  runtime::Function first;

private:
  static runtime::Module load(std::vector<Function> functions, const runtime::LoadOptions &options,
                              std::vector<PackedFunction> packed) {
    Module module = testModule();
    module.functions = std::move(functions);
    module.packed = std::move(packed);
    return loadOrDie(module, options);
  }
};

Value scalar(int64_t value) { return integers({}, {value}); }

TEST(General, LoopWithAGrowingExtent) {
  Loaded grow({growFunction()});
  for (int64_t size : {0, 1, 5})
    for (int64_t trips : {0, 1, 2, 7, 100}) {
      auto results = grow.first.invoke({{floats({size}, -1), scalar(trips)}});
      ASSERT_TRUE(results) << results.status().message();
      float expected = trips == 0 ? -1.0f : static_cast<float>(size + trips);
      EXPECT_EQ(elementsOf((*results)[0]),
                std::vector<float>(static_cast<size_t>(size + trips), expected));
    }
}

TEST(General, Recursion) {
  Loaded down({downFunction(0)});
  for (int64_t k : {0, 1, 2, 3, 1000, 9999}) {
    auto results = down.first.invoke({{shapeOf({k})}});
    ASSERT_TRUE(results) << results.status().message();
    EXPECT_EQ(elementsOf((*results)[0]), std::vector<float>(4, static_cast<float>(k)));
  }
}

TEST(General, MutualRecursion) {
  Function even = downFunction(1), odd = downFunction(0);
  even.name = "even";
  odd.name = "odd";
  Loaded loaded({even, odd});
  auto results = loaded.first.invoke({{shapeOf({77})}});
  ASSERT_TRUE(results) << results.status().message();
  EXPECT_EQ(elementsOf((*results)[0]), std::vector<float>(4, 77));
}

TEST(General, DepthLimit) {
  Loaded down({downFunction(0)});
  EXPECT_EQ(invokeText(down.first, {shapeOf({10'000})}),
            "down: … (9996 calls): down: down: down: calls nest more than 10000 deep in @down");
  EXPECT_EQ(invokeText(down.first, {shapeOf({3})}), "f32[4]") << "the session is unharmed";
  Loaded shallow({downFunction(0)}, {.callDepthLimit = 3});
  EXPECT_EQ(invokeText(shallow.first, {shapeOf({2})}), "f32[4]");
  EXPECT_EQ(invokeText(shallow.first, {shapeOf({3})}),
            "down: down: down: calls nest more than 3 deep in @down");
  // The memory limit holds for the stack of calls as well.
  Loaded small({downFunction(0)}, {.memoryLimit = 100'000});
  EXPECT_EQ(invokeText(small.first, {shapeOf({100})}), "f32[4]");
  auto failed = small.first.invoke({{shapeOf({9000})}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.status().code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(invokeText(small.first, {shapeOf({100})}), "f32[4]");
  EXPECT_EQ(small.module.memory().tensors, 0u);
}

/// (x: f32[n], n is read by `read`) -> x twice as a tuple, its shape, the shape as a tensor, and
/// back.
TEST(General, TuplesAndShapes) {
  GeneralBuilder b("f");
  uint32_t x = b.argument("x", b.any());
  uint32_t tuple = b.newRegister(), nested = b.newRegister(), shape = b.newRegister();
  uint32_t tensor = b.newRegister(), again = b.newRegister(), field = b.newRegister();
  for (int i = 0; i != 5; ++i)
    b.generalResult("r", 0);
  b.add(Instruction::ShapeOf, 0, {shape, x});
  b.add(Instruction::ShapeToTensor, 0, {tensor, shape});
  b.add(Instruction::TensorToShape, 0, {again, tensor});
  b.add(Instruction::MakeTuple, 0, {tuple, x, again});
  b.add(Instruction::MakeTuple, 0, {nested, tuple, shape, tuple});
  b.add(Instruction::TupleGet, 2, {field, nested});
  b.add(Instruction::TupleGet, 1, {field, field});
  Loaded f({b.finishWith({nested, shape, tensor, again, field})});
  auto results = f.first.invoke({{floats({2, 0, 3})}});
  ASSERT_TRUE(results) << results.status().message();
  EXPECT_EQ(results->at(0).asTuple()[2].asTuple()[0].text(), "f32[2, 0, 3]");
  EXPECT_EQ(results->at(1).text(), "shape [2, 0, 3]");
  EXPECT_EQ(results->at(2).text(), "i64[3]");
  EXPECT_EQ(static_cast<int64_t *>(results->at(2).asTensor().data)[2], 3);
  EXPECT_EQ(results->at(3).text(), "shape [2, 0, 3]");
  EXPECT_EQ(results->at(4).text(), "shape [2, 0, 3]");
  EXPECT_EQ(invokeText(f.first, {floats({})}),
            "a tuple of 3, shape [], i64[0], shape [], shape []");
  EXPECT_EQ(invokeText(f.first, {shapeOf({2})}),
            "f: the artifact's code is wrong: register 0 holds shape [2], expected a tensor");
}

TEST(General, TuplesNestSoDeep) {
  // A loop that puts its tuple into a tuple.
  GeneralBuilder b("f");
  uint32_t x = b.argument("x", b.any()), n = b.argument("n", b.any());
  uint32_t counter = b.newRegister();
  b.generalResult("y", 0);
  Slot zero = b.constant(0), one = b.constant(1);
  b.add(Instruction::MakeShape, 0, {counter}, {zero});
  uint32_t loop = b.here();
  Slot i = b.slot(SlotOp::ShapeElement, counter, 0), limit = b.slot(SlotOp::Element, n, 0);
  Slot more = b.slot(SlotOp::Less, i, limit), next = b.slot(SlotOp::Add, i, one);
  b.evaluate(i);
  b.add(Instruction::BranchIfZero, loop + 5, {}, {more});
  b.add(Instruction::MakeTuple, 0, {x, x});
  b.add(Instruction::MakeShape, 0, {counter}, {next});
  b.add(Instruction::Jump, loop);
  Loaded f({b.finishWith({x})});
  EXPECT_EQ(invokeText(f.first, {shapeOf({}), scalar(200)}), "a tuple of 1");
  EXPECT_EQ(invokeText(f.first, {shapeOf({}), scalar(201)}), "f: tuples nest more than 200 deep");
}

/// (x: f32[n], s: shape or what a slot list says) -> a view.
TEST(General, Views) {
  GeneralBuilder b("f");
  uint32_t x = b.argument("x", b.any()), s = b.argument("s", b.any()), y = b.newRegister();
  b.generalResult("y", 0);
  b.add(Instruction::View, 0, {y, x, s});
  Loaded f({b.finishWith({y})});
  Value twelve = floats({12}, 3);
  EXPECT_EQ(invokeText(f.first, {twelve, shapeOf({3, 4})}), "f32[3, 4]");
  EXPECT_EQ(invokeText(f.first, {twelve, shapeOf({5})}), "f32[5]");
  EXPECT_EQ(invokeText(f.first, {twelve, shapeOf({0, 7})}), "f32[0, 7]");
  EXPECT_EQ(invokeText(f.first, {twelve, shapeOf({13})}), "f: shape [13] does not fit f32[12]");
  EXPECT_EQ(invokeText(f.first, {twelve, shapeOf({INT64_MAX, 2})}),
            "f: shape [9223372036854775807, 2] does not fit f32[12]");
  EXPECT_EQ(invokeText(f.first, {twelve, shapeOf(std::vector<int64_t>(9, 1))}),
            "f: a tensor of rank 9; at most 8 is allowed");
  // The view keeps what it looks at.
  std::vector<Value> results = *f.first.invoke({{floats({6}, 2), shapeOf({2, 3})}});
  EXPECT_EQ(elementsOf(results[0]), std::vector<float>(6, 2));
}

TEST(General, ConstantsAndStatesOutliveTheModule) {
  GeneralBuilder b("f");
  uint32_t c = b.newRegister(), s = b.newRegister(), copy = b.newRegister();
  for (int i = 0; i != 3; ++i)
    b.generalResult("r", b.any());
  b.add(Instruction::LoadConstant, 0, {c});
  b.add(Instruction::LoadState, 0, {s});
  b.add(Instruction::Copy, 0, {copy, c});
  Module module = everythingModule();
  module.functions.push_back(b.finishWith({c, s, copy}));
  std::vector<Value> results;
  {
    runtime::Module loaded = loadOrDie(module);
    results = *loaded.function("f")->invoke({});
  }
  EXPECT_EQ(elementsOf(results[0]), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(elementsOf(results[1]), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(elementsOf(results[2]), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_NE(results[0].asTensor().data, results[2].asTensor().data);
}

TEST(General, MatchCast) {
  // x of any rank is cast to f32[n, 2 * m], where n is known from s and m is new; then m <= 3.
  GeneralBuilder b("f");
  Slot n = b.slot(SlotOp::Dimension, 1, 0);
  b.function.symbols.push_back({"n", 0, std::nullopt, 1, n});
  uint32_t x = b.argument("x", b.any());
  b.argument("s", b.shape({n}));
  b.generalResult("y", 0);
  Slot two = b.constant(2);
  b.endEntry();
  Slot columns = b.slot(SlotOp::RegisterDimension, x, 1);
  Slot m = b.slot(SlotOp::FloorDiv, columns, two), twice = b.slot(SlotOp::Mul, two, m);
  b.function.symbols.push_back({"m", 1, 5, 1, m, "match_cast at m.mlir:3:1"});
  uint32_t cast = b.tensor(DType::F32, {n, twice});
  b.function.patterns[cast].what = "match_cast";
  b.function.patterns[cast].source = "m.mlir:3:1";
  b.add(Instruction::CheckValue, cast, {x}, {columns, static_cast<Slot>(twice + 1)});
  Slot three = b.constant(3);
  b.function.guards.push_back({Guard::LessEqual, -1, -1, m, three, "m <= 3", "m.mlir:4:1"});
  b.add(Instruction::Check, 0);
  Loaded f({b.finishWith({x})});
  auto call = [&](Value value) { return invokeText(f.first, {std::move(value), shapeOf({4})}); };
  EXPECT_EQ(call(floats({4, 6})), "f32[4, 6]");
  EXPECT_EQ(call(floats({4})), "f: match_cast: found 1 dimensions, expected 2 [m.mlir:3:1]");
  EXPECT_EQ(call(shapeOf({4, 6})),
            "f: match_cast: found shape [4, 6], expected f32[n, 2 * m] [m.mlir:3:1]");
  EXPECT_EQ(call(integers({1, 2}, {1, 2})),
            "f: match_cast: found elements of i64, expected f32 [m.mlir:3:1]");
  EXPECT_EQ(call(floats({5, 6})),
            "f: match_cast, dimension 0: found 5, expected n = 4, where n = 4 "
            "is element 0 of \"s\" [m.mlir:3:1]");
  EXPECT_EQ(
      call(floats({4, 7})),
      "f: match_cast, dimension 1: found 7, expected 2 * m = 6, where m = 3 is of match_cast at "
      "m.mlir:3:1 [m.mlir:3:1]");
  EXPECT_EQ(call(floats({4, 0})),
            "f: symbol m (match_cast at m.mlir:3:1) is 0, but must be at least 1");
  EXPECT_EQ(call(floats({4, 8})), "f: m <= 3 does not hold: found m = 4 and 3, where m = 4 is of "
                                  "match_cast at m.mlir:3:1 [m.mlir:4:1]");
  EXPECT_EQ(call(floats({4, 2})), "f32[4, 2]") << "the session is unharmed";
}

TEST(General, IndicesAreChecked) {
  GeneralBuilder b("f");
  uint32_t x = b.argument("i", b.any());
  b.generalResult("y", 0);
  Slot lo = b.constant(-3), hi = b.constant(3);
  b.function.guards.push_back({Guard::Elements, -1, -1, noSlot, noSlot, "take", "m.mlir:9:9"});
  b.add(Instruction::CheckValues, 0, {x}, {lo, hi});
  Loaded f({b.finishWith({x})});
  EXPECT_EQ(invokeText(f.first, {integers({6}, {-3, 2, 0, 1, 2, -1})}), "i64[6]");
  EXPECT_EQ(invokeText(f.first, {integers({0}, {})}), "i64[0]");
  EXPECT_EQ(invokeText(f.first, {integers({2, 2}, {0, 1, 3, 9})}),
            "f: take: element 2 is 3, but must be at least -3 and less than 3 [m.mlir:9:9]");
  // Beyond the blocks that are looked at as a whole.
  for (size_t wrong : {0, 1, 255, 256, 511, 512, 600}) {
    std::vector<int64_t> many(601, 2);
    many[wrong] = -4;
    EXPECT_EQ(invokeText(f.first, {integers({601}, many)}),
              "f: take: element " + std::to_string(wrong) +
                  " is -4, but must be at least -3 and less than 3 [m.mlir:9:9]");
  }
  std::vector<uint8_t> bytes = {0, 2, 200};
  int64_t dims[] = {3};
  EXPECT_EQ(invokeText(f.first, {Value::borrow({bytes.data(), DType::U8, dims})}),
            "f: take: element 2 is 200, but must be at least -3 and less than 3 [m.mlir:9:9]");
  EXPECT_EQ(invokeText(f.first, {floats({1})}),
            "f: the artifact's code is wrong: compares elements of f32 as integers");
}

TEST(General, IndicesAreCheckedInPlannedFunctions) {
  FunctionBuilder b("f");
  Slot n = b.symbol("n", 0, 0), zero = b.constant(0), ten = b.constant(10);
  b.parameter("i", DType::I32, {n});
  b.function.guards.push_back({Guard::Elements, -1, -1, noSlot, noSlot, "gather", "", DType::I32});
  b.add(Instruction::CheckValues, 0, {b.buffer(Buffer::Parameter, 0)}, {zero, ten});
  Loaded f({b.finish()});
  std::vector<int32_t> indices = {0, 9, 10, -1};
  auto call = [&](int64_t size) {
    int64_t dims[] = {size};
    runtime::TensorView inputs[] = {{indices.data(), DType::I32, dims}};
    return f.first.call(inputs, {}).message();
  };
  EXPECT_EQ(call(2), "");
  EXPECT_EQ(call(3), "f: gather: element 2 is 10, but must be at least 0 and less than 10");
  EXPECT_EQ(call(0), "");
}

TEST(General, SlotsReadWhatIsThere) {
  auto error = [](SlotOp::Kind kind, int64_t index, const Value &value) {
    GeneralBuilder b("f");
    uint32_t x = b.argument("x", b.any());
    Slot slot = b.slot(kind, x, index);
    b.evaluate(slot);
    return invokeText(Loaded({b.finishWith({})}).first, {value});
  };
  const std::string prefix = "f: the artifact's code is wrong: slot 0 reads ";
  EXPECT_EQ(error(SlotOp::RegisterDimension, 1, floats({3, 4})), "");
  EXPECT_EQ(error(SlotOp::RegisterDimension, 2, floats({3, 4})),
            prefix + "dimension 2 of register 0, which holds f32[3, 4]");
  EXPECT_EQ(error(SlotOp::RegisterDimension, 0, shapeOf({3})),
            prefix + "dimension 0 of register 0, which holds shape [3]");
  EXPECT_EQ(error(SlotOp::Element, 1, integers({2}, {1, 2})), "");
  EXPECT_EQ(error(SlotOp::Element, 2, integers({2}, {1, 2})),
            prefix + "the integer 2 of register 0, which holds i64[2]");
  EXPECT_EQ(error(SlotOp::Element, 0, floats({2})),
            prefix + "the integer 0 of register 0, which holds f32[2]");
  EXPECT_EQ(error(SlotOp::ShapeElement, 1, shapeOf({1})),
            prefix + "element 1 of register 0, which holds shape [1]");
  EXPECT_EQ(error(SlotOp::RegisterRank, 0, floats({1, 2})), "");
}

TEST(General, BoolsAndAllIntegersCanBeBranchedOn) {
  GeneralBuilder b("f");
  uint32_t x = b.argument("x", b.any());
  b.generalResult("y", 0);
  Slot e = b.slot(SlotOp::Element, x, 1);
  b.evaluate(e);
  b.add(Instruction::BranchIfZero, 3, {}, {e});
  b.add(Instruction::ShapeOf, 0, {x, x});
  Loaded f({b.finishWith({x})});
  int64_t dims[] = {2};
  auto call = [&](auto value, DType dtype) {
    decltype(value) elements[] = {0, value};
    return invokeText(f.first, {Value::borrow({elements, dtype, dims})});
  };
  EXPECT_EQ(call(uint8_t{1}, DType::Bool), "shape [2]");
  EXPECT_EQ(call(uint8_t{0}, DType::Bool), "bool[2]");
  EXPECT_EQ(call(int8_t{-1}, DType::I8), "shape [2]");
  EXPECT_EQ(call(uint8_t{128}, DType::U8), "shape [2]");
  EXPECT_EQ(call(int16_t{-300}, DType::I16), "shape [2]");
  EXPECT_EQ(call(int32_t{0}, DType::I32), "i32[2]");
  EXPECT_EQ(call(int64_t{1} << 40, DType::I64), "shape [2]");
}

TEST(General, NothingIsAnErrorWhereAValueIsNeeded) {
  GeneralBuilder b("f");
  uint32_t x = b.argument("x", b.any());
  b.generalResult("y", 0);
  b.add(Instruction::Release, 0, {x});
  Loaded f({b.finishWith({x})});
  EXPECT_EQ(invokeText(f.first, {floats({1})}),
            "f: the artifact's code is wrong: returns register 0, which holds nothing");
  EXPECT_EQ(invokeText(f.first, {Value()}), "f: argument 0 \"x\": found nothing, expected a value");
}

// ---- Memory
// --------------------------------------------------------------------------------------

TEST(General, MemoryReturnsToItsBaseline) {
  Loaded grow({growFunction()});
  auto call = [&](int64_t size, int64_t trips) {
    ASSERT_EQ(invokeText(grow.first, {floats({size}), scalar(trips)}),
              "f32[" + std::to_string(size + trips) + "]");
  };
  call(1, 2);
  runtime::MemoryUse before = grow.module.memory();
  EXPECT_EQ(before.tensors, 0u);
  // Sizes that differ from call to call, up to 200 KB.
  for (int64_t i = 0; i != 500; ++i)
    call(i * 7919 % 50'000, 1 + i % 13);
  runtime::MemoryUse after = grow.module.memory();
  EXPECT_EQ(after.tensors, 0u) << "no tensor is left";
  EXPECT_EQ(after.current, after.kept);
  // At most two tensors are alive at once; a call of 50,000 elements may keep that.
  EXPECT_LE(after.kept, 2u * 50'000 * 4 * 5 / 4 + 1000);
  // Small calls let go of it.
  for (int i = 0; i != 100; ++i)
    call(1, 2);
  EXPECT_EQ(grow.module.memory().tensors, 0u);
  EXPECT_LE(grow.module.memory().current, before.current + 1000);
  grow.module.trimMemory();
  EXPECT_EQ(grow.module.memory().current, 0u);
}

TEST(General, ResultsAreAccountedUntilTheyAreDropped) {
  Loaded grow({growFunction()});
  {
    std::vector<Value> kept;
    for (int64_t i = 1; i != 20; ++i)
      kept.push_back(grow.first.invoke({{floats({1000 * i}), scalar(1)}})->at(0));
    EXPECT_GE(grow.module.memory().tensors, 190'000u * 4);
    for (size_t i = 0; i != kept.size(); ++i)
      EXPECT_EQ(elementsOf(kept[i])[0], static_cast<float>(1000 * (i + 1) + 1));
  }
  EXPECT_EQ(grow.module.memory().tensors, 0u);
  // Results may outlive the module, and be dropped elsewhere.
  Value last;
  {
    Loaded other({growFunction()});
    last = other.first.invoke({{floats({5}), scalar(1)}})->at(0);
  }
  EXPECT_EQ(elementsOf(last), std::vector<float>(6, 6));
  std::thread([value = std::move(last)]() mutable { value = Value(); }).join();
}

TEST(General, MemoryLimit) {
  Loaded grow({growFunction()}, {.memoryLimit = 100'000});
  EXPECT_EQ(invokeText(grow.first, {floats({10'000}), scalar(2)}), "f32[10002]");
  auto failed = grow.first.invoke({{floats({15'000}), scalar(2)}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.status().code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(failed.status().message().rfind(
                "grow: no memory for a tensor f32 of shape [15002]: 60008 bytes are needed, ", 0),
            0u)
      << failed.status().message();
  EXPECT_EQ(invokeText(grow.first, {floats({10'000}), scalar(2)}), "f32[10002]");
  EXPECT_LE(grow.module.memory().peak, 100'000u);
  // What is kept makes room for another size.
  EXPECT_EQ(invokeText(grow.first, {floats({20'000}), scalar(1)}), "f32[20001]");
}

TEST(General, FromManyThreads) {
  Loaded grow({growFunction()}, {.threads = 2});
  std::vector<std::thread> threads;
  for (int64_t t = 0; t != 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<Value> kept;
      for (int64_t i = 0; i != 100; ++i) {
        kept.push_back(grow.first.invoke({{floats({100 * t + i}), scalar(i % 5)}})->at(0));
        EXPECT_EQ(kept.back().asTensor().dims[0], 100 * t + i + i % 5);
        if (i % 7 == 0)
          kept.clear();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(grow.module.memory().tensors, 0u);
}

} // namespace
} // namespace relax::test
