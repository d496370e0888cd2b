//===- DoorTest.cpp - wrong input is refused at the door, and harms nothing -------------------===//
//
// One signature, as a planned and as a general function:
//
//   f(x: f32[s, 4], mask: f32[s], scale: f32[2 * s]) with s at most 512 and a multiple of 1
//
// Each wrong call says what is wrong with it, and the next right one works.
//
//===------------------------------------------------------------------------------------------===//
#include "tests/unit/runtime/TestModule.h"

#include <gtest/gtest.h>

namespace relax::test {
namespace {

using runtime::Value;

Function plannedFunction() {
  FunctionBuilder b("f");
  Slot s = b.symbol("s", 0, 0, 1, 512), four = b.constant(4), two = b.constant(2);
  Slot twice = b.product(two, s);
  b.parameter("x", DType::F32, {s, four});
  b.parameter("mask", DType::F32, {s});
  b.parameter("scale", DType::F32, {twice});
  b.result("y", DType::F32, {s});
  b.kernel(Double, {b.buffer(Buffer::Parameter, 1), b.buffer(Buffer::Result, 0)}, s);
  return b.finish();
}

Function generalFunction() {
  GeneralBuilder b("f");
  Slot s = b.symbol("s", 0, 0, 1, 512), four = b.constant(4), two = b.constant(2);
  Slot twice = b.product(two, s);
  b.argument("x", b.tensor(DType::F32, {s, four}));
  uint32_t mask = b.argument("mask", b.tensor(DType::F32, {s}));
  b.argument("scale", b.tensor(DType::F32, {twice}));
  uint32_t y = b.newRegister();
  b.generalResult("y", b.tensor(DType::F32, {s}));
  b.endEntry();
  b.add(Instruction::Allocate, static_cast<uint32_t>(DType::F32), {y}, {s});
  b.kernelOn(Double, {mask, y}, s);
  return b.finishWith({y});
}

/// The parameter says whether the function is general.
class Door : public testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    Module module = testModule();
    module.functions.push_back(GetParam() ? generalFunction() : plannedFunction());
    loaded = loadOrDie(module);
    f = loaded->function("f");
    ASSERT_TRUE(*f);
  }

  /// The error of a wrong call. Right ones work before and after.
  std::string refused(const std::vector<Value> &arguments) {
    right(7);
    auto results = (*f)->invoke(arguments);
    EXPECT_FALSE(results);
    if (results)
      return "no error";
    EXPECT_EQ(results.status().code(), StatusCode::InvalidArgument);
    right(7);
    right(9);
    EXPECT_EQ(loaded->memory().tensors, 0u);
    return results.status().message();
  }
  void right(int64_t s) {
    auto results = (*f)->invoke({{floats({s, 4}), floats({s}, 3), floats({2 * s})}});
    ASSERT_TRUE(results) << results.status().message();
    EXPECT_EQ(elementsOf(results->at(0)), std::vector<float>(static_cast<size_t>(s), 6));
    // By the other way as well.
    FloatTensor x({s, 4}), mask({s}, 4), scale({2 * s}), y({s});
    runtime::TensorView inputs[] = {x.view(), mask.view(), scale.view()}, outputs[] = {y.view()};
    Status status = (*f)->call(inputs, outputs);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(y.data, std::vector<float>(static_cast<size_t>(s), 8));
  }

  std::optional<runtime::Module> loaded;
  std::optional<Expected<runtime::Function>> f;
};

TEST_P(Door, Rank) {
  EXPECT_EQ(refused({floats({8}), floats({8}), floats({16})}),
            "f: argument 0 \"x\": found 1 dimensions, expected 2");
  EXPECT_EQ(refused({floats({8, 4}), floats({8, 1}), floats({16})}),
            "f: argument 1 \"mask\": found 2 dimensions, expected 1");
  EXPECT_EQ(refused({floats({8, 4}), floats({}), floats({16})}),
            "f: argument 1 \"mask\": found 0 dimensions, expected 1");
}

TEST_P(Door, Dimension) {
  EXPECT_EQ(refused({floats({8, 5}), floats({8}), floats({16})}),
            "f: argument 0 \"x\", dimension 1: found 5, expected 4");
}

TEST_P(Door, DType) {
  EXPECT_EQ(refused({floats({8, 4}), integers({8}, std::vector<int64_t>(8)), floats({16})}),
            "f: argument 1 \"mask\": found elements of i64, expected f32");
}

TEST_P(Door, MissingAndSurplusArguments) {
  EXPECT_EQ(refused({floats({8, 4}), floats({8})}), "f: found 2 arguments, expected 3");
  EXPECT_EQ(refused({}), "f: found 0 arguments, expected 3");
  EXPECT_EQ(refused({floats({8, 4}), floats({8}), floats({16}), floats({1})}),
            "f: found 4 arguments, expected 3");
}

