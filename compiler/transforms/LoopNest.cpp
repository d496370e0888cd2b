#include "compiler/transforms/LoopNest.h"

#include "compiler/dialect/Relax.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::transforms {
namespace {

struct LoopNest {
  SmallVector<scf::ForOp> loops;    ///< From the outside in.
  SmallVector<Operation *> scalars; ///< What computes an element, in order.
  tensor::InsertOp insert;
  SmallVector<unsigned> loopOfDim; ///< Which loop runs along a dimension of the tensor.
  bool reduces = false;
};

/// Is the value the extent `dim`?
bool isExtent(Value value, Expr dim) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return dim.isConstant(*constant);
  if (auto symbol = value.getDefiningOp<ir::SymbolValueOp>())
    return symbol.getExpr().getExpr() == dim;
  if (auto size = value.getDefiningOp<tensor::DimOp>()) {
    auto type = dyn_cast<RankedTensorType>(size.getSource().getType());
    std::optional<int64_t> axis = size.getConstantIndex();
    return type && axis && ir::shapeOf(type)[*axis] == dim;
  }
  return false;
}

class NestMatcher {
public:
  explicit NestMatcher(scf::ForOp outer) : outer(outer) {}

  std::optional<LoopNest> run() {
    if (!descend(outer) || !matchPlaces())
      return std::nullopt;
    return nest;
  }

private:
  bool isOfNest(Value v) const { return carried.contains(v); }

  bool descend(scf::ForOp loop) {
    if (loop.getNumRegionIterArgs() != 1 || getConstantIntValue(loop.getLowerBound()) != 0 ||
        getConstantIntValue(loop.getStep()) != 1 ||
        !isa<RankedTensorType>(loop.getResult(0).getType()) ||
        outer->isAncestor(loop.getUpperBound().getParentBlock()->getParentOp()))
      return false;
    nest.loops.push_back(loop);
    BlockArgument tensor = loop.getRegionIterArg(0);
    carried.insert(tensor);
    Block *body = loop.getBody();
    Value yielded = body->getTerminator()->getOperand(0);
    for (Operation &op : body->without_terminator()) {
      if (auto inner = dyn_cast<scf::ForOp>(op)) {
        if (inner.getInitArgs().size() == 1 && inner.getInitArgs()[0] == tensor)
          return yielded == inner.getResult(0) && &op == body->getTerminator()->getPrevNode() &&
                 descend(inner);
        if (!isScalarLoop(inner))
          return false;
        nest.reduces = true;
        continue;
      }
      if (auto insert = dyn_cast<tensor::InsertOp>(op)) {
        nest.insert = insert;
        return insert.getDest() == tensor && yielded == insert.getResult() &&
               &op == body->getTerminator()->getPrevNode();
      }
      if (!isScalar(&op))
        return false;
      nest.scalars.push_back(&op);
    }
    return false;
  }

