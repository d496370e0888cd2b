#include "compiler/transforms/RowForm.h"

#include "compiler/dialect/Relax.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::transforms {

Operation *combinerOf(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return nullptr;
  BlockArgument accumulator = op.getBlock()->getArguments().back();
  Operation *combiner = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner || !accumulator.hasOneUse() || *accumulator.user_begin() != combiner)
    return nullptr;
  return isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::AddIOp, arith::MulIOp, arith::MaxSIOp, arith::MinSIOp,
             arith::MaxUIOp, arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(combiner)
             ? combiner
             : nullptr;
}

bool isCostly(linalg::LinalgOp op) {
  return llvm::any_of(*op.getBlock(), [](Operation &inner) {
    return isa<math::MathDialect>(inner.getDialect()) &&
           !isa<math::AbsFOp, math::FmaOp, math::SqrtOp, math::FloorOp, math::CeilOp>(inner);
  });
}

RowForm::RowForm(func::FuncOp program) : program(program) {
  program.walk([&](linalg::LinalgOp op) {
    if (op.getNumReductionLoops() == 0)
      return;
    reductions.push_back(op);
    dependent.insert(op->getResults().begin(), op->getResults().end());
    rank = op.getNumLoops();
  });
  for (Operation &op : program.getBody().front().without_terminator())
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (dependent.contains(operand))
          dependent.insert(op.getResults().begin(), op.getResults().end());
    });
}

bool RowForm::holds() { return holds(program.getBody().front().getTerminator()->getOperands()); }

bool RowForm::holds(ValueRange roots) {
  if (reductions.empty())
    return false;
  for (linalg::LinalgOp op : reductions)
    if (op->getBlock() != &program.getBody().front() || op.getNumLoops() != rank ||
        !isRowReduction(op))
      return false;
  ArrayRef<Expr> rows;
  for (auto [i, root] : llvm::enumerate(roots)) {
    auto type = dyn_cast<RankedTensorType>(root.getType());
    if (!type || llvm::is_contained(ir::shapeOf(type), Expr()))
      return false;
    ArrayRef<Expr> shape = ir::shapeOf(type);
    bool rowResult = shape.size() + 1 == rank;
    if (!rowResult && shape.size() != rank)
      return false;
    if (i == 0)
      rows = shape.take_front(rank - 1);
    if (shape.take_front(rank - 1) != rows || !visit(root, rowResult))
      return false;
  }
  return true;
}

bool RowForm::isRowReduction(linalg::LinalgOp op) const {
  MLIRContext *context = op.getContext();
  AffineMap rows = AffineMap::getMultiDimIdentityMap(rank, context).getMajorSubMap(rank - 1);
  return op.getNumReductionLoops() == 1 && op.getNumDpsInits() == 1 &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)) == rows && combinerOf(op) &&
         !dependent.contains(op.getDpsInitOperand(0)->get()) &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return isContiguous(op.getMatchingIndexingMap(input));
         });
}

/// Does an operand of this map step through memory as the row does, or stay? (Otherwise lanes
/// along another dimension are better.)
bool RowForm::isContiguous(AffineMap map) const {
  for (AffineExpr expr : map.getResults().drop_back(map.getNumResults() > 0))
    if (expr.isFunctionOfDim(rank - 1))
      return false;
  return true;
}

/// Does an element of a full tensor come from the row that is being computed, wherever it is there?
bool RowForm::readsOwnRow(tensor::ExtractOp extract) const {
  OperandRange indices = extract.getIndices();
  return indices.size() == rank &&
         llvm::all_of(llvm::enumerate(indices.drop_back()), [](auto each) {
           auto index = each.value().template getDefiningOp<linalg::IndexOp>();
           return index && index.getDim() == each.index();
         });
}

bool RowForm::visit(Value v, bool row) {
  if (!dependent.contains(v) || !visited.insert(v).second)
    return true;
  auto op = v.getDefiningOp<linalg::LinalgOp>();
  if (!op)
    return false;
  if (row)
    rowTensors.insert(v);
  bool elsewhere = false;
  op->walk([&](tensor::ExtractOp extract) {
    if (dependent.contains(extract.getTensor()))
      elsewhere |= row || !readsOwnRow(extract) || !visit(extract.getTensor(), /*row=*/false);
  });
  if (elsewhere)
    return false;
  unsigned loops = op.getNumLoops();
  AffineMap full = AffineMap::getMultiDimIdentityMap(loops, op.getContext());
  bool reduction = op.getNumReductionLoops() > 0;
  if (reduction ? !row : (loops != (row ? rank - 1 : rank)))
    return false;
  if (!reduction &&
      op.getMatchingIndexingMap(op.getDpsInitOperand(cast<OpResult>(v).getResultNumber())) != full)
    return false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!dependent.contains(input->get()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(input);
    bool inputRow = loops == rank ? map == full.getMajorSubMap(rank - 1) : true;
    if (!inputRow && map != full)
      return false;
    if (loops + 1 == rank && map != full)
      return false;
    if (!visit(input->get(), inputRow))
      return false;
  }
  return llvm::none_of(op.getDpsInits(), [&](Value init) { return dependent.contains(init); });
}

} // namespace relax::transforms
