// What the pointwise emitter understands, and questions about a program that strategies ask.

#include "compiler/dialect/Relax.h"
#include "compiler/kernels/PointwiseEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace relax::kernels {
namespace {

class Checker {
public:
  Checker(const llvm::DenseSet<Value> &bound, Operation *&reason) : bound(bound), reason(reason) {}

  bool tensor(Value v) {
    if (bound.contains(v) || isa<BlockArgument>(v) || !visited.insert(v).second)
      return true;
    Operation *op = v.getDefiningOp();
    return tensorOp(op) || refuse(op);
  }

private:
  bool refuse(Operation *op) {
    if (!reason)
      reason = op;
    return false;
  }

  bool operands(Operation *op) {
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return isa<RankedTensorType>(operand.getType()) ? tensor(operand) : scalar(operand);
    });
  }

  bool tensorOp(Operation *op) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      return linalgChecked(linalgOp);
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return isa<DenseElementsAttr>(constant.getValue());
    if (auto splat = dyn_cast<tensor::SplatOp>(op))
      return operands(op);
    if (isa<tensor::EmptyOp, tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
            tensor::ExtractSliceOp>(op))
      return operands(op) && isa<RankedTensorType>(op->getResult(0).getType());
    return OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1 && operands(op);
  }

  bool linalgChecked(linalg::LinalgOp op) {
    if (isa<linalg::FillOp>(op))
      return operands(op);
    if (!op.hasPureTensorSemantics())
      return false;
    for (AffineMap map : op.getIndexingMapsArray())
      if (map.getNumSymbols() > 0)
        return false;
    // Each result's place tells all parallel loops.
    for (OpOperand &init : op.getDpsInitsMutable()) {
      AffineMap map = op.getMatchingIndexingMap(&init);
      llvm::SmallBitVector seen(op.getNumLoops());
      for (AffineExpr expr : map.getResults()) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        if (!dim && !isa<AffineConstantExpr>(expr))
          return false;
        if (dim)
          seen.set(dim.getPosition());
      }
      for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray()))
        if (seen.test(i) != (kind == utils::IteratorType::parallel))
          return false;
    }
    for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      if (kind == utils::IteratorType::reduction && !loopExtent(op, i).first)
        return false;
    return operands(op) && llvm::all_of(op.getBlock()->without_terminator(), [&](Operation &inner) {
             return bodyOp(&inner, op.getBlock()) || refuse(&inner);
           });
  }

  bool bodyOp(Operation *op, Block *body) {
    for (Value operand : op->getOperands())
      if (!body->getParent()->isAncestor(operand.getParentRegion()) &&
          !isa<RankedTensorType>(operand.getType()) && !scalar(operand))
        return false;
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return conditional(branch, body);
    if (isa<linalg::IndexOp, ir::SymbolValueOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
      return true;
    if (auto dim = dyn_cast<tensor::DimOp>(op))
      return dim.getConstantIndex().has_value();
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      return tensor(extract.getTensor());
    return OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1;
  }

  bool conditional(scf::IfOp branch, Block *body) {
    if (branch.getNumResults() != 1)
      return false;
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
      Value yielded = region->front().getTerminator()->getOperand(0);
      if (!body->getParent()->isAncestor(yielded.getParentRegion()) && !scalar(yielded))
        return false;
      for (Operation &inner : region->front().without_terminator())
        if (!bodyOp(&inner, body))
          return refuse(&inner);
    }
    return true;
  }

  bool scalar(Value v) {
    Operation *op = v.getDefiningOp();
    if (!op)
      return false;
    if (isa<ir::SymbolValueOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
      return true;
    if (auto dim = dyn_cast<tensor::DimOp>(op))
      return dim.getConstantIndex().has_value();
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      return operands(op);
    return (OpTrait::hasElementwiseMappableTraits(op) && operands(op)) || refuse(op);
  }

  const llvm::DenseSet<Value> &bound;
  Operation *&reason;
  llvm::DenseSet<Value> visited;
};

} // namespace

bool PointwiseEmitter::check(Value tensor, const llvm::DenseSet<Value> &bound, Operation **reason) {
  Operation *found = nullptr;
  bool ok = Checker(bound, found).tensor(tensor);
  if (reason)
    *reason = found;
  return ok;
}

std::pair<Value, int64_t> loopExtent(linalg::LinalgOp op, unsigned dimension) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    for (auto [i, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && dim.getPosition() == dimension)
        return {operand.get(), i};
  }
  return {Value(), 0};
}

bool readsOnlyInPlace(Value result, Value tensor) {
  if (result == tensor || isa<BlockArgument>(result))
    return true;
  Operation *op = result.getDefiningOp();
  auto dependsOn = [&](Value v) {
    SmallVector<Value> work = {v};
    llvm::DenseSet<Value> seen;
    while (!work.empty()) {
      Value next = work.pop_back_val();
      if (next == tensor)
        return true;
      Operation *producer = next.getDefiningOp();
      if (!producer || !seen.insert(next).second)
        continue;
      producer->walk(
          [&](Operation *inner) { work.append(inner->operand_begin(), inner->operand_end()); });
    }
    return false;
  };
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  bool inPlace = isa<tensor::CastOp>(op) || OpTrait::hasElementwiseMappableTraits(op);
  if (!linalgOp && !inPlace)
    return !dependsOn(result);
  // Reads inside a body may be anywhere.
  bool elsewhere = false;
  if (linalgOp)
    op->walk([&](tensor::ExtractOp extract) { elsewhere |= dependsOn(extract.getTensor()); });
  if (elsewhere)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()) || !dependsOn(operand.get()))
      continue;
    if (linalgOp && (linalgOp.getNumReductionLoops() > 0 ||
                     linalgOp.getMatchingIndexingMap(&operand) !=
                         linalgOp.getMatchingIndexingMap(
                             linalgOp.getDpsInitOperand(cast<OpResult>(result).getResultNumber()))))
      return false;
    if (!readsOnlyInPlace(operand.get(), tensor))
      return false;
  }
  return true;
}

} // namespace relax::kernels