  /// Computes a number from numbers and elements of other tensors, without effects.
  bool isScalar(Operation *op) {
    if (llvm::any_of(op->getOperands(), [&](Value v) { return isOfNest(v); }))
      return false;
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return branch.getNumResults() == 1 && !branch.getElseRegion().empty() &&
             llvm::all_of(branch->getRegions(), [&](Region &region) {
               return llvm::all_of(region.front().without_terminator(),
                                   [&](Operation &inner) { return isScalar(&inner); });
             });
    if (isa<tensor::ExtractOp, ir::SymbolValueOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
      return true;
    return OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1 &&
           !isa<TensorType>(op->getResult(0).getType());
  }

  bool isScalarLoop(scf::ForOp loop) {
    return llvm::all_of(loop.getResultTypes(), [](Type t) { return t.isIntOrIndexOrFloat(); }) &&
           llvm::all_of(loop.getBody()->without_terminator(), [&](Operation &op) {
             auto inner = dyn_cast<scf::ForOp>(op);
             return inner ? isScalarLoop(inner) : isScalar(&op);
           });
  }

  /// Each iteration stores the element at its own place, and there is one for each element.
  bool matchPlaces() {
    auto type = cast<RankedTensorType>(nest.insert.getDest().getType());
    ArrayRef<Expr> shape = ir::shapeOf(type);
    if (size_t(type.getRank()) != nest.loops.size())
      return false;
    llvm::SmallBitVector seen(nest.loops.size());
    for (auto [axis, index] : llvm::enumerate(nest.insert.getIndices())) {
      auto it = llvm::find_if(nest.loops,
                              [&](scf::ForOp loop) { return loop.getInductionVar() == index; });
      if (it == nest.loops.end() || !shape[axis] || !isExtent(it->getUpperBound(), shape[axis]))
        return false;
      auto number = unsigned(it - nest.loops.begin());
      seen.set(number);
      nest.loopOfDim.push_back(number);
    }
    return seen.all();
  }

  scf::ForOp outer;
  LoopNest nest;
  llvm::DenseSet<Value> carried;
};

/// The dimensions of the tensor at whose places `extract` reads, as a map; null if it reads
/// elsewhere.
AffineMap mapOf(tensor::ExtractOp extract, const LoopNest &nest) {
  MLIRContext *context = extract.getContext();
  SmallVector<AffineExpr> exprs;
  for (Value index : extract.getIndices()) {
    auto it = llvm::find_if(nest.loopOfDim, [&](unsigned loop) {
      scf::ForOp op = nest.loops[loop];
      return op.getInductionVar() == index;
    });
    if (it == nest.loopOfDim.end())
      return {};
    exprs.push_back(getAffineDimExpr(unsigned(it - nest.loopOfDim.begin()), context));
  }
  AffineMap map = AffineMap::get(unsigned(nest.loopOfDim.size()), 0, exprs, context);
  return map.isProjectedPermutation() ? map : AffineMap();
}

} // namespace

LoopNestKind classifyLoops(scf::ForOp loop) {
  std::optional<LoopNest> nest = NestMatcher(loop).run();
  if (!nest)
    return LoopNestKind::Other;
  return nest->reduces ? LoopNestKind::Reduction : LoopNestKind::Parallel;
}

linalg::GenericOp raiseLoops(scf::ForOp loop) {
  std::optional<LoopNest> nest = NestMatcher(loop).run();
  if (!nest || nest->reduces)
    return {};
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  auto type = cast<RankedTensorType>(loop.getResult(0).getType());
  auto rank = unsigned(type.getRank());
  SmallVector<Value> sizes;
  for (auto [axis, dim] : llvm::enumerate(ir::shapeOf(type)))
    if (type.isDynamicDim(unsigned(axis)))
      sizes.push_back(ir::SymbolValueOp::create(b, loc, dim));
  Value empty = tensor::EmptyOp::create(b, loc, type, sizes);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::DenseMap<Operation *, unsigned> operandOf;
  for (Operation *op : nest->scalars)
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      if (AffineMap map = mapOf(extract, *nest)) {
        operandOf[op] = unsigned(inputs.size());
        inputs.push_back(extract.getTensor());
        maps.push_back(map);
      }
  maps.push_back(AffineMap::getMultiDimIdentityMap(rank, b.getContext()));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange{type}, inputs, ValueRange{empty}, maps, iterators,
      [&](OpBuilder &body, Location at, ValueRange arguments) {
        IRMapping mapping;
        for (auto [axis, number] : llvm::enumerate(nest->loopOfDim))
          mapping.map(nest->loops[number].getInductionVar(),
                      linalg::IndexOp::create(body, at, int64_t(axis)));
        for (Operation *op : nest->scalars) {
          if (auto it = operandOf.find(op); it != operandOf.end())
            mapping.map(op->getResult(0), arguments[it->second]);
          else
            body.clone(*op, mapping);
        }
        linalg::YieldOp::create(body, at, mapping.lookupOrDefault(nest->insert.getScalar()));
      });
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*generic.getBlock())))
    if (isOpTriviallyDead(&op))
      op.erase();
  loop.replaceAllUsesWith(generic.getResults());
  loop.erase();
  return generic;
}

} // namespace relax::transforms
