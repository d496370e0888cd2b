#include "compiler/kernels/matmul/PlainContraction.h"

#include "compiler/dialect/Relax.h"
#include "compiler/kernels/PointwiseEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {

bool Factor::isContiguousIn(unsigned loop) const {
  if (map.getNumResults() == 0)
    return false;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  return last && last.getPosition() == loop;
}

Expr PlainContraction::extent(unsigned loop) const {
  auto [operand, dimension] = loopExtent(op, loop);
  return operand ? ir::shapeOf(cast<RankedTensorType>(operand.getType()))[dimension] : Expr();
}

namespace {

bool isConversion(Operation *op) {
  return isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp, arith::UIToFPOp>(op);
}

/// The argument of the body that `v` is but for conversions.
BlockArgument factorOf(Value v, SmallVector<Operation *> &conversions) {
  while (Operation *op = v.getDefiningOp()) {
    if (!isConversion(op))
      return {};
    conversions.insert(conversions.begin(), op);
    v = op->getOperand(0);
  }
  return cast<BlockArgument>(v);
}

/// The two factors of `accumulator + x * y`.
bool matchBody(linalg::LinalgOp op, Factor &first, Factor &second) {
  Block *body = op.getBlock();
  BlockArgument accumulator = body->getArguments().back();
  Operation *sum = body->getTerminator()->getOperand(0).getDefiningOp();
  Value x, y;
  if (auto fma = dyn_cast_or_null<math::FmaOp>(sum)) {
    if (fma.getC() != accumulator)
      return false;
    x = fma.getA();
    y = fma.getB();
  } else if (isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum)) {
    Value other = sum->getOperand(0) == accumulator   ? sum->getOperand(1)
                  : sum->getOperand(1) == accumulator ? sum->getOperand(0)
                                                      : Value();
    Operation *product = other ? other.getDefiningOp() : nullptr;
    if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product))
      return false;
    x = product->getOperand(0);
    y = product->getOperand(1);
  } else {
    return false;
  }
  BlockArgument a = factorOf(x, first.conversions), b = factorOf(y, second.conversions);
  if (!a || !b || a == b || a == accumulator || b == accumulator || !accumulator.hasOneUse())
    return false;
  for (auto [argument, factor] : {std::pair(a, &first), std::pair(b, &second)}) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (!isa<RankedTensorType>(operand->get().getType()))
      return false;
    factor->tensor = operand->get();
    factor->map = op.getMatchingIndexingMap(operand);
  }
  return true;
}

bool isAccumulator(Type type) {
  return type.isF32() || type.isF64() || type.isInteger(32) || type.isInteger(64);
}

/// The only reduction of the program.
linalg::LinalgOp onlyReduction(func::FuncOp program) {
  linalg::LinalgOp found;
  bool several = false;
  program.walk([&](linalg::LinalgOp op) {
    if (op.getNumReductionLoops() == 0)
      return;
    several |= static_cast<bool>(found);
    found = op;
  });
  return several ? linalg::LinalgOp() : found;
}

/// Gives the loops their roles.
bool assignLoops(PlainContraction &contraction, AffineMap out) {
  linalg::LinalgOp op = contraction.op;
  if (out.getNumResults() == 0 || !out.isProjectedPermutation())
    return false;
  contraction.n = cast<AffineDimExpr>(out.getResults().back()).getPosition();
  if (contraction.left.uses(contraction.n))
    std::swap(contraction.left, contraction.right);
  if (contraction.left.uses(contraction.n) || !contraction.right.uses(contraction.n))
    return false;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  contraction.k = reductions.pop_back_val();
  contraction.outerReductions = reductions;
  if (!contraction.left.uses(contraction.k) || !contraction.right.uses(contraction.k))
    return false;
  for (AffineExpr expr : out.getResults().drop_back()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (contraction.left.uses(loop) && !contraction.right.uses(loop)) {
      if (contraction.m)
        contraction.outer.push_back(*contraction.m);
      contraction.m = loop;
    } else {
      contraction.outer.push_back(loop);
    }
  }
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!contraction.extent(loop))
      return false;
  return true;
}

/// Few rows of a right side whose k lies side by side: dot products read it as it is, while here it
/// would be transposed to be used once.
bool isBetterAsDotProducts(const PlainContraction &contraction) {
  if (!contraction.right.isContiguousIn(contraction.k))
    return false;
  if (!contraction.m)
    return true;
  Expr rows = contraction.extent(*contraction.m);
  return rows.isConstant() && rows.constantValue() <= 4;
}

} // namespace

std::optional<PlainContraction> matchPlainContraction(func::FuncOp program) {
  PlainContraction contraction;
  linalg::LinalgOp op = contraction.op = onlyReduction(program);
  if (!op || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics())
    return std::nullopt;
  Value sums = op->getResult(0);
  contraction.accumulator = getElementTypeOrSelf(sums.getType());
  if (!isAccumulator(contraction.accumulator) ||
      !matchBody(op, contraction.left, contraction.right))
    return std::nullopt;
  for (const Factor *factor : {&contraction.left, &contraction.right})
    if (!factor->map.isProjectedPermutation(/*allowZeroInResults=*/true) ||
        !PointwiseEmitter::check(factor->tensor))
      return std::nullopt;
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!assignLoops(contraction, out) || isBetterAsDotProducts(contraction) ||
      !PointwiseEmitter::check(op.getDpsInitOperand(0)->get()))
    return std::nullopt;
  ArrayRef<Expr> shape = ir::shapeOf(cast<RankedTensorType>(sums.getType()));
  for (Value result : program.getBody().front().getTerminator()->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || ir::shapeOf(type) != shape || !PointwiseEmitter::check(result, {sums}) ||
        !readsOnlyInPlace(result, sums))
      return std::nullopt;
  }
  return contraction;
}

} // namespace relax::kernels
