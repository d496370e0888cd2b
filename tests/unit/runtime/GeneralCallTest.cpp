//===- GeneralCallTest.cpp - general and planned functions, values and the host call each other
//===//
#include "tests/unit/runtime/TestModule.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace relax::test {
namespace {

using runtime::PackedCall;
using runtime::Registry;
using runtime::Value;

std::vector<float> fours(float value) { return std::vector<float>(4, value); }

/// "twice": (x: f32[n, 4]) -> (scale(scale(x)), x), where function 1 is "scale".
Function twiceFunction() {
  GeneralBuilder b("twice");
  uint32_t x = b.argument("x", b.any()), y = b.newRegister();
  b.generalResult("y", 0);
  b.generalResult("x", 0);
  b.add(Instruction::Invoke, 1, {x, y});
  b.add(Instruction::Invoke, 1, {y, y});
  return b.finishWith({y, x});
}

TEST(GeneralCall, GeneralCallsPlanned) {
  Module module = testModule();
  module.functions = {twiceFunction(), scaleFunction()};
  runtime::Module loaded = loadOrDie(module);
  auto twice = loaded.function("twice");
  for (int64_t n : {0, 1, 3, 1, 100}) {
    auto results = twice->invoke({{floats({n, 4}, 2)}});
    ASSERT_TRUE(results) << results.status().message();
    EXPECT_EQ(elementsOf(results->at(0)), std::vector<float>(static_cast<size_t>(4 * n), 32));
    EXPECT_EQ(elementsOf(results->at(1)), std::vector<float>(static_cast<size_t>(4 * n), 2));
  }
  EXPECT_EQ(loaded.memory().tensors, 0u);
  EXPECT_EQ(invokeText(*twice, {floats({3, 5})}),
            "twice: scale: argument 0 \"x\", dimension 1: found 5, expected 4");
  EXPECT_EQ(invokeText(*twice, {shapeOf({3})}),
            "twice: scale: argument 0 \"x\": found shape [3], expected a tensor");
  EXPECT_EQ(invokeText(*twice, {floats({3, 4})}), "f32[3, 4], f32[3, 4]");
}

/// A planned function that calls general ones, in whose place "middle" takes and gives f32[n].
Module sandwich() {
  Module module = testModule();
  FunctionBuilder outer("outer");
  Slot n = outer.symbol("n", 0, 0), four = outer.constant(4), zero = outer.constant(0);
  Slot bytes = outer.product(n, four);
  outer.parameter("x", DType::F32, {n});
  outer.result("y", DType::F32, {n});
  outer.function.arenaSize = bytes;
  uint32_t x = outer.buffer(Buffer::Parameter, 0), y = outer.buffer(Buffer::Result, 0);
  uint32_t temporary = outer.buffer(Buffer::Arena, 0, zero, bytes);
  outer.kernel(Double, {x, temporary}, n);
  outer.add(Instruction::CallFunction, 1, {temporary, temporary}, {n});
  outer.kernel(Double, {temporary, y}, n);
  GeneralBuilder middle("middle");
  Slot m = middle.symbol("m", 0, 0);
  uint32_t in = middle.argument("x", middle.tensor(DType::F32, {m})), out = middle.newRegister();
  middle.generalResult("y", 0);
  middle.endEntry();
  middle.add(Instruction::Allocate, static_cast<uint32_t>(DType::F32), {out}, {m});
  middle.kernelOn(Add, {in, in, out}, m);
  module.functions = {outer.finish(), middle.finishWith({out})};
  return module;
}

TEST(GeneralCall, PlannedCallsGeneral) {
  runtime::Module loaded = loadOrDie(sandwich());
  auto outer = loaded.function("outer");
  for (int64_t n : {0, 1, 5, 1000, 5}) {
    FloatTensor x({n}, 3), y({n});
    runtime::TensorView inputs[] = {x.view()}, outputs[] = {y.view()};
    Status status = outer->call(inputs, outputs);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(y.data, std::vector<float>(static_cast<size_t>(n), 24));
  }
  EXPECT_EQ(loaded.memory().tensors, 0u);
}

TEST(GeneralCall, WhatAGeneralFunctionGivesAPlannedOneMustFit) {
  Module module = sandwich();
  module.functions[1].slots.push_back({SlotOp::Constant, 3, 0});
  module.functions[1].code[0].slots[0] = 1; // Always three elements.
  module.functions[1].code[1].extent = 1;
  auto outer = loadOrDie(module).function("outer");
  FloatTensor x({4}, 3), y({4}, -1);
  runtime::TensorView inputs[] = {x.view()}, outputs[] = {y.view()};
  EXPECT_EQ(
      outer->call(inputs, outputs).message(),
      "outer: the artifact's plan does not fit these shapes: result 0 \"y\" of \"middle\" has "
      "12 bytes; its caller expects 16");
  module.functions[1].code[0] = {Instruction::MakeShape, 0, {1}, {1}};
  module.functions[1].code.erase(module.functions[1].code.begin() + 1);
  outer = loadOrDie(module).function("outer");
  EXPECT_EQ(
      outer->call(inputs, outputs).message(),
      "outer: the artifact's plan does not fit these shapes: result 0 \"y\" is shape [3], not a "
      "tensor");
}

TEST(GeneralCall, APlannedFunctionDoesNotRunTwiceAtOnce) {
  // outer (planned) calls middle (general), which calls outer.
  Module module = sandwich();
  module.functions[1].code[0] = {Instruction::Invoke, 0, {0, 1}, {}};
  runtime::Module loaded = loadOrDie(module);
  auto outer = loaded.function("outer");
  FloatTensor x({4}, 3), y({4});
  runtime::TensorView inputs[] = {x.view()}, outputs[] = {y.view()};
  for (int i = 0; i != 2; ++i)
    EXPECT_EQ(outer->call(inputs, outputs).message(),
              "outer: middle: outer: is called while it runs; only general functions can be");
  EXPECT_EQ(invokeText(*loaded.function("middle"), {floats({4})}),
            "middle: outer: middle: outer: is called while it runs; only general functions can be");
}

TEST(GeneralCall, DonatedArguments) {
  // (pages: f32[n] donated) by way of the planned "update": the result is where the argument was.
  GeneralBuilder b("f");
  uint32_t x = b.argument("pages", b.any(), true), y = b.newRegister();
  b.generalResult("y", 0);
  b.add(Instruction::Invoke, 1, {x, y});
  Module module = testModule();
  module.functions = {b.finishWith({y}), updateFunction()};
  runtime::Module loaded = loadOrDie(module);
  for (const char *name : {"f", "update"}) {
    Value pages = floats({4}, 1);
    auto results = loaded.function(name)->invoke({{pages}});
    ASSERT_TRUE(results) << results.status().message();
    EXPECT_EQ(results->at(0).asTensor().data, pages.asTensor().data);
    pages = Value();
    EXPECT_EQ(elementsOf(results->at(0)), fours(4)) << "the result keeps the memory";
  }
}

// ---- Functions as values
// -------------------------------------------------------------------------

/// "apply": (f, x) -> f(f(x)); "make": () -> (function 2, in a tuple).
Module functionValues() {
  Module module = testModule();
  GeneralBuilder apply("apply");
  TypePattern pattern;
  pattern.kind = TypePattern::Function;
  pattern.numParameters = pattern.numResults = 1;
  uint32_t f = apply.argument("f", apply.pattern(pattern)), x = apply.argument("x", apply.any());
  apply.generalResult("y", 1);
  apply.add(Instruction::InvokeValue, 0, {f, x, x}).count = 1;
  apply.add(Instruction::InvokeValue, 0, {f, x, x}).count = 1;
  GeneralBuilder make("make");
  uint32_t function = make.newRegister();
  make.generalResult("f", make.any());
  make.add(Instruction::MakeFunction, 2, {function});
  make.add(Instruction::MakeTuple, 0, {function, function});
  module.functions = {apply.finishWith({x}), make.finishWith({function}), scaleFunction(),
                      downFunction(3)};
  return module;
}

TEST(GeneralCall, FunctionsAsValues) {
  Value made;
  {
    runtime::Module loaded = loadOrDie(functionValues());
    auto apply = loaded.function("apply");
    made = loaded.function("make")->invoke({})->at(0).asTuple()[0];
    auto results = apply->invoke({{made, floats({1, 4}, 1)}});
    ASSERT_TRUE(results) << results.status().message();
    EXPECT_EQ(elementsOf(results->at(0)), fours(16));
    // One that the host passes; apply itself has another number of parameters.
    EXPECT_EQ(invokeText(*apply, {loaded.function("scale")->value(), floats({2, 4})}), "f32[2, 4]");
    EXPECT_EQ(invokeText(*apply, {apply->value(), floats({1, 4})}),
              "apply: argument 0 \"f\": found the function \"apply\" with 2 parameters and 1 "
              "results, expected a function of 1 parameters and 1 results");
    EXPECT_EQ(invokeText(*apply, {floats({1, 4}), floats({1, 4})}),
              "apply: argument 0 \"f\": found f32[1, 4], expected a function of 1 parameters and 1 "
              "results");
    EXPECT_EQ(invokeText(*apply, {loaded.function("down")->value(), floats({1, 4})}),
              "apply: down: argument 0 \"n\": found f32[1, 4], expected shape [k]");
    runtime::Module other = loadOrDie(functionValues());
    EXPECT_EQ(invokeText(*apply, {other.function("scale")->value(), floats({1, 4})}),
              "apply: calls a function of another module");
  }
  // The value has kept its module.
  runtime::Function scale = runtime::Function::of(made.asFunction());
  EXPECT_EQ(elementsOf(scale.invoke({{floats({1, 4}, 2)}})->at(0)), fours(8));
}

TEST(GeneralCall, WrongArityOfAFunctionValue) {
  GeneralBuilder b("f");
  uint32_t f = b.argument("f", b.any()), y = b.newRegister();
  b.add(Instruction::InvokeValue, 0, {f, f, f, y}).count = 2;
  Module module = testModule();
  module.functions = {b.finishWith({}), scaleFunction()};
  runtime::Module loaded = loadOrDie(module);
  EXPECT_EQ(invokeText(*loaded.function("f"), {loaded.function("scale")->value()}),
            "f: calls \"scale\" with 2 arguments for 1 results; it has 1 and 1");
  EXPECT_EQ(invokeText(*loaded.function("f"), {shapeOf({})}),
            "f: the artifact's code is wrong: register 0 holds shape [], expected a function");
}

// ---- The host
// ------------------------------------------------------------------------------------

/// (x) -> (a, b) = packed "split"(x), n results in all.
Module packedModule(bool pure) {
  GeneralBuilder b("f");
  uint32_t x = b.argument("x", b.any()), first = b.newRegister(), second = b.newRegister();
  b.generalResult("a", 0);
  b.generalResult("b", 0);
  b.add(Instruction::InvokePacked, 0, {x, x, first, second}).count = 2;
  Module module = testModule();
  module.packed = {{"split", pure}};
  module.functions = {b.finishWith({first, second}), scaleFunction(), updateFunction()};
  return module;
}

TEST(GeneralCall, PackedFunctions) {
  Registry registry;
  int calls = 0;
  registry.addPacked("split", [&](PackedCall &call) -> Status {
    ++calls;
    EXPECT_EQ(call.arguments.size(), 2u);
    if (call.arguments[0].isShape())
      return Status(StatusCode::InvalidArgument, "no shapes");
    if (call.arguments[0].isFunction())
      return {}; // Leaves the results as they are.
    if (call.arguments[0].isTuple())
      throw std::runtime_error("thrown by the host");
    call.results[0] = call.arguments[0];
    int64_t dims[] = {2, 3};
    auto made = call.allocate(DType::F32, dims);
    if (!made)
      return made.takeStatus();
    call.results[1] = *made;
    return {};
  });
  runtime::Module loaded = loadOrDie(packedModule(false), {.registry = &registry});
  auto f = loaded.function("f");
  EXPECT_EQ(invokeText(*f, {floats({5})}), "f32[5], f32[2, 3]");
  EXPECT_EQ(loaded.memory().tensors, 0u);
  EXPECT_EQ(invokeText(*f, {shapeOf({5})}), "f: packed function \"split\": no shapes");
  EXPECT_EQ(invokeText(*f, {f->value()}),
            "f: packed function \"split\": result 0: found nothing, expected a value");
  // An exception passes through, and leaves nothing behind.
  EXPECT_THROW((void)f->invoke({{tupleOf({})}}), std::runtime_error);
  EXPECT_EQ(invokeText(*f, {floats({5})}), "f32[5], f32[2, 3]");
  EXPECT_EQ(calls, 5);
  // An object of the host passes through.
  auto object = std::make_shared<int>(3);
  auto results = f->invoke({{Value::object(object)}});
  EXPECT_EQ(results->at(0).asObject(), object);
}

TEST(GeneralCall, PackedFunctionsAreFoundAtLoad) {
  auto error = [](bool wantedPure, const Registry *registry) {
    auto loaded = runtime::Module::loadBytes(serializeOrDie(packedModule(wantedPure)), "m.rlx",
                                             {.registry = registry});
    return loaded ? std::string("ok") : loaded.status().message();
  };
  Registry empty, impure, pure;
  auto nothing = [](PackedCall &) { return Status(); };
  impure.addPacked("split", nothing);
  pure.addPacked("split", nothing, true);
  const std::string missing =
      "m.rlx: calls the packed function \"split\", which this program does not have";
  EXPECT_EQ(error(false, nullptr), missing);
  EXPECT_EQ(error(false, &empty), missing);
  EXPECT_EQ(error(false, &impure), "ok");
  EXPECT_EQ(error(false, &pure), "ok");
  EXPECT_EQ(error(true, &pure), "ok");
  EXPECT_EQ(error(true, &impure),
            "m.rlx: calls the packed function \"split\" as a pure one, but it "
            "is registered with effects");
}

TEST(GeneralCall, TheHostCallsBack) {
  Registry registry;
  std::optional<runtime::Module> loaded;
  registry.addPacked("split", [&](PackedCall &call) -> Status {
    // The general "f" once more with a shape, then nothing but planned functions.
    auto inner = call.arguments[0].isTensor()
                     ? loaded->function("f")->invoke({{shapeOf({1})}})
                     : loaded->function("scale")->invoke({{floats({1, 4}, 3)}});
    if (!inner)
      return inner.takeStatus();
    call.results[0] = call.results[1] = inner->at(0);
    return {};
  });
  loaded = loadOrDie(packedModule(false), {.registry = &registry});
  auto results = loaded->function("f")->invoke({{floats({1})}});
  ASSERT_TRUE(results) << results.status().message();
  EXPECT_EQ(elementsOf(results->at(1)), fours(12));

  // Without end: refused after some nesting, and the session is unharmed.
  Registry endless;
  endless.addPacked("split", [&](PackedCall &call) {
    auto inner = loaded->function("f")->invoke(call.arguments.first(1));
    return inner ? Status() : inner.takeStatus();
  });
  loaded = loadOrDie(packedModule(false), {.registry = &endless});
  auto failed = loaded->function("f")->invoke({{floats({1})}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.status().code(), StatusCode::ResourceExhausted);
  EXPECT_NE(failed.status().message().find(
                "calls by planned and host functions nest more than 64 deep in @f"),
            std::string::npos);
  EXPECT_EQ(invokeText(*loaded->function("scale"), {floats({1, 4})}), "f32[1, 4]");
}

TEST(GeneralCall, LibraryFunctions) {
  // (x: f32[n]) -> library "negate"(x, y)(n), on registers, a constant and a state.
  GeneralBuilder b("f");
  Slot n = b.symbol("n", 0, 0);
  uint32_t x = b.argument("x", b.tensor(DType::F32, {n})), y = b.newRegister();
  b.generalResult("y", 0);
  b.endEntry();
  b.add(Instruction::Allocate, static_cast<uint32_t>(DType::F32), {y}, {n});
  std::vector<uint32_t> buffers = {b.buffer(Buffer::Register, x), b.buffer(Buffer::Constant, 0),
                                   b.buffer(Buffer::State, 0), b.buffer(Buffer::Register, y)};
  b.add(Instruction::CallLibrary, 0, buffers, {n});
  Module module = everythingModule();
  module.libraries = {"sum"};
  module.functions.push_back(b.finishWith({y}));
  Registry registry;
  registry.add("sum", [](const runtime::LibraryCall &call) -> Status {
    if (call.values[0] != 4)
      return Status(StatusCode::InvalidArgument, "not four");
    for (uint64_t size : call.sizes)
      EXPECT_EQ(size, 16u);
    for (int64_t i = 0; i != 4; ++i) {
      float sum = 0;
      for (size_t j = 0; j != 3; ++j)
        sum += static_cast<const float *>(call.buffers[j])[i];
      static_cast<float *>(call.buffers[3])[i] = sum;
    }
    return {};
  });
  auto f = loadOrDie(module, {.registry = &registry}).function("f");
  EXPECT_EQ(elementsOf(f->invoke({{floats({4}, 10)}})->at(0)),
            (std::vector<float>{13, 16, 19, 22}));
  EXPECT_EQ(invokeText(*f, {floats({5})}), "f: library function \"sum\": not four");
}

TEST(GeneralCall, Profile) {
  Module module = testModule();
  module.functions = {growFunction()};
  runtime::Module loaded = loadOrDie(module);
  loaded.enableProfiling(true);
  (void)loaded.function("grow")->invoke({{floats({1}), integers({}, {3})}});
  EXPECT_EQ(loaded.profile()[Fill].calls, 3u);
  EXPECT_EQ(loaded.profile()[Fill].cost, 9u);
}

} // namespace
} // namespace relax::test
