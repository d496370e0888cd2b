// expand-math: transcendental functions as arithmetic.
//
// Kernels call no library, so math.exp and its kind must become code, and the same code for scalars
// and vectors: the tail of a loop then computes what its vector part would have, bit for bit. Every
// expansion below is written once, on a type that is a float32 or a vector of them; narrower floats
// go through float32. Fused multiply-add is used only on targets that have it.
//
//   exp     x = n ln 2 + r, |r| <= ln 2 / 2 (Cody and Waite, two parts of ln 2); polynomial of
//   degree 6 in r;
//           times 2^n in two factors, so that subnormal results round once and large ones overflow
//   exp2    2^x the same way, with r = (x - n) ln 2
//   tanh    |x| < 0.625: odd polynomial; beyond: 1 - 2 / (exp(2|x|) + 1), with the sign of x
//   rsqrt   1 / sqrt(x), both correctly rounded
//
// NaN gives NaN; exp(+inf) = inf, exp(-inf) = 0, tanh(+-inf) = +-1. Relative errors against
// float64, over the whole range, are bounded by tests/unit/kernels/ExpandMathTest.cpp: exp,
// exp2 1.5e-7, tanh 2e-7. Whatever else of math on float32 (log, sin, cos, erf, pow ...) takes
// MLIR's polynomial approximations.

#include "compiler/dialect/Dialect.h"
#include "compiler/kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace relax::kernels {
namespace {

/// Arithmetic on values of one float32 type, scalar or vector.
class FloatBuilder {
public:
  FloatBuilder(OpBuilder &b, Location loc, Type type, bool fma)
      : b(b), loc(loc), type(type), hasFma(fma) {}

  Value constant(double value) { return splat(type, b.getF32FloatAttr(value)); }
  Value constantInt(int32_t value) { return splat(intType(), b.getI32IntegerAttr(value)); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value fma(Value x, Value y, Value z) {
    return hasFma ? Value(math::FmaOp::create(b, loc, x, y, z)) : add(mul(x, y), z);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  /// The coefficients from the highest power down.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value result = constant(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      result = fma(result, x, constant(coefficient));
    return result;
  }
  Value bits(Value x) { return arith::BitcastOp::create(b, loc, intType(), x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, loc, type, x); }
  /// 2^n for an integer n in [-126, 127].
  Value powerOfTwo(Value n) {
    Value biased = arith::AddIOp::create(b, loc, n, constantInt(127));
    return fromBits(arith::ShLIOp::create(b, loc, biased, constantInt(23)));
  }
  /// x between two bounds; NaN stays.
  Value clamp(Value x, double low, double high) {
    x = select(compare(arith::CmpFPredicate::OGT, x, constant(high)), constant(high), x);
    return select(compare(arith::CmpFPredicate::OLT, x, constant(low)), constant(low), x);
  }

  /// mantissa * 2^n for |n| <= 252, rounded once.
  Value scale(Value mantissa, Value n) {
    Value half = arith::ShRSIOp::create(b, loc, n, constantInt(1));
    Value other = arith::SubIOp::create(b, loc, n, half);
    return mul(mul(mantissa, powerOfTwo(half)), powerOfTwo(other));
  }

  /// Rounds x to an integer, |x| < 2^22: as a float, and as an i32. Adding 1.5 * 2^23 leaves no
  /// bits behind the point; the integer then is the difference of the two bit patterns, for NaN
  /// some number.
  std::pair<Value, Value> roundToInt(Value x) {
    Value magic = constant(12582912.0);
    Value shifted = add(x, magic);
    Value n = arith::SubIOp::create(b, loc, bits(shifted), bits(magic));
    return {sub(shifted, magic), n};
  }

  /// e^r for |r| <= ln 2 / 2, within 3.2e-9: 1 + r + r^2 q(r) with q of least relative error there.
  Value expMantissa(Value r) {
    return polynomial(r, {1.3814093065780614e-3, 8.368960354875776e-3, 4.166841175489026e-2,
                          0.16666518618372786, 0.4999999331173588, 1.0, 1.0});
  }

  Value exp(Value x) {
    // Below -104 the result is 0, above 89 infinite, also after rounding.
    x = clamp(x, -104.0, 89.0);
    auto [n, integer] = roundToInt(mul(x, constant(1.44269504088896341)));
    // The first part has 15 bits, so that its product with n is exact.
    Value r = fma(n, constant(-0.693359375), x);
    r = fma(n, constant(2.12194440e-4), r);
    return scale(expMantissa(r), integer);
  }

  Value exp2(Value x) {
    x = clamp(x, -151.0, 129.0);
    auto [n, integer] = roundToInt(x);
    Value r = mul(sub(x, n), constant(0.69314718055994531));
    return scale(expMantissa(r), integer);
  }

  Value tanh(Value x) {
    Value magnitude = math::AbsFOp::create(b, loc, x);
    Value square = mul(x, x);
    // Cephes' polynomial for |x| < 0.625.
    Value odd = polynomial(square, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                                    1.33314422036e-1, -3.33332819422e-1});
    Value small = fma(mul(odd, square), x, x);
    // From 10 on the result is 1; the clamp keeps NaN.
    Value e = exp(mul(clamp(magnitude, 0.0, 10.0), constant(2.0)));
    Value large = sub(constant(1.0), div(constant(2.0), add(e, constant(1.0))));
    Value result =
        select(compare(arith::CmpFPredicate::OLT, magnitude, constant(0.625)), small, large);
    // Also for -0, which the sum above loses.
    return math::CopySignOp::create(b, loc, result, x);
  }

