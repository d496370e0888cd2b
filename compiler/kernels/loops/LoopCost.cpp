// About how much work a program of loops is, and what is known of its sizes before it runs.

#include "compiler/dialect/Relax.h"
#include "compiler/kernels/LaneValue.h"
#include "compiler/kernels/loops/LoopPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {

Expr nonNegativeExpr(Value index) {
  symbolic::Context &symbols = ir::symbolicContext(index.getContext());
  if (auto constant = constantInteger(index))
    return *constant >= 0 ? symbols.constant(*constant) : Expr();
  Operation *op = index.getDefiningOp();
  if (!op)
    return {};
  if (auto symbol = dyn_cast<ir::SymbolValueOp>(op))
    return symbol.getExpr().getExpr();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> constant = dim.getConstantIndex();
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    return constant && type && *constant < type.getRank() ? ir::shapeOf(type)[*constant] : Expr();
  }
  if (auto cast = dyn_cast<arith::IndexCastOp>(op))
    return nonNegativeExpr(cast.getIn());
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 ||
      op->getDialect()->getNamespace() != "arith" || isa<arith::CmpIOp>(op))
    return {};
  Expr lhs = nonNegativeExpr(op->getOperand(0)), rhs = nonNegativeExpr(op->getOperand(1));
  if (!lhs || !rhs)
    return {};
  if (isa<arith::AddIOp>(op))
    return lhs + rhs;
  if (isa<arith::MulIOp>(op))
    return lhs * rhs;
  if (isa<arith::MinSIOp, arith::MinUIOp>(op))
    return symbols.min(lhs, rhs);
  if (isa<arith::MaxSIOp, arith::MaxUIOp>(op))
    return symbols.max(lhs, rhs);
  if (!rhs.isConstant() || rhs.constantValue() == 0)
    return {};
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(op))
    return symbols.floorDiv(lhs, rhs);
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return symbols.ceilDiv(lhs, rhs);
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return symbols.mod(lhs, rhs);
  return {};
}

Expr nonNegativeExpr(OpFoldResult index, MLIRContext *context) {
  if (auto constant = getConstantIntValue(index))
    return *constant >= 0 ? ir::symbolicContext(context).constant(*constant) : Expr();
  return nonNegativeExpr(cast<Value>(index));
}

namespace {

/// Trips that are assumed of a loop whose count isn't known and that carries no tensor.
constexpr int64_t assumedTrips = 8;

class Cost {
public:
  explicit Cost(MLIRContext *context) : symbols(ir::symbolicContext(context)) {}

  Expr region(Region &region, bool inUnknown) {
    Expr total = symbols.constant(1);
    for (Block &block : region)
      for (Operation &op : block)
        total = total + operation(&op, inUnknown);
    return total;
  }

private:
  Expr operation(Operation *op, bool inUnknown) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      Expr lower = nonNegativeExpr(loop.getLowerBound()),
           upper = nonNegativeExpr(loop.getUpperBound());
      auto step = constantInteger(loop.getStep());
      if (lower && lower.isConstant() && upper && step && *step > 0)
        return symbols.ceilDiv(upper, symbols.constant(*step)) *
               region(loop.getRegion(), inUnknown);
      return unknownTrips(op, inUnknown) * region(loop.getRegion(), true);
    }
    if (auto loop = dyn_cast<scf::ForallOp>(op)) {
      Expr trips = symbols.constant(1);
      for (OpFoldResult upper : loop.getMixedUpperBound()) {
        Expr bound = nonNegativeExpr(upper, op->getContext());
        trips = trips * (bound ? bound : symbols.constant(assumedTrips));
      }
      return trips * region(loop.getRegion(), inUnknown);
    }
    if (isa<scf::WhileOp>(op)) {
      Expr body = symbols.constant(0);
      for (Region &inner : op->getRegions())
        body = body + region(inner, true);
      return unknownTrips(op, inUnknown) * body;
    }
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      return linalgTrips(linalgOp) * int64_t(linalgOp.getBlock()->getOperations().size());
    Expr total = symbols.constant(isa<math::MathDialect>(op->getDialect()) ? 16 : 1);
    for (Region &inner : op->getRegions())
      total = total + region(inner, inUnknown);
    return total;
  }

  /// A loop that runs until something happens: about as often as a tensor that it carries has
  /// elements, if it is the outermost such loop.
  Expr unknownTrips(Operation *op, bool inUnknown) {
    if (!inUnknown)
      for (Value operand : op->getOperands())
        if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
          if (Expr count = ir::elementCount(op->getContext(), ir::shapeOf(type)))
            return count;
    return symbols.constant(assumedTrips);
  }

  Expr linalgTrips(linalg::LinalgOp op) {
    Expr trips = symbols.constant(1);
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      for (OpOperand &operand : op->getOpOperands()) {
        auto type = dyn_cast<RankedTensorType>(operand.get().getType());
        if (!type)
          continue;
        AffineMap map = op.getMatchingIndexingMap(&operand);
        auto position = map.getResultPosition(getAffineDimExpr(loop, op->getContext()));
        if (!position)
          continue;
        if (Expr extent = ir::shapeOf(type)[*position])
          trips = trips * extent;
        break;
      }
    return trips;
  }

  symbolic::Context &symbols;
};

} // namespace

Expr loopCost(func::FuncOp program) {
  return Cost(program.getContext()).region(program.getBody(), false);
}

} // namespace relax::kernels
