//===- CheckTest.cpp - what a call with wrong arguments says ----------------------------------===//
#include "runtime/vm/Slots.h"
#include "tests/unit/runtime/TestModule.h"

#include <gtest/gtest.h>

namespace relax::test {
namespace {

using runtime::TensorView;

/// A function of two float vectors: x f32[n], y f32[<slot>], with more slots and guards as wanted.
class TwoVectors {
public:
  TwoVectors() : b("f") { n = b.symbol("n", 0, 0, 1, 100, 2); }

  /// The error of a call with vectors of these lengths, or "ok".
  std::string call(int64_t xSize, int64_t ySize) {
    Module module = testModule();
    if (!done) {
      b.parameter("x", DType::F32, {n});
      b.parameter("y", DType::F32, {y});
      function = b.finish();
      done = true;
    }
    module.functions.push_back(function);
    auto f = loadOrDie(module).function("f");
    FloatTensor x({xSize}), y({ySize});
    TensorView inputs[] = {x.view(), y.view()};
    Status status = f->call(inputs, {});
    EXPECT_TRUE(status.ok() || status.code() == StatusCode::InvalidArgument);
    return status.ok() ? "ok" : status.message();
  }

  FunctionBuilder b;
  Slot n = 0, y = 0;

private:
  Function function;
  bool done = false;
};

TEST(Checks, SymbolRanges) {
  TwoVectors f;
  f.y = f.n;
  EXPECT_EQ(f.call(4, 4), "ok");
  EXPECT_EQ(f.call(0, 0),
            "f: symbol n (dimension 0 of argument 0 \"x\") is 0, but must be at least 1");
  EXPECT_EQ(f.call(102, 102),
            "f: symbol n (dimension 0 of argument 0 \"x\") is 102, but must be at most 100");
  EXPECT_EQ(f.call(5, 5),
            "f: symbol n (dimension 0 of argument 0 \"x\") is 5, but must be divisible by 2");
}

TEST(Checks, Dimensions) {
  TwoVectors f;
  Slot two = f.b.constant(2), one = f.b.constant(1);
  f.y = f.b.slot(SlotOp::Add, f.b.slot(SlotOp::Mul, two, f.n), one);
  EXPECT_EQ(f.call(4, 9), "ok");
  EXPECT_EQ(f.call(4, 8),
            "f: argument 1 \"y\", dimension 0: found 8, expected 2 * n + 1 = 9, where "
            "n = 4 is dimension 0 of \"x\"");
  TwoVectors g;
  g.y = g.b.constant(3);
  EXPECT_EQ(g.call(4, 8), "f: argument 1 \"y\", dimension 0: found 8, expected 3");
}

TEST(Checks, ShapeGuards) {
  TwoVectors f;
  Slot m = f.y = f.b.symbol("m", 1, 0);
  Slot three = f.b.constant(3);
  Slot bound = f.b.slot(SlotOp::FloorDiv, f.n, f.b.constant(2));
  f.b.function.guards.push_back({Guard::LessEqual, 1, 0, m, bound, "m <= floordiv(n, 2)", "a:1:2"});
  f.b.function.guards.push_back({Guard::Divides, -1, -1, three, m, "", ""});
  EXPECT_EQ(f.call(20, 9), "ok");
  EXPECT_EQ(f.call(20, 12),
            "f: argument 1 \"y\", dimension 0: m <= floordiv(n, 2) does not hold: found m = 12 and "
            "floordiv(n, 2) = 10, where m = 12 is dimension 0 of \"y\", n = 20 is dimension 0 of "
            "\"x\" [a:1:2]");
  EXPECT_EQ(f.call(20, 8), "f: 3 divides m does not hold: found 3 and m = 8, where m = 8 is "
                           "dimension 0 of \"y\"");
}

TEST(Checks, Overflow) {
  TwoVectors f;
  f.y = f.b.symbol("m", 1, 0);
  Slot large = f.b.constant(INT64_MAX);
  Slot product = f.b.slot(SlotOp::Mul, large, f.n);
  f.b.function.guards.push_back({Guard::LessEqual, -1, -1, f.n, product, "", ""});
  EXPECT_EQ(f.call(4, 8), "f: 9223372036854775807 * n does not fit 64 bits: its operands are "
                          "9223372036854775807 and 4, where n = 4 is dimension 0 of \"x\"");
  // A wrong symbol is the better explanation.
  EXPECT_EQ(f.call(0, 8),
            "f: symbol n (dimension 0 of argument 0 \"x\") is 0, but must be at least 1");
  TwoVectors g;
  g.y = g.b.symbol("m", 1, 0);
  g.b.slot(SlotOp::Mod, g.n, g.y);
  EXPECT_EQ(g.call(4, 0),
            "f: mod(n, m) divides by a value below 1: its operands are 4 and 0, where "
            "n = 4 is dimension 0 of \"x\", m = 0 is dimension 0 of \"y\"");
}

TEST(Checks, KindAndStorage) {
  Module module = testModule();
  module.functions.push_back(scaleFunction());
  auto scale = loadOrDie(module).function("scale");
  FloatTensor x({2, 4}), y({2, 4});
  auto call = [&](TensorView in, TensorView out) {
    TensorView inputs[] = {in}, outputs[] = {out};
    return scale->call(inputs, outputs).message();
  };
  std::vector<int64_t> flat = {8}, negative = {-2, 4}, wide = {2, 5};
  auto *unaligned = reinterpret_cast<char *>(x.data.data()) + 1;
  EXPECT_EQ(call({x.data.data(), DType::I32, x.dims}, y.view()),
            "scale: argument 0 \"x\": found elements of i32, expected f32");
  EXPECT_EQ(call({x.data.data(), DType::F32, flat}, y.view()),
            "scale: argument 0 \"x\": found 1 dimensions, expected 2");
  EXPECT_EQ(call({x.data.data(), DType::F32, negative}, y.view()),
            "scale: argument 0 \"x\": dimension 0: found -2, expected at least 0");
  EXPECT_EQ(call({nullptr, DType::F32, x.dims}, y.view()),
            "scale: argument 0 \"x\": found a null pointer, expected 32 bytes");
  EXPECT_EQ(call({unaligned, DType::F32, x.dims}, y.view()),
            "scale: argument 0 \"x\": its data is not aligned to 4 bytes");
  EXPECT_EQ(call(x.view(), {nullptr, DType::F32, y.dims}),
            "scale: result 0 \"y\": found a null pointer, expected 32 bytes");
  EXPECT_EQ(call(x.view(), {y.data.data(), DType::F32, wide}),
            "scale: result 0 \"y\": dimension 1: found 5, expected 4");
  EXPECT_EQ(call(x.view(), {y.data.data(), DType::F16, y.dims}),
            "scale: result 0 \"y\": found elements of f16, expected f32");
  EXPECT_EQ(scale->call({}, {}).message(), "scale: found 0 arguments, expected 1");
  TensorView inputs[] = {x.view()};
  EXPECT_EQ(scale->call(inputs, {}).message(), "scale: found 0 results, expected 1");
  // An error leaves nothing behind that disturbs the next call.
  EXPECT_EQ(call(x.view(), y.view()), "");
}

// ---- Guards that read elements
// -------------------------------------------------------------------

/// A call of "f" with i32 vectors.
class IntegerFunction {
public:
  explicit IntegerFunction(Function function) {
    Module module = testModule();
    module.functions.push_back(std::move(function));
    f = loadOrDie(module).function("f");
  }
  std::string call(std::vector<std::vector<int32_t>> vectors) {
    std::vector<std::vector<int64_t>> dims;
    std::vector<TensorView> inputs;
    dims.reserve(vectors.size());
    for (auto &vector : vectors)
      dims.push_back({static_cast<int64_t>(vector.size())});
    for (size_t i = 0; i != vectors.size(); ++i)
      inputs.push_back({vectors[i].data(), DType::I32, dims[i]});
    Status status = (*f)->call(inputs, {});
    return status.ok() ? "ok" : status.message();
  }

private:
  std::optional<Expected<runtime::Function>> f;
};

TEST(Checks, ValuesInRange) {
  FunctionBuilder b("f");
  Slot n = b.symbol("n", 0, 0), v = b.constant(100);
  b.parameter("tokens", DType::I32, {n});
  b.function.guards.push_back({Guard::ValuesInRange, 0, -1, v, noSlot, "", "m:1:1"});
  IntegerFunction f(b.finish());
  EXPECT_EQ(f.call({{0, 5, 99}}), "ok");
  EXPECT_EQ(f.call({{}}), "ok");
  EXPECT_EQ(f.call({{0, 100, 5}}), "f: argument 0 \"tokens\", element 1: found 100, expected at "
                                   "least 0 and less than 100 [m:1:1]");
  EXPECT_EQ(f.call({{0, 1, -1}}),
            "f: argument 0 \"tokens\", element 2: found -1, expected at least "
            "0 and less than 100 [m:1:1]");
}

TEST(Checks, Ragged) {
  // starts i32[b + 1], cached i32[b], tokens i32[t]; at most 16 slots a sequence.
  FunctionBuilder b("f");
  Slot batch = b.symbol("b", 1, 0), t = b.symbol("t", 2, 0), one = b.constant(1);
  Slot limit = b.constant(16), bPlus1 = b.slot(SlotOp::Add, batch, one);
  b.parameter("starts", DType::I32, {bPlus1});
  b.parameter("cached", DType::I32, {batch});
  b.parameter("tokens", DType::I32, {t});
  b.function.guards.push_back({Guard::Ragged, 0, 1, t, limit, "", ""});
  IntegerFunction f(b.finish());
  EXPECT_EQ(f.call({{0, 2, 2, 5}, {0, 7, 13}, {1, 2, 3, 4, 5}}), "ok");
  EXPECT_EQ(f.call({{0}, {}, {}}), "ok");
  EXPECT_EQ(f.call({{0, 2}, {14}, {1, 2}}), "ok");
  EXPECT_EQ(
      f.call({{0, 2}, {15}, {1, 2}}),
      "f: argument 1 \"cached\", element 0: found 15, with 2 new ones 17, expected at most 16");
  EXPECT_EQ(f.call({{1, 2}, {0}, {1, 2}}),
            "f: argument 0 \"starts\", element 0: found 1, expected 0");
  EXPECT_EQ(f.call({{0, 2, 1}, {0, 0}, {1, 2}}),
            "f: argument 0 \"starts\", element 2: found 1, expected at least 2, the one before");
  EXPECT_EQ(f.call({{0, 1}, {0}, {1, 2}}), "f: argument 0 \"starts\", element 1: found 1, expected "
                                           "t = 2, where t = 2 is dimension 0 of \"tokens\"");
  EXPECT_EQ(f.call({{0, 2}, {-1}, {1, 2}}),
            "f: argument 1 \"cached\", element 0: found -1, expected at least 0");
  EXPECT_EQ(f.call({{0, 2}, {0, 0}, {1, 2}}),
            "f: argument 0 \"starts\", dimension 0: found 2, expected b + 1 = 3, where b = 2 is "
            "dimension 0 of \"cached\"");
  EXPECT_EQ(f.call({{0, INT32_MAX}, {INT32_MAX}, {1, 2}}),
            "f: argument 1 \"cached\", element 0: found 2147483647, with 2147483647 new ones "
            "4294967294, expected at most 16");
}

// ---- Slots
// ---------------------------------------------------------------------------------------

TEST(Slots, ArithmeticIsThatOfTheIr) {
  struct Case {
    SlotOp::Kind kind;
    int64_t a, b, expected;
  };
  const Case cases[] = {
      {SlotOp::Add, 3, 4, 7},
      {SlotOp::Sub, 3, 4, -1},
      {SlotOp::Mul, -3, 4, -12},
      {SlotOp::FloorDiv, 7, 2, 3},
      {SlotOp::FloorDiv, -7, 2, -4},
      {SlotOp::FloorDiv, INT64_MIN, 1, INT64_MIN},
      {SlotOp::CeilDiv, 24, 10, 3},
      {SlotOp::CeilDiv, -7, 2, -3},
      {SlotOp::CeilDiv, INT64_MAX, 1, INT64_MAX},
      {SlotOp::CeilDiv, -1, INT64_MAX, 0},
      {SlotOp::Mod, 7, 4, 3},
      {SlotOp::Mod, -7, 4, 1},
      {SlotOp::Mod, INT64_MIN, INT64_MAX, INT64_MAX - 1},
      {SlotOp::Min, 2, -5, -5},
      {SlotOp::Max, 2, -5, 2},
      {SlotOp::LessEqual, 2, 2, 1},
      {SlotOp::LessEqual, 3, 2, 0},
  };
  for (const Case &c : cases) {
    FunctionBuilder b("f");
    Slot x = b.constant(c.a), y = b.constant(c.b);
    Slot result = b.slot(c.kind, x, y);
    std::vector<int64_t> values(3);
    ASSERT_EQ(runtime::evaluateSlots(b.function, {}, {}, values), 3u);
    EXPECT_EQ(values[result], c.expected) << runtime::slotText(b.function, result);
  }
}

TEST(Slots, OverflowAndDivisionHaveNoValue) {
  struct Case {
    SlotOp::Kind kind;
    int64_t a, b;
  };
  const Case cases[] = {
      {SlotOp::Add, INT64_MAX, 1}, {SlotOp::Sub, INT64_MIN, 1},       {SlotOp::Mul, INT64_MIN, -1},
      {SlotOp::FloorDiv, 1, 0},    {SlotOp::FloorDiv, INT64_MIN, -1}, {SlotOp::CeilDiv, 1, -2},
      {SlotOp::Mod, 1, 0}};
  for (const Case &c : cases) {
    FunctionBuilder b("f");
    Slot x = b.constant(c.a), y = b.constant(c.b);
    b.slot(c.kind, x, y);
    std::vector<int64_t> values(3);
    EXPECT_EQ(runtime::evaluateSlots(b.function, {}, {}, values), 2u);
  }
}

TEST(Slots, Text) {
  FunctionBuilder b("f");
  b.parameter("x", DType::F32, {0, 1});
  Slot n = b.symbol("n", 0, 0), unnamed = b.slot(SlotOp::Dimension, 0, 1), two = b.constant(2);
  Slot sum = b.slot(SlotOp::Add, n, two), difference = b.slot(SlotOp::Sub, n, sum);
  auto text = [&](Slot slot) { return runtime::slotText(b.function, slot); };
  EXPECT_EQ(text(unnamed), "dim(x, 1)");
  EXPECT_EQ(text(b.slot(SlotOp::Mul, two, sum)), "2 * (n + 2)");
  EXPECT_EQ(text(difference), "n - (n + 2)");
  EXPECT_EQ(text(b.slot(SlotOp::Max, b.slot(SlotOp::CeilDiv, sum, two), n)),
            "max(ceildiv(n + 2, 2), n)");
  EXPECT_EQ(text(b.slot(SlotOp::LessEqual, sum, two)), "n + 2 <= 2");
  // Sharing makes 2^60 leaves; the text stays short.
  Slot deep = n;
  for (int i = 0; i != 60; ++i)
    deep = b.slot(SlotOp::Add, deep, deep);
  EXPECT_LT(text(deep).size(), 1000u);
  EXPECT_NE(text(deep).find("…"), std::string::npos);
}

} // namespace
} // namespace relax::test
