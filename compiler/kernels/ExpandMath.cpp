// expand-math: math functions as arithmetic.
//
// Kernels call no library, so math.exp and its kind must become code, and the same code for scalars
// and vectors: the tail of a loop then computes what its vector part would have, bit for bit. Each
// function is a formula on floats (math/Functions.h). exp, exp2, tanh and rsqrt have one for
// float32; the other functions of float32 go through float64, and so are correct to the last bit
// but for rare ties. Narrower floats go through float32. Fused multiply-add is used only on targets
// that have it.
//
// Test: tests/unit/kernels/ExpandMathTest.cpp

#include "compiler/dialect/Dialect.h"
#include "compiler/kernels/Passes.h"
#include "compiler/kernels/math/Functions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace relax::kernels {
namespace {

using kernels::math::FloatBuilder;
using kernels::math::Real;

Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

/// One function: its formulas for float32 (none: through float64) and float64.
template <typename Formula> struct Formulas {
  Formula *single;
  Formula *full;
};

/// An op of one or two operands of one type, by its formula.
template <typename Op, typename Formula> struct Expand : OpRewritePattern<Op> {
  Expand(MLIRContext *context, Formulas<Formula> formulas, bool fma)
      : OpRewritePattern<Op>(context, /*benefit=*/2), formulas(formulas), fma(fma) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    Location loc = op.getLoc();
    auto extended = [&](Type wide) {
      return llvm::map_to_vector(op->getOperands(), [&](Value operand) -> Value {
        return arith::ExtFOp::create(rewriter, loc, withElement(type, wide), operand);
      });
    };
    Value result;
    if (element.isF64()) {
      result = apply(formulas.full, rewriter, loc, SmallVector<Value>(op->getOperands()));
    } else if (element.isF32() && formulas.single) {
      result = apply(formulas.single, rewriter, loc, SmallVector<Value>(op->getOperands()));
    } else if (element.isF32()) {
      result = apply(formulas.full, rewriter, loc, extended(rewriter.getF64Type()));
      result = arith::TruncFOp::create(rewriter, loc, type, result);
    } else if (element.isF16() || element.isBF16()) {
      result = Op::create(rewriter, loc, extended(rewriter.getF32Type()));
      result = arith::TruncFOp::create(rewriter, loc, type, result);
    } else {
      return failure();
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  Value apply(Formula *formula, OpBuilder &b, Location loc, ArrayRef<Value> operands) const {
    FloatBuilder builder(b, loc, operands[0].getType(), fma);
    if constexpr (std::is_invocable_v<Formula, Real>)
      return formula(builder.wrap(operands[0])).value;
    else
      return formula(builder.wrap(operands[0]), builder.wrap(operands[1])).value;
  }

  Formulas<Formula> formulas;
  bool fma;
};

/// math.fma where there is no such instruction: a product and a sum.
struct ExpandFma : OpRewritePattern<mlir::math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(mlir::math::FmaOp op, PatternRewriter &rewriter) const override {
    Value product = arith::MulFOp::create(rewriter, op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};

class PatternTable {
public:
  PatternTable(RewritePatternSet &patterns, bool fma) : patterns(patterns), fma(fma) {}
  template <typename Op> void unary(Real (*full)(Real), Real (*single)(Real) = nullptr) {
    using Formula = Real(Real);
    patterns.add<Expand<Op, Formula>>(patterns.getContext(), Formulas<Formula>{single, full}, fma);
  }
  template <typename Op>
  void binary(Real (*full)(Real, Real), Real (*single)(Real, Real) = nullptr) {
    using Formula = Real(Real, Real);
    patterns.add<Expand<Op, Formula>>(patterns.getContext(), Formulas<Formula>{single, full}, fma);
  }

private:
  RewritePatternSet &patterns;
  bool fma;
};

void addFormulas(PatternTable table) {
  namespace op = mlir::math;
  using namespace kernels::math;
  table.unary<op::ExpOp>(exp64, exp32);
  table.unary<op::Exp2Op>(exp2Of64, exp2Of32);
  table.unary<op::ExpM1Op>(expm1);
  table.unary<op::SinhOp>(kernels::math::sinh);
  table.unary<op::CoshOp>(kernels::math::cosh);
  table.unary<op::TanhOp>(kernels::math::tanh, tanh32);
  table.unary<op::LogOp>(kernels::math::log);
  table.unary<op::Log2Op>(kernels::math::log2);
  table.unary<op::Log10Op>(kernels::math::log10);
  table.unary<op::Log1pOp>(kernels::math::log1p);
  table.unary<op::AsinhOp>(kernels::math::asinh);
  table.unary<op::AcoshOp>(kernels::math::acosh);
  table.unary<op::AtanhOp>(kernels::math::atanh);
  table.unary<op::SinOp>(kernels::math::sin);
  table.unary<op::CosOp>(kernels::math::cos);
  table.unary<op::TanOp>(kernels::math::tan);
  table.unary<op::AsinOp>(kernels::math::asin);
  table.unary<op::AcosOp>(kernels::math::acos);
  table.unary<op::AtanOp>(kernels::math::atan);
  table.unary<op::CbrtOp>(kernels::math::cbrt);
  table.unary<op::RsqrtOp>(rsqrt, rsqrt);
  table.unary<op::ErfOp>(kernels::math::erf);
  table.unary<op::ErfcOp>(kernels::math::erfc);
  table.binary<op::Atan2Op>(kernels::math::atan2);
  table.binary<arith::RemFOp>(kernels::math::remainder, kernels::math::remainder);
}

/// pow of float32 goes through float64 with a formula of its own.
struct ExpandPow32 : OpRewritePattern<mlir::math::PowFOp> {
  ExpandPow32(MLIRContext *context, bool fma) : OpRewritePattern(context, 3), fma(fma) {}
  LogicalResult matchAndRewrite(mlir::math::PowFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Type wide = withElement(op.getType(), rewriter.getF64Type());
    FloatBuilder builder(rewriter, op.getLoc(), wide, fma);
    auto extend = [&](Value v) {
      return builder.wrap(arith::ExtFOp::create(rewriter, op.getLoc(), wide, v));
    };
    Real result = kernels::math::powOf32(extend(op.getLhs()), extend(op.getRhs()));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), result.value);
    return success();
  }
  bool fma;
};

struct ExpandMathPass : PassWrapper<ExpandMathPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandMathPass)
  explicit ExpandMathPass(std::optional<bool> fma) : fma(fma) {}
  StringRef getArgument() const override { return "relax-expand-math"; }
  StringRef getDescription() const override {
    return "Write exp, tanh and others as arithmetic that every target has";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, mlir::math::MathDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  }
  void runOnOperation() override {
    auto target = getOperation()->getAttrOfType<ir::TargetAttr>("relax.target");
    bool useFma = fma.value_or(target && target.hasFeature("fma"));
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    PatternTable table(patterns, useFma);
    addFormulas(table);
    patterns.add<ExpandPow32>(context, useFma);
    table.binary<mlir::math::PowFOp>(kernels::math::pow);
    if (!useFma)
      patterns.add<ExpandFma>(context);
    mlir::math::populateExpansionPatterns(patterns, {"fpowi", "ctlz", "clampf"});
    // There are no unreachable blocks to look for.
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
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
