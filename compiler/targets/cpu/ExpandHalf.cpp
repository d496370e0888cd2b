#include "compiler/targets/cpu/ExpandHalf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace relax::targets {
namespace {

/// Emits integer operations on values shaped like `like`: scalars or vectors.
class BitBuilder {
public:
  BitBuilder(OpBuilder &b, Location loc, Type like) : b(b), loc(loc), like(like) {}

  Type typeOf(Type element) const {
    if (auto vector = dyn_cast<VectorType>(like))
      return VectorType::get(vector.getShape(), element);
    return element;
  }
  Type i32() const { return typeOf(b.getI32Type()); }
  Value constant(uint32_t value) const {
    Type type = i32();
    TypedAttr attribute = b.getI32IntegerAttr(static_cast<int32_t>(value));
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(b, loc, attribute);
  }
  template <typename Op> Value make(Value x, Value y) const { return Op::create(b, loc, x, y); }
  Value shl(Value x, uint32_t n) const { return make<arith::ShLIOp>(x, constant(n)); }
  Value shr(Value x, uint32_t n) const { return make<arith::ShRUIOp>(x, constant(n)); }
  Value bitAnd(Value x, uint32_t mask) const { return make<arith::AndIOp>(x, constant(mask)); }
  Value bitOr(Value x, Value y) const { return make<arith::OrIOp>(x, y); }
  Value select(Value condition, Value x, Value y) const {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value less(Value x, uint32_t y) const {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, constant(y));
  }
  Value cast(Type element, Value x) const {
    return arith::BitcastOp::create(b, loc, typeOf(element), x);
  }

  OpBuilder &b;
  Location loc;
  Type like;
};

/// float16 -> float32. The exponent and mantissa move to their float32 place; a product with 2^112
/// corrects the bias and normalises subnormals, exactly. Infinity and NaN keep an all-ones
/// exponent.
struct ExpandExtend : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn().getType()).isF16() ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    BitBuilder bits(rewriter, op.getLoc(), op.getType());
    Value half = bits.cast(rewriter.getI16Type(), op.getIn());
    Value wide = arith::ExtUIOp::create(rewriter, op.getLoc(), bits.i32(), half);
    Value sign = bits.shl(bits.bitAnd(wide, 0x8000), 16);
    Value magnitude = bits.bitAnd(wide, 0x7fff);
    Value shifted = bits.cast(rewriter.getF32Type(), bits.shl(magnitude, 13));
    Value scale = bits.cast(rewriter.getF32Type(), bits.constant((127 + 112) << 23));
    Value finite = bits.cast(rewriter.getI32Type(),
                             arith::MulFOp::create(rewriter, op.getLoc(), shifted, scale));
    Value special = bits.bitOr(bits.shl(magnitude, 13), bits.constant(0x7f800000));
    Value result = bits.select(bits.less(magnitude, 0x7c00), finite, special);
    rewriter.replaceOp(op, bits.cast(rewriter.getF32Type(), bits.bitOr(result, sign)));
    return success();
  }
};

/// float32 -> float16, to nearest even. Normal results round by adding half a unit in the last
/// place (less one when the kept part is even); subnormal ones by a float addition that aligns the
/// last kept bit with the last bit of a float32; above 65504 + half a unit: infinity.
struct ExpandTruncate : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn().getType()).isF32() ||
        !getElementTypeOrSelf(op.getType()).isF16())
      return failure();
    Location loc = op.getLoc();
    BitBuilder bits(rewriter, loc, op.getType());
    Value word = bits.cast(rewriter.getI32Type(), op.getIn());
    Value sign = bits.bitAnd(bits.shr(word, 16), 0x8000);
    Value magnitude = bits.bitAnd(word, 0x7fffffff);
    // Normal: rebias the exponent by -112, round, drop 13 bits.
    Value odd = bits.bitAnd(bits.shr(magnitude, 13), 1);
    Value rounded = bits.make<arith::AddIOp>(
        bits.make<arith::AddIOp>(magnitude, bits.constant(0xc8000fffu)), odd);
    Value normal = bits.shr(rounded, 13);
    // Subnormal: |x| + 0.5 has units of 2^-24 in its last place, which is float16's smallest.
    Value half = bits.cast(rewriter.getF32Type(), bits.constant(0x3f000000));
    Value aligned =
        arith::AddFOp::create(rewriter, loc, bits.cast(rewriter.getF32Type(), magnitude), half);
    Value subnormal = bits.make<arith::SubIOp>(bits.cast(rewriter.getI32Type(), aligned),
                                               bits.constant(0x3f000000));
    Value nan = bits.bitOr(bits.bitAnd(bits.shr(magnitude, 13), 0x3ff), bits.constant(0x7e00));
    Value result = bits.select(bits.less(magnitude, 0x38800000), subnormal, normal);
    result = bits.select(bits.less(magnitude, 0x477ff000), result, bits.constant(0x7c00));
    result = bits.select(bits.less(magnitude, 0x7f800001), result, nan);
    Value narrow = arith::TruncIOp::create(rewriter, loc, bits.typeOf(rewriter.getI16Type()),
                                           bits.bitOr(result, sign));
    rewriter.replaceOp(op, bits.cast(rewriter.getF16Type(), narrow));
    return success();
  }
};

struct ExpandHalfPass : PassWrapper<ExpandHalfPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandHalfPass)
  StringRef getArgument() const override { return "relax-expand-half"; }
  StringRef getDescription() const override {
    return "Write float16 conversions as integer code, for targets without F16C";
  }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExtend, ExpandTruncate>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createExpandHalfPass() { return std::make_unique<ExpandHalfPass>(); }

} // namespace relax::targets