TEST_P(Door, InputsThatDisagreeOnASymbol) {
  EXPECT_EQ(
      refused({floats({8, 4}), floats({9}), floats({16})}),
      "f: argument 1 \"mask\", dimension 0: found 9, expected s = 8, where s = 8 is dimension 0 "
      "of \"x\"");
  EXPECT_EQ(refused({floats({8, 4}), floats({8}), floats({17})}),
            "f: argument 2 \"scale\", dimension 0: found 17, expected 2 * s = 16, where s = 8 is "
            "dimension 0 of \"x\"");
}

TEST_P(Door, BeyondItsBound) {
  EXPECT_EQ(refused({floats({600, 4}), floats({600}), floats({1200})}),
            "f: symbol s (dimension 0 of argument 0 \"x\") is 600, but must be at most 512");
  EXPECT_EQ(refused({floats({0, 4}), floats({0}), floats({0})}),
            "f: symbol s (dimension 0 of argument 0 \"x\") is 0, but must be at least 1");
}

TEST_P(Door, OtherKindsOfValues) {
  std::string expected = GetParam() ? "f32[s, 4]" : "a tensor";
  EXPECT_EQ(refused({shapeOf({8, 4}), floats({8}), floats({16})}),
            "f: argument 0 \"x\": found shape [8, 4], expected " + expected);
  EXPECT_EQ(refused({tupleOf({floats({8, 4})}), floats({8}), floats({16})}),
            "f: argument 0 \"x\": found a tuple of 1, expected " + expected);
  EXPECT_EQ(refused({(*f)->value(), floats({8}), floats({16})}),
            "f: argument 0 \"x\": found a function, expected " + expected);
  EXPECT_EQ(refused({Value(), floats({8}), floats({16})}),
            "f: argument 0 \"x\": found nothing, expected a value");
}

TEST_P(Door, TensorsThatAreNone) {
  int64_t dims[] = {8, 4}, negative[] = {-8, 4}, huge[] = {INT64_MAX, INT64_MAX};
  float element[2] = {};
  EXPECT_EQ(refused({Value::borrow({nullptr, DType::F32, dims}), floats({8}), floats({16})}),
            "f: argument 0 \"x\": found a null pointer, expected 128 bytes");
  EXPECT_EQ(refused({Value::borrow({element, DType::F32, negative}), floats({8}), floats({16})}),
            "f: argument 0 \"x\": dimension 0: found -8, expected at least 0");
  EXPECT_EQ(refused({Value::borrow({element, DType::F32, huge}), floats({8}), floats({16})}),
            "f: argument 0 \"x\": its size does not fit 64 bits");
  EXPECT_EQ(refused({Value::borrow({reinterpret_cast<char *>(element) + 1, DType::F32, dims}),
                     floats({8}), floats({16})}),
            "f: argument 0 \"x\": its data is not aligned to 4 bytes");
}

TEST_P(Door, WrongOutputs) {
  FloatTensor x({3, 4}), mask({3}, 4), scale({6}), y({4});
  runtime::TensorView inputs[] = {x.view(), mask.view(), scale.view()}, outputs[] = {y.view()};
  Status status = (*f)->call(inputs, outputs);
  EXPECT_EQ(status.message(),
            GetParam() ? "f: result 0 \"y\": is f32[3], but the output is f32[4]"
                       : "f: result 0 \"y\": dimension 0: found 4, expected s = 3, where s = 3 is "
                         "dimension 0 of \"x\"");
  EXPECT_EQ((*f)->call(inputs, {}).message(), "f: found 0 results, expected 1");
  right(3);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Door, testing::Bool(),
                         [](const auto &info) { return info.param ? "General" : "Planned"; });

// ---- Arguments that only general functions have
// --------------------------------------------------

