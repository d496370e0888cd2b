#include "compiler/transforms/ProgramCost.h"

#include "compiler/dialect/BlockFormat.h"
#include "compiler/dialect/Relax.h"
#include "compiler/dialect/ops/AttentionOps.h"
#include "compiler/dialect/ops/LikeliestOps.h"
#include "compiler/transforms/ByteSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::transforms {
namespace {

int64_t flopsOf(Operation *op) {
  if (op->getNumResults() != 1 || !isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return 0;
  if (isa<math::FmaOp>(op))
    return 2;
  if (isa<math::MathDialect>(op->getDialect()))
    return 1;
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::RemFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(op);
}

ArrayRef<Expr> shapeOf(Value value) { return ir::shapeOf(cast<RankedTensorType>(value.getType())); }

class Counter {
public:
  explicit Counter(MLIRContext *context) : symbols(ir::symbolicContext(context)) {}

  /// The operations of one execution of `op` with everything in it; null: not known.
  Expr count(Operation *op) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      return countLinalg(linalgOp);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return times(tripCount(loop), countBlock(*loop.getBody()));
    if (ir::isStructuredKernelOp(op))
      return countStructured(op);
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      Expr larger = countBlock(*branch.thenBlock());
      if (!branch.getElseRegion().empty())
        if (Expr other = countBlock(*branch.elseBlock()); larger && other)
          larger = symbols.max(larger, other);
      return larger;
    }
    if (op->getNumRegions() > 0)
      return isa<scf::SCFDialect>(op->getDialect()) ? Expr() : symbols.constant(0);
    Expr flops = symbols.constant(flopsOf(op));
    auto type = op->getNumResults() == 1 ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                                         : RankedTensorType();
    return type ? times(elements(type), flops) : flops;
  }

  Expr countBlock(Block &block) {
    Expr sum = symbols.constant(0);
    for (Operation &op : block) {
      Expr part = count(&op);
      if (!part)
        return {};
      sum = sum + part;
    }
    return sum;
  }

  /// How often the body of `op` runs.
  Expr iterations(linalg::LinalgOp op) {
    SmallVector<Expr> extents(op.getNumLoops());
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type)
        continue;
      for (auto [i, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          if (Expr extent = ir::shapeOf(type)[i])
            extents[dim.getPosition()] = extent;
    }
    Expr product = symbols.constant(1);
    for (Expr extent : extents)
      product = times(product, extent);
    return product;
  }

  /// How often the body of `op` runs, which is done for those elements only that are looked up
  /// where nothing else needs its result.
  Expr executions(linalg::LinalgOp op) {
    Expr all = iterations(op);
    if (op.getNumParallelLoops() != op.getNumLoops() || op->getNumResults() != 1 || op->use_empty())
      return all;
    Expr lookedUp = symbols.constant(0);
    for (Operation *user : op->getUsers()) {
      auto reader = user->getParentOfType<linalg::LinalgOp>();
      Expr times = isa<tensor::ExtractOp>(user) && reader ? executions(reader) : Expr();
      if (!times)
        return all;
      lookedUp = lookedUp + times;
    }
    return all ? symbols.min(all, lookedUp) : lookedUp;
  }

  Expr elements(RankedTensorType type) {
    Expr product = symbols.constant(1);
    for (Expr dim : ir::shapeOf(type))
      product = times(product, dim);
    return product;
  }

  static Expr times(Expr a, Expr b) { return a && b ? a * b : Expr(); }

private:
  Expr countLinalg(linalg::LinalgOp op) {
    int64_t body = 0;
    op.getBlock()->walk([&](Operation *inner) { body += flopsOf(inner); });
    return body == 0 ? symbols.constant(0) : times(executions(op), symbols.constant(body));
  }

  Expr tripCount(scf::ForOp loop) {
    if (getConstantIntValue(loop.getLowerBound()) != 0 || getConstantIntValue(loop.getStep()) != 1)
      return {};
    Value upper = loop.getUpperBound();
    if (std::optional<int64_t> constant = getConstantIntValue(upper))
      return symbols.constant(std::max<int64_t>(*constant, 0));
    if (auto symbol = upper.getDefiningOp<ir::SymbolValueOp>())
      return symbol.getExpr().getExpr();
    if (auto dim = upper.getDefiningOp<tensor::DimOp>())
      if (auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
          type && dim.getConstantIndex())
        return ir::shapeOf(type)[*dim.getConstantIndex()];
    return {};
  }

