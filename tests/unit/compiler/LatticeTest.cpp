//===- LatticeTest.cpp - the order of annotations against the values that they stand for ------===//
//
// A type stands for a set of values. Random pairs of types are compared by that definition, over
// all small values and all small choices of the symbols.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/dialect/Lattice.h"
#include "compiler/dialect/ops/CallOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace relax;
using symbolic::Expr;
using symbolic::Proof;

namespace {

/// A tensor or a shape, or a tuple of some.
struct SmallValue {
  enum Kind { Tensor, Shape, Tuple } kind;
  bool half; ///< f16 instead of f32.
  std::vector<int64_t> dims;
  std::vector<SmallValue> parts;
};

using Assignment = std::map<std::string, int64_t>;

class LatticeTest : public ::testing::Test {
protected:
  LatticeTest() { context.loadDialect<ir::RelaxDialect, func::FuncDialect>(); }

  Expr expr(StringRef text) { return ir::symbolicContext(&context).parse(std::string_view(text)); }

  size_t random(size_t below) {
    return std::uniform_int_distribution<size_t>(0, below - 1)(engine);
  }

  Expr randomDim() {
    static constexpr const char *texts[] = {"0", "1",     "2",     "4",     "n",
                                            "m", "n + 1", "2 * n", "n * m", "floordiv(n, 2)"};
    size_t index = random(std::size(texts) + 3);
    return index < std::size(texts) ? expr(texts[index]) : Expr();
  }

  SmallVector<Expr> randomDims() {
    SmallVector<Expr> dims(random(3));
    for (Expr &dim : dims)
      dim = randomDim();
    return dims;
  }

  Type randomType(int depth = 1) {
    Builder b(&context);
    Type elements[] = {b.getF32Type(), b.getF16Type(), ir::AnyType::get(&context)};
    switch (random(depth > 0 ? 12 : 9)) {
    case 0:
      return UnrankedTensorType::get(elements[random(3)]);
    case 1:
      return ir::ShapeType::get(&context, static_cast<int64_t>(random(4)) - 1);
    case 2:
    case 3:
      return ir::ShapeType::get(&context, randomDims());
    case 9:
      return ir::ObjectType::get(&context);
    case 10:
    case 11: {
      SmallVector<Type> parts(random(3));
      for (Type &part : parts)
        part = randomType(depth - 1);
      return TupleType::get(&context, parts);
    }
    default:
      return ir::tensorType(&context, randomDims(), elements[random(3)]);
    }
  }

  static bool dimsMatch(ArrayRef<Expr> dims, ArrayRef<int64_t> values,
                        const Assignment &assignment) {
    if (dims.size() != values.size())
      return false;
    for (auto [dim, value] : llvm::zip_equal(dims, values))
      if (dim && symbolic::evaluate(dim, assignment) != value)
        return false;
    return true;
  }

  static bool isOf(const SmallValue &value, Type type, const Assignment &assignment) {
    if (isa<ir::ObjectType>(type))
      return true;
    if (auto tensor = dyn_cast<TensorType>(type)) {
      Type element = tensor.getElementType();
      if (value.kind != SmallValue::Tensor ||
          (!isa<ir::AnyType>(element) && element.isF16() != value.half))
        return false;
      auto ranked = dyn_cast<RankedTensorType>(type);
      return !ranked || dimsMatch(ir::shapeOf(ranked), value.dims, assignment);
    }
    if (auto shape = dyn_cast<ir::ShapeType>(type))
      return value.kind == SmallValue::Shape &&
             (!shape.hasRank() || dimsMatch(shape.getDimsOrUnknown(), value.dims, assignment));
    auto tuple = dyn_cast<TupleType>(type);
    if (!tuple || value.kind != SmallValue::Tuple || value.parts.size() != tuple.size())
      return false;
    for (auto [part, partType] : llvm::zip_equal(value.parts, tuple.getTypes()))
      if (!isOf(part, partType, assignment))
        return false;
    return true;
  }

  /// A value of the type for this assignment, if there is one: unknown parts at random.
  std::optional<SmallValue> valueOf(Type type, const Assignment &assignment) {
    auto concrete = [&](ArrayRef<Expr> dims, SmallValue &value) {
      for (Expr dim : dims) {
        std::optional<int64_t> size =
            dim ? symbolic::evaluate(dim, assignment) : static_cast<int64_t>(random(5));
        if (!size || *size < 0)
          return false;
        value.dims.push_back(*size);
      }
      return true;
    };
    if (isa<ir::ObjectType>(type))
      return valueOf(ir::ShapeType::get(&context, ir::ShapeType::unknownRank), assignment);
    SmallValue value{SmallValue::Tensor, false, {}, {}};
    SmallVector<Expr> unknown(random(3));
    if (auto tensor = dyn_cast<TensorType>(type)) {
      Type element = tensor.getElementType();
      value.half = isa<ir::AnyType>(element) ? random(2) == 0 : element.isF16();
      auto ranked = dyn_cast<RankedTensorType>(type);
      if (!concrete(ranked ? ir::shapeOf(ranked) : ArrayRef<Expr>(unknown), value))
        return std::nullopt;
      return value;
    }
    if (auto shape = dyn_cast<ir::ShapeType>(type)) {
      value.kind = SmallValue::Shape;
      if (!concrete(shape.hasRank() ? shape.getDimsOrUnknown() : unknown, value))
        return std::nullopt;
      return value;
    }
    value.kind = SmallValue::Tuple;
    for (Type part : cast<TupleType>(type).getTypes()) {
      std::optional<SmallValue> inner = valueOf(part, assignment);
      if (!inner)
        return std::nullopt;
      value.parts.push_back(std::move(*inner));
    }
    return value;
  }

