#include "compiler/transforms/AliasAnalysis.h"

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/KernelKind.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace relax::transforms {
namespace {

/// Tensors of one shape, whose elements are equally wide.
bool haveOneLayout(Type a, Type b) {
  auto x = dyn_cast<RankedTensorType>(a), y = dyn_cast<RankedTensorType>(b);
  return x && y && x.getElementType().isIntOrFloat() && y.getElementType().isIntOrFloat() &&
         x.getElementTypeBitWidth() == y.getElementTypeBitWidth() &&
         ir::shapeOf(x) == ir::shapeOf(y);
}

/// Do all strategies evaluate the op's body element by element? What it takes from outside are
/// numbers that don't change.
bool hasPlainBody(linalg::LinalgOp op) {
  auto isInside = [&](Value value) { return value.getParentBlock() == op.getBlock(); };
  return llvm::all_of(op.getBlock()->without_terminator(), [&](Operation &inner) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
      return isa<BlockArgument>(extract.getTensor()) &&
             llvm::all_of(extract.getIndices(), isInside);
    if (isa<linalg::IndexOp>(inner) || inner.hasTrait<OpTrait::ConstantLike>())
      return true;
    return OpTrait::hasElementwiseMappableTraits(&inner) && inner.getNumResults() == 1 &&
           llvm::all_of(inner.getOperands(), [&](Value operand) {
             Operation *source = operand.getDefiningOp();
             return isInside(operand) || (source && (isa<ir::SymbolValueOp>(source) ||
                                                     source->hasTrait<OpTrait::ConstantLike>()));
           });
  });
}

/// A linalg op that computes each element of its result on its own.
bool isPointwise(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumParallelLoops() != op.getNumLoops())
    return false;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!op.getMatchingIndexingMap(&init).isIdentity())
      return false;
  return hasPlainBody(op);
}

/// Does the op compute with functions that a strategy would rather not compute twice? Such a value
/// may be kept in a result's memory until it is needed again.
bool isCostly(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<math::MathDialect>(inner->getDialect()) ? WalkResult::interrupt()
                                                           : WalkResult::advance();
      })
      .wasInterrupted();
}

/// A sum of products whose factors are arguments, or cheaply computed from them; nothing that a
/// strategy would keep where the result goes.
bool isPlainContraction(linalg::LinalgOp op) {
  Type result = op->getResult(0).getType();
  return op.hasPureTensorSemantics() && hasPlainBody(op) &&
         llvm::none_of(op.getDpsInputs(), [&](Value input) {
           Operation *producer = input.getDefiningOp();
           return producer && (isCostly(producer) || input.getType() == result);
         });
}

/// Is the program made of pointwise ops, and at most one contraction?
bool hasElementwiseResults(func::FuncOp program) {
  unsigned contractions = 0;
  for (Operation &op : program.getBody().front().without_terminator()) {
    if (isa<tensor::EmptyOp, linalg::FillOp, tensor::DimOp, ir::SymbolValueOp, arith::ConstantOp>(
            op))
      continue;
    if (ir::isContraction(&op)) {
      ++contractions;
      continue;
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp)
      return false;
    if (linalgOp.getNumReductionLoops() > 0) {
      ++contractions;
      if (!isPlainContraction(linalgOp))
        return false;
    } else if (!isPointwise(linalgOp)) {
      return false;
    }
  }
  return contractions == 0 || (contractions == 1 && classify(program) == KernelKind::OutputFusible);
}

/// Attention reads the queries of a unit, which are the rows of the result that it computes, into
/// memory of its own first.
bool isAttentionOver(func::FuncOp program, unsigned argument) {
  Block &body = program.getBody().front();
  auto attention = body.getTerminator()->getOperand(0).getDefiningOp<ir::PagedAttentionOp>();
  return attention && attention.getQ() == program.getArgument(argument) &&
         program.getArgument(argument).hasOneUse();
}

/// Do the results depend on elements of `value` at their own place only? No op that feeds a
/// contraction reads it then: those read many places.
bool isReadInPlace(Value value) {
  llvm::SmallVector<Value> work = {value};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (OpOperand &use : next.getUses()) {
      if (isa<func::ReturnOp, tensor::DimOp>(use.getOwner()))
        continue;
      auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
      if (!op || op.getNumReductionLoops() > 0 || !op.isDpsInput(&use) ||
          !op.getMatchingIndexingMap(&use).isIdentity())
        return false;
      llvm::append_range(work, op->getResults());
    }
  }
  return true;
}

} // namespace

bool mayShareMemory(func::FuncOp program, unsigned result, unsigned argument) {
  // The parts of a program of several results may run one after the other.
  if (program.isDeclaration() || !program.getBody().hasOneBlock() || program.getNumResults() != 1 ||
      !haveOneLayout(program.getResultTypes()[result], program.getArgumentTypes()[argument]))
    return false;
  if (isAttentionOver(program, argument))
    return true;
  if (!hasElementwiseResults(program))
    return false;
  return isReadInPlace(program.getArgument(argument));
}

} // namespace relax::transforms