  Expr countStructured(Operation *op) {
    if (auto product = dyn_cast<ir::QuantizedMatmulOp>(op))
      return times(elements(cast<RankedTensorType>(product.getType())),
                   shapeOf(product.getValues())[1] * shapeOf(product.getValues())[2] * 2);
    if (auto product = dyn_cast<ir::PackedMatmulOp>(op))
      return times(elements(cast<RankedTensorType>(product.getType())),
                   shapeOf(product.getX())[1] * 2);
    if (auto attention = dyn_cast<ir::AttentionOp>(op)) {
      ArrayRef<Expr> query = shapeOf(attention.getQuery());
      return query[0] * query[1] * query[2] * shapeOf(attention.getKey())[2] *
             (query[3] * 2 + shapeOf(attention.getValue())[3] * 2 + 4);
    }
    if (auto bounds = dyn_cast<ir::LikeliestBoundsOp>(op))
      return times(elements(cast<RankedTensorType>(bounds.getUpper().getType())),
                   shapeOf(bounds.getValues())[1] * shapeOf(bounds.getValues())[2] * 2);
    // As many slots as the page table has room for.
    if (auto attention = dyn_cast<ir::PagedAttentionOp>(op)) {
      ArrayRef<Expr> query = shapeOf(attention.getQ());
      Expr slots = shapeOf(attention.getPageTable())[1] * shapeOf(attention.getKPages())[3];
      return query[0] * query[1] * slots * (query[2] * 4 + 4);
    }
    if (auto quantize = dyn_cast<ir::QuantizeActivationsOp>(op))
      return times(elements(cast<RankedTensorType>(quantize.getX().getType())),
                   symbols.constant(3 * int64_t(quantize.getPlanes())));
    return symbols.constant(0);
  }

  symbolic::Context &symbols;
};

/// Is each element of the argument read by exactly one iteration of one op?
bool isReadOnce(BlockArgument argument) {
  if (!argument.hasOneUse())
    return false;
  OpOperand &use = *argument.use_begin();
  auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
  return op && op->getBlock() == argument.getOwner() &&
         op.getMatchingIndexingMap(&use).isPermutation();
}

/// The bytes of as many elements of `type`.
Expr bytesOf(Expr elements, RankedTensorType type) {
  return elements ? elements * int64_t((type.getElementTypeBitWidth() + 7) / 8) : Expr();
}

/// The bytes that `user` reads of an argument, if not all: of pages, those that a page table may
/// name; of what is written in place, nothing.
Expr bytesReadBy(Operation *user, BlockArgument argument, Counter &counter) {
  auto type = cast<RankedTensorType>(argument.getType());
  symbolic::Context &symbols = ir::symbolicContext(argument.getContext());
  if (auto update = dyn_cast<ir::UpdateSlotsOp>(user); update && update.getPages() == argument)
    return symbols.constant(0);
  // The high halves of weights. What is read beside them depends on the numbers, and is little.
  if (auto bounds = dyn_cast<ir::LikeliestBoundsOp>(user);
      bounds && bounds.getPacked() == argument) {
    Expr blocks = shapeOf(argument)[0] * shapeOf(bounds.getTerms())[2];
    return blocks * (ir::BlockFormat::packedRows * (2 + ir::BlockFormat::unitElements / 2));
  }
  if (isa<ir::LikeliestThresholdOp, ir::LikeliestMatmulOp>(user) &&
      user->getOperands().back() == argument)
    return symbols.constant(0);
  auto attention = dyn_cast<ir::PagedAttentionOp>(user);
  if (attention && (attention.getKPages() == argument || attention.getVPages() == argument)) {
    ArrayRef<Expr> page = shapeOf(argument).drop_front(), table = shapeOf(attention.getPageTable());
    return bytesOf(table[0] * table[1] * page[0] * page[1] * page[2], type);
  }
  auto op = user->getParentOfType<linalg::LinalgOp>();
  return isa<tensor::ExtractOp>(user) && op ? bytesOf(counter.executions(op), type) : Expr();
}

/// The bytes of an argument that a program reads: all, or as many elements as it looks up.
Expr bytesRead(BlockArgument argument, Counter &counter) {
  Expr all = byteSize(cast<RankedTensorType>(argument.getType()));
  Expr some = ir::symbolicContext(argument.getContext()).constant(0);
  for (Operation *user : argument.getUsers()) {
    Expr bytes = bytesReadBy(user, argument, counter);
    if (!bytes || !all)
      return all;
    some = some + bytes;
  }
  return all && !some.isConstant(0) ? all.getContext().min(all, some) : some;
}

/// The bytes of a result that are written: of pages, the slots of the new tokens.
Expr bytesWritten(Value result) {
  auto type = cast<RankedTensorType>(result.getType());
  auto update = result.getDefiningOp<ir::UpdateSlotsOp>();
  if (!update)
    return byteSize(type);
  ArrayRef<Expr> values = shapeOf(update.getValues());
  return bytesOf(values[0] * values[1] * values[2], type);
}

} // namespace

ProgramCost costOf(func::FuncOp program) {
  ProgramCost cost;
  if (program.isDeclaration() || !program.getBody().hasOneBlock())
    return cost;
  Counter counter(program.getContext());
  cost.flops = counter.countBlock(program.getBody().front());
  cost.bytes = ir::symbolicContext(program.getContext()).constant(0);
  auto add = [&](Expr bytes) { cost.bytes = cost.bytes && bytes ? cost.bytes + bytes : Expr(); };
  for (BlockArgument argument : program.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      return cost;
    add(bytesRead(argument, counter));
    if (isReadOnce(argument))
      cost.readOnce.push_back(argument.getArgNumber());
  }
  for (Value result : program.getBody().front().getTerminator()->getOperands())
    add(bytesWritten(result));
  return cost;
}

} // namespace relax::transforms