  static std::string text(Type type) {
    std::string result;
    llvm::raw_string_ostream(result) << type;
    return result;
  }

  MLIRContext context;
  std::mt19937 engine{20260};
};

TEST_F(LatticeTest, AnswersAgreeWithTheValues) {
  size_t proved = 0, refuted = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    Type a = randomType(), b = random(4) == 0 ? a : randomType();
    if (random(3) == 0)
      b = ir::join(a, b);
    Proof proof = ir::isSubtypeOf(a, b);
    proved += proof == Proof::Proved;
    refuted += proof == Proof::Refuted;
    Type joined = ir::join(a, b);
    Type erased = ir::eraseSymbols(a, [](StringRef name) { return name != "n"; });
    std::set<std::string> left;
    ir::collectSymbols(erased, left);
    ASSERT_FALSE(left.count("n")) << text(erased);
    ASSERT_EQ(ir::isSubtypeOf(a, joined), Proof::Proved) << text(a) << " " << text(joined);
    ASSERT_EQ(ir::isSubtypeOf(b, joined), Proof::Proved) << text(b) << " " << text(joined);
    ASSERT_EQ(ir::isSubtypeOf(a, erased), Proof::Proved) << text(a) << " " << text(erased);
    for (int64_t n = 0; n < 4; ++n)
      for (int64_t m = 0; m < 4; ++m) {
        Assignment assignment{{"n", n}, {"m", m}};
        std::optional<SmallValue> value = valueOf(a, assignment);
        if (!value)
          continue;
        ASSERT_TRUE(isOf(*value, a, assignment));
        bool isB = isOf(*value, b, assignment);
        ASSERT_TRUE(proof != Proof::Proved || isB) << text(a) << " " << text(b);
        ASSERT_TRUE(proof != Proof::Refuted || !isB) << text(a) << " " << text(b);
        ASSERT_TRUE(isOf(*value, joined, assignment)) << text(a) << " " << text(joined);
        ASSERT_TRUE(isOf(*value, erased, assignment)) << text(a) << " " << text(erased);
      }
  }
  // The comparison is worth something only if both answers are common.
  EXPECT_GT(proved, 3000u);
  EXPECT_GT(refuted, 3000u);
}

TEST_F(LatticeTest, JoinIsTheLeastOfItsKind) {
  auto tensor = [&](ArrayRef<const char *> dims, Type element) {
    return ir::tensorType(
        &context, llvm::map_to_vector(dims, [&](const char *dim) { return expr(dim); }), element);
  };
  Builder b(&context);
  Type f32 = b.getF32Type(), f16 = b.getF16Type(), any = ir::AnyType::get(&context);
  EXPECT_EQ(ir::join(tensor({"n", "4"}, f32), tensor({"n", "5"}, f32)),
            ir::tensorType(&context, {expr("n"), Expr()}, f32));
  EXPECT_EQ(ir::join(tensor({"n"}, f32), tensor({"n"}, f16)), tensor({"n"}, any));
  EXPECT_EQ(ir::join(tensor({"n"}, f32), tensor({}, f32)), UnrankedTensorType::get(f32));
  EXPECT_EQ(ir::join(tensor({"n"}, f32), ir::ShapeType::get(&context, 1)),
            Type(ir::ObjectType::get(&context)));
  // Two forms of one extent.
  EXPECT_EQ(ir::join(tensor({"n - 16 * floordiv(n, 16)"}, f32), tensor({"mod(n, 16)"}, f32)),
            tensor({"n - 16 * floordiv(n, 16)"}, f32));
}