TEST(GeneralDoor, NestedTuples) {
  // f(t: (f32[?, 3], (shape [2], any))).
  GeneralBuilder b("f");
  Slot three = b.constant(3);
  uint32_t tensor = b.tensor(DType::F32, {noSlot, three}), shape = b.shape({noSlot, noSlot});
  TypePattern inner, outer;
  inner.kind = outer.kind = TypePattern::Tuple;
  uint32_t any = b.any();
  inner.fields = {shape, any};
  outer.fields = {tensor, b.pattern(inner)};
  uint32_t t = b.argument("t", b.pattern(outer));
  b.generalResult("y", any);
  b.endEntry();
  Module module = testModule();
  module.functions.push_back(b.finishWith({t}));
  auto f = loadOrDie(module).function("f");
  auto call = [&](Value value) { return invokeText(*f, {std::move(value)}); };
  auto pair = [](Value a, Value b) { return tupleOf({std::move(a), std::move(b)}); };
  EXPECT_EQ(call(pair(floats({7, 3}), pair(shapeOf({1, 2}), floats({})))), "a tuple of 2");
  EXPECT_EQ(call(pair(floats({7, 4}), pair(shapeOf({1, 2}), floats({})))),
            "f: argument 0 \"t\", field 0, dimension 1: found 4, expected 3");
  EXPECT_EQ(call(pair(floats({7, 3}), pair(shapeOf({1}), floats({})))),
            "f: argument 0 \"t\", field 1, field 0: found 1 dimensions, expected 2");
  EXPECT_EQ(call(pair(floats({7, 3}), floats({2}))),
            "f: argument 0 \"t\", field 1: found f32[2], expected a tuple of 2");
  EXPECT_EQ(call(tupleOf({floats({7, 3})})),
            "f: argument 0 \"t\": found a tuple of 1, expected a tuple of 2");
  EXPECT_EQ(call(tupleOf({})), "f: argument 0 \"t\": found a tuple of 0, expected a tuple of 2");
  int64_t dims[] = {2, 3};
  EXPECT_EQ(
      call(pair(Value::borrow({nullptr, DType::F32, dims}), pair(shapeOf({1, 2}), floats({})))),
      "f: argument 0 \"t\": field 0: found a null pointer, expected 24 bytes");
}

TEST(GeneralDoor, PartlyKnownTensors) {
  // f(x: any dtype, any rank; y: f32 of any rank; z: any dtype [?]; s: shape of any rank).
  GeneralBuilder b("f");
  TypePattern x, y, z, s;
  x.kind = y.kind = z.kind = TypePattern::Tensor;
  s.kind = TypePattern::Shape;
  x.anyDType = z.anyDType = x.anyRank = y.anyRank = s.anyRank = true;
  z.dims = {noSlot};
  b.argument("x", b.pattern(x));
  b.argument("y", b.pattern(y));
  b.argument("z", b.pattern(z));
  b.argument("s", b.pattern(s));
  Module module = testModule();
  module.functions.push_back(b.finishWith({}));
  auto f = loadOrDie(module).function("f");
  Value i = integers({1}, {1});
  EXPECT_EQ(invokeText(*f, {i, floats({1, 2}), i, shapeOf({})}), "");
  EXPECT_EQ(invokeText(*f, {shapeOf({}), floats({1, 2}), i, shapeOf({})}),
            "f: argument 0 \"x\": found shape [], expected a tensor […]");
  EXPECT_EQ(invokeText(*f, {i, i, i, shapeOf({})}),
            "f: argument 1 \"y\": found elements of i64, expected f32");
  EXPECT_EQ(invokeText(*f, {i, floats({}), floats({}), shapeOf({})}),
            "f: argument 2 \"z\": found 0 dimensions, expected 1");
  EXPECT_EQ(invokeText(*f, {i, floats({}), i, i}),
            "f: argument 3 \"s\": found i64[1], expected shape […]");
}

TEST(GeneralDoor, ShapeArguments) {
  // The paper's subfn(s: Shape(n, m)) -> f32[n * m], with an x: f32[n * m] that is checked by
  // value.
  GeneralBuilder b("f");
  Slot n = b.symbol("n", 0, 0), m = b.symbol("m", 0, 1), product = b.product(n, m);
  b.argument("s", b.shape({n, m}));
  uint32_t x = b.argument("x", b.tensor(DType::F32, {product}));
  b.generalResult("y", b.tensor(DType::F32, {product}));
  b.endEntry();
  Module module = testModule();
  module.functions.push_back(b.finishWith({x}));
  auto f = loadOrDie(module).function("f");
  EXPECT_EQ(invokeText(*f, {shapeOf({16, 16}), floats({256})}), "f32[256]");
  EXPECT_EQ(invokeText(*f, {shapeOf({16, 16}), floats({255})}),
            "f: argument 1 \"x\", dimension 0: found 255, expected n * m = 256, where n = 16 is "
            "element 0 of \"s\", m = 16 is element 1 of \"s\"");
  EXPECT_EQ(invokeText(*f, {shapeOf({INT64_MAX, 2}), floats({1})}),
            "f: n * m does not fit 64 bits: its operands are 9223372036854775807 and 2, where n = "
            "9223372036854775807 is element 0 of \"s\", m = 2 is element 1 of \"s\"");
  EXPECT_EQ(invokeText(*f, {shapeOf({-1, 2}), floats({1})}),
            "f: argument 0 \"s\": a dimension is negative");
  EXPECT_EQ(invokeText(*f, {shapeOf({16, 0}), floats({0})}), "f32[0]");
}

} // namespace
} // namespace relax::test
