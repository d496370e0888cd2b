// Brings graph ops into canonical forms, and removes what computes nothing.
//
// Before:  %0 = relax.permute %x {permutation = array<i64: 1, 0>} …
//          %1 = relax.permute %0 {permutation = array<i64: 1, 0>} …
//          %t = relax.tuple %1, %y   %2 = relax.tuple_get %t {index = 0}
//          %3 = relax.multiply %2, %ones
//
// After:   %x in place of %3
//
// Only what holds for every value, NaN, infinities and both zeros included:
//   parts of a tuple that is made here; a reshape of a reshape, or to its own shape; permutations
//   that follow each other, or that change nothing; a cast to the element type that there is, and
//   there and back through a wider float; -(-x); relu(relu(x)); x * 1, x / 1, x - 0, x + -0.
// x + 0 is 0 where x is -0, and x * 0 isn't 0 where x is NaN: those stay. Unused ops without
// effects go, checks stay. Test: tests/ir/transforms/simplify-graph.mlir

#include "compiler/dialect/Ops.h"
#include "compiler/dialect/ops/ArrangeOps.h"
#include "compiler/dialect/ops/ElementwiseOps.h"
#include "compiler/transforms/FunctionForm.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>

using namespace mlir;

namespace relax::transforms {
namespace {

LogicalResult partOfTuple(ir::TupleGetOp op, PatternRewriter &rewriter) {
  auto tuple = op.getValue().getDefiningOp<ir::TupleOp>();
  if (!tuple)
    return failure();
  Value part = tuple.getValues()[op.getIndex()];
  if (part.getType() != op.getType())
    return failure();
  rewriter.replaceOp(op, part);
  return success();
}

LogicalResult reshapeOfReshape(ir::ReshapeOp op, PatternRewriter &rewriter) {
  Value x = op->getOperand(0);
  if (x.getType() == op.getType()) {
    rewriter.replaceOp(op, x);
    return success();
  }
  auto inner = x.getDefiningOp<ir::ReshapeOp>();
  // Both must be plain: one that still has to be checked says more than its result.
  if (!inner || !isa<RankedTensorType>(inner->getOperand(0).getType()))
    return failure();
  if (inner->getOperand(0).getType() == op.getType()) {
    rewriter.replaceOp(op, inner->getOperand(0));
    return success();
  }
  rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, inner->getOperand(0)); });
  return success();
}

LogicalResult permuteOfPermute(ir::PermuteOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> order = op.getPermutation();
  bool isIdentity = llvm::all_of(llvm::enumerate(order),
                                 [](auto each) { return each.value() == int64_t(each.index()); });
  if (isIdentity && op.getX().getType() == op.getType()) {
    rewriter.replaceOp(op, op.getX());
    return success();
  }
  auto inner = op.getX().getDefiningOp<ir::PermuteOp>();
  if (!inner)
    return failure();
  ArrayRef<int64_t> first = inner.getPermutation();
  auto rank = int64_t(first.size());
  SmallVector<int64_t> composed;
  for (int64_t axis : order)
    composed.push_back(first[axis < 0 ? axis + rank : axis]);
  rewriter.modifyOpInPlace(op, [&] {
    op->setOperand(0, inner.getX());
    op.setPermutation(composed);
  });
  return success();
}

LogicalResult castToSame(ir::CastOp op, PatternRewriter &rewriter) {
  Value x = op.getX();
  if (x.getType() == op.getType()) {
    rewriter.replaceOp(op, x);
    return success();
  }
  auto inner = x.getDefiningOp<ir::CastOp>();
  if (!inner || inner.getX().getType() != op.getType())
    return failure();
  auto from = dyn_cast<FloatType>(getElementTypeOrSelf(op.getType()));
  auto through = dyn_cast<FloatType>(getElementTypeOrSelf(inner.getType()));
  // Every number of the narrower type is one of the wider.
  bool exact = from && through && from.getWidth() < through.getWidth();
  if (!exact)
    return failure();
  rewriter.replaceOp(op, inner.getX());
  return success();
}

LogicalResult negateOfNegate(ir::NegateOp op, PatternRewriter &rewriter) {
  auto inner = op->getOperand(0).getDefiningOp<ir::NegateOp>();
  if (!inner || inner->getOperand(0).getType() != op.getType())
    return failure();
  rewriter.replaceOp(op, inner->getOperand(0));
  return success();
}

LogicalResult reluOfRelu(ir::ReluOp op, PatternRewriter &rewriter) {
  if (!op->getOperand(0).getDefiningOp<ir::ReluOp>())
    return failure();
  rewriter.replaceOp(op, op->getOperand(0));
  return success();
}

/// Is the value a constant whose elements are all `number`, with its sign if it is zero?
bool isAll(Value value, double number) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return false;
  if (isa<FloatType>(elements.getElementType())) {
    APFloat found = elements.getSplatValue<APFloat>();
    return found.convertToDouble() == number && found.isNegative() == std::signbit(number);
  }
  return elements.getElementType().isInteger() && !elements.getElementType().isInteger(1) &&
         elements.getSplatValue<APInt>() == APInt(elements.getElementType().getIntOrFloatBitWidth(),
                                                  uint64_t(int64_t(number)),
                                                  /*isSigned=*/true, /*implicitTrunc=*/true);
}

/// x if `other` is the neutral element on the right side (or on the left, where sides don't
/// matter).
template <typename Op>
LogicalResult dropNeutral(Op op, PatternRewriter &rewriter, double neutral, bool commutes) {
  for (unsigned side : {1u, 0u}) {
    if (side == 0 && !commutes)
      break;
    Value x = op->getOperand(1 - side);
    if (x.getType() == op.getType() && isAll(op->getOperand(side), neutral)) {
      rewriter.replaceOp(op, x);
      return success();
    }
  }
  return failure();
}

struct SimplifyGraph : PassWrapper<SimplifyGraph, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimplifyGraph)
  StringRef getArgument() const override { return "relax-simplify-graph"; }
  StringRef getDescription() const override {
    return "Bring graph ops into canonical forms, and remove what computes nothing";
  }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(partOfTuple);
    patterns.add(reshapeOfReshape);
    patterns.add(permuteOfPermute);
    patterns.add(castToSame);
    patterns.add(negateOfNegate);
    patterns.add(reluOfRelu);
    patterns.add(
        +[](ir::MultiplyOp op, PatternRewriter &r) { return dropNeutral(op, r, 1, true); });
    patterns.add(+[](ir::DivideOp op, PatternRewriter &r) { return dropNeutral(op, r, 1, false); });
    patterns.add(
        +[](ir::SubtractOp op, PatternRewriter &r) { return dropNeutral(op, r, 0.0, false); });
    patterns.add(+[](ir::AddOp op, PatternRewriter &r) { return dropNeutral(op, r, -0.0, true); });
    FrozenRewritePatternSet frozen(std::move(patterns));
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isGraphFunction(function) && failed(applyPatternsGreedily(function, frozen, config)))
        function.emitRemark("was not simplified to the end");
  }
};

} // namespace

std::unique_ptr<Pass> createSimplifyGraphPass() { return std::make_unique<SimplifyGraph>(); }

} // namespace relax::transforms