TEST_F(LatticeTest, FunctionsFitByTheirOwnSymbols) {
  Builder b(&context);
  auto vector = [&](const char *dim) {
    return ir::tensorType(&context, {expr(dim)}, b.getF32Type());
  };
  Type some = ir::tensorType(&context, {Expr()}, b.getF32Type());
  FunctionType twice = b.getFunctionType({vector("n")}, {vector("2 * n")});
  FunctionType renamed = b.getFunctionType({vector("k")}, {vector("2 * k")});
  FunctionType loose = b.getFunctionType({vector("k")}, {some});
  FunctionType four = b.getFunctionType({vector("4")}, {vector("8")});
  FunctionType wrong = b.getFunctionType({vector("4")}, {vector("9")});
  EXPECT_EQ(ir::isSubtypeOf(twice, renamed), Proof::Proved);
  EXPECT_EQ(ir::isSubtypeOf(renamed, twice), Proof::Proved);
  EXPECT_EQ(ir::isSubtypeOf(twice, loose), Proof::Proved);
  EXPECT_NE(ir::isSubtypeOf(loose, twice), Proof::Proved);
  EXPECT_EQ(ir::isSubtypeOf(twice, four), Proof::Proved);
  EXPECT_NE(ir::isSubtypeOf(four, twice), Proof::Proved);
  EXPECT_EQ(ir::isSubtypeOf(twice, wrong), Proof::Refuted);
  EXPECT_EQ(ir::join(twice, renamed), Type(renamed));
  EXPECT_EQ(ir::join(twice, loose), Type(loose));
  EXPECT_EQ(ir::join(twice, b.getFunctionType({vector("k")}, {vector("3 * k")})),
            Type(b.getFunctionType({vector("n")}, {some})));
  // The symbols of a function type have nothing to do with those around it.
  std::set<std::string> names;
  ir::collectSymbols(TupleType::get(&context, {twice, vector("m")}), names);
  EXPECT_EQ(names, std::set<std::string>{"m"});
  EXPECT_EQ(ir::eraseSymbols(twice, [](StringRef) { return false; }), Type(twice));
}

TEST_F(LatticeTest, NamesInFunctionTypesDontMatter) {
  Builder b(&context);
  auto vector = [&](const char *dim) {
    return ir::tensorType(&context, {expr(dim)}, b.getF32Type());
  };
  auto function = [&](const char *x, const char *y, const char *result) {
    return b.getFunctionType({vector(x), vector(y)}, {vector(result)});
  };
  Type first = function("n", "m", "2 * n + m");
  for (Type same : {function("m", "n", "2 * m + n"), function("k", "a", "a + 2 * k")})
    EXPECT_TRUE(ir::isRenamed(first, same)) << text(same);
  for (Type other : {function("n", "m", "2 * m + n"), function("n", "n", "3 * n"),
                     function("n", "4", "2 * n + 4")})
    EXPECT_FALSE(ir::isRenamed(first, other)) << text(other);
  // In tuples and in function types; those of one inside are its own, too.
  auto taking = [&](Type inner, const char *dim) {
    return Type(TupleType::get(&context, {b.getFunctionType({inner, vector(dim)}, {vector(dim)})}));
  };
  EXPECT_TRUE(ir::isRenamed(taking(first, "n"), taking(function("k", "n", "2 * k + n"), "m")));
  EXPECT_FALSE(ir::isRenamed(taking(first, "n"), taking(function("k", "n", "k + n"), "m")));
  // Outside of them they do.
  EXPECT_FALSE(ir::isRenamed(vector("n"), vector("m")));
}

/// What a call deduces holds for every call that the signature admits, at any precision.
TEST_F(LatticeTest, CallsAreDeducedSoundly) {
  Builder b(&context);
  Type f32 = b.getF32Type();
  auto vector = [&](Expr dim) { return ir::tensorType(&context, {dim}, f32); };
  FunctionType signature = b.getFunctionType(
      {vector(expr("n")), vector(expr("m")), vector(expr("n * m")), vector(expr("n + 1"))},
      {vector(expr("n * m")), vector(expr("floordiv(n, 2) + m"))});
  for (int trial = 0; trial < 5000; ++trial) {
    Assignment own{{"n", static_cast<int64_t>(random(6))}, {"m", static_cast<int64_t>(random(6))}};
    // The caller's symbols: some have the value of a dimension.
    Assignment callers;
    SmallVector<Type> operands;
    for (auto [index, formal] : llvm::enumerate(signature.getInputs())) {
      int64_t size = *symbolic::evaluate(ir::shapeOf(cast<RankedTensorType>(formal))[0], own);
      std::string name = "c" + std::to_string(index);
      callers[name] = size;
      Expr choices[] = {Expr(), expr(std::to_string(size)), expr(name)};
      operands.push_back(vector(choices[random(3)]));
    }
    SmallVector<Type> results;
    std::string message;
    ASSERT_TRUE(succeeded(ir::deduceCall(signature, operands, results, message))) << message;
    for (auto [formal, deduced] : llvm::zip_equal(signature.getResults(), results)) {
      int64_t size = *symbolic::evaluate(ir::shapeOf(cast<RankedTensorType>(formal))[0], own);
      ASSERT_TRUE(isOf({SmallValue::Tensor, false, {size}, {}}, deduced, callers))
          << text(deduced) << " for " << size;
    }
  }
}

} // namespace
