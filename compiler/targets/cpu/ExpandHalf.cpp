#include "compiler/targets/cpu/ExpandHalf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AttrTypeSubElements.h"
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

bool is16BitFloat(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

/// 16 bits -> float64, through float32.
struct ExtendToDouble : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    if (!is16BitFloat(op.getIn().getType()) || !getElementTypeOrSelf(op.getType()).isF64())
      return failure();
    BitBuilder bits(rewriter, op.getLoc(), op.getType());
    Value single = arith::ExtFOp::create(rewriter, op.getLoc(), bits.typeOf(rewriter.getF32Type()),
                                         op.getIn());
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), single);
    return success();
  }
};

/// float64 -> 16 bits. A float32 rounded to odd (the neighbour towards zero, with its last bit set
/// where anything was lost) keeps on which side of every 16-bit tie the number lies.
struct TruncateDouble : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!is16BitFloat(op.getType()) || !getElementTypeOrSelf(op.getIn().getType()).isF64())
      return failure();
    Location loc = op.getLoc();
    BitBuilder bits(rewriter, loc, op.getType());
    Type f32 = bits.typeOf(rewriter.getF32Type());
    Value x = op.getIn();
    Value nearest = arith::TruncFOp::create(rewriter, loc, f32, x);
    Value back = arith::ExtFOp::create(rewriter, loc, x.getType(), nearest);
    Value magnitude = math::AbsFOp::create(rewriter, loc, x);
    Value backMagnitude = math::AbsFOp::create(rewriter, loc, back);
    auto compare = [&](arith::CmpFPredicate predicate, Value a, Value b) -> Value {
      return arith::CmpFOp::create(rewriter, loc, predicate, a, b);
    };
    // Ordered comparisons: NaN stays as it is.
    Value inexact = compare(arith::CmpFPredicate::ONE, back, x);
    Value above = compare(arith::CmpFPredicate::OGT, backMagnitude, magnitude);
    Value word = bits.cast(rewriter.getI32Type(), nearest);
    Value lower = bits.make<arith::SubIOp>(word, bits.constant(1));
    Value odd = bits.bitOr(bits.select(above, lower, word), bits.constant(1));
    Value result = bits.cast(rewriter.getF32Type(), bits.select(inexact, odd, word));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), result);
    return success();
  }
};

struct ExpandHalfPass : PassWrapper<ExpandHalfPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandHalfPass)
  explicit ExpandHalfPass(bool hasF16c) : hasF16c(hasF16c) {}
  StringRef getArgument() const override { return "relax-expand-half"; }
  StringRef getDescription() const override {
    return "Write conversions of 16-bit floats as arithmetic that the target has";
  }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExtendToDouble, TruncateDouble>(&getContext());
    if (!hasF16c)
      patterns.add<ExpandExtend, ExpandTruncate>(&getContext());
    // There are no unreachable blocks to look for.
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
  bool hasF16c;
};

struct BfloatAsBitsPass : PassWrapper<BfloatAsBitsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BfloatAsBitsPass)
  StringRef getArgument() const override { return "relax-bfloat-as-bits"; }
  StringRef getDescription() const override { return "Carry bfloat16 as integers of 16 bits"; }
  void runOnOperation() override {
    Type bits = IntegerType::get(&getContext(), 16);
    AttrTypeReplacer replacer;
    replacer.addReplacement([=](BFloat16Type) { return bits; });
    replacer.addReplacement([=](FloatAttr attribute) -> Attribute {
      if (!attribute.getType().isBF16())
        return attribute;
      return IntegerAttr::get(bits, attribute.getValue().bitcastToAPInt());
    });
    replacer.addReplacement([=](DenseElementsAttr attribute) -> Attribute {
      return attribute.getElementType().isBF16() ? attribute.bitcast(bits) : attribute;
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false, /*replaceTypes=*/true);
  }
};

} // namespace

std::unique_ptr<Pass> createBfloatAsBitsPass() { return std::make_unique<BfloatAsBitsPass>(); }

std::unique_ptr<Pass> createExpandHalfPass(bool hasF16c) {
  return std::make_unique<ExpandHalfPass>(hasF16c);
}

} // namespace relax::targets