  Value rsqrt(Value x) { return div(constant(1.0), math::SqrtOp::create(b, loc, x)); }

private:
  Type intType() {
    if (auto vector = dyn_cast<VectorType>(type))
      return VectorType::get(vector.getShape(), b.getI32Type());
    return b.getI32Type();
  }
  Value splat(Type type, TypedAttr element) {
    if (auto vector = dyn_cast<VectorType>(type))
      element = DenseElementsAttr::get(vector, Attribute(element));
    return arith::ConstantOp::create(b, loc, element);
  }

  OpBuilder &b;
  Location loc;
  Type type;
  bool hasFma;
};

template <typename Op> struct Expand : OpRewritePattern<Op> {
  using Function = Value (FloatBuilder::*)(Value);
  Expand(MLIRContext *context, Function function, bool fma)
      : OpRewritePattern<Op>(context, /*benefit=*/2), function(function), fma(fma) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    FloatBuilder builder(rewriter, op.getLoc(), op.getType(), fma);
    rewriter.replaceOp(op, (builder.*function)(op.getOperand()));
    return success();
  }
  Function function;
  bool fma;
};

/// math.fma where there is no such instruction: a product and a sum.
struct ExpandFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    Value product = arith::MulFOp::create(rewriter, op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};

struct ExpandMathPass : PassWrapper<ExpandMathPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandMathPass)
  explicit ExpandMathPass(std::optional<bool> fma) : fma(fma) {}
  StringRef getArgument() const override { return "relax-expand-math"; }
  StringRef getDescription() const override {
    return "Write exp, tanh and others as arithmetic that every target has";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect, vector::VectorDialect>();
  }
  void runOnOperation() override {
    auto target = getOperation()->getAttrOfType<ir::TargetAttr>("relax.target");
    bool useFma = fma.value_or(target && target.hasFeature("fma"));
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<Expand<math::ExpOp>>(context, &FloatBuilder::exp, useFma);
    patterns.add<Expand<math::Exp2Op>>(context, &FloatBuilder::exp2, useFma);
    patterns.add<Expand<math::TanhOp>>(context, &FloatBuilder::tanh, useFma);
    patterns.add<Expand<math::RsqrtOp>>(context, &FloatBuilder::rsqrt, useFma);
    if (!useFma)
      patterns.add<ExpandFma>(context);
    auto library = [](StringRef name) {
      static constexpr StringRef names[] = {"math.exp",   "math.exp2", "math.tanh",  "math.rsqrt",
                                            "math.log",   "math.log2", "math.log1p", "math.expm1",
                                            "math.erf",   "math.sin",  "math.cos",   "math.atan",
                                            "math.atan2", "math.asin", "math.acos",  "math.cbrt"};
      return llvm::is_contained(names, name);
    };
    populateMathF32ExpansionPatterns(patterns, library);
    populateMathPolynomialApproximationPatterns(patterns, [&](StringRef name) {
      return library(name) && name != "math.exp" && name != "math.exp2" && name != "math.tanh" &&
             name != "math.rsqrt";
    });
    math::populateExpansionPatterns(patterns, {"powf", "fpowi", "sinh", "cosh", "tan", "ctlz"});
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
  std::optional<bool> fma;
};

} // namespace

std::unique_ptr<Pass> createExpandMathPass() {
  return std::make_unique<ExpandMathPass>(std::nullopt);
}
std::unique_ptr<Pass> createExpandMathPass(bool fma) {
  return std::make_unique<ExpandMathPass>(fma);
}

} // namespace relax::kernels
