#include "compiler/transforms/KernelKind.h"

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/LoopNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <array>

using namespace mlir;

namespace relax::transforms {

static constexpr std::array<llvm::StringLiteral, 6> kindNames = {
    "elementwise", "broadcast", "injective", "reduction", "output-fusible", "opaque"};

StringRef kindName(KernelKind kind) { return kindNames[static_cast<size_t>(kind)]; }

std::optional<KernelKind> parseKind(StringRef name) {
  for (size_t i = 0; i < kindNames.size(); ++i)
    if (kindNames[i] == name)
      return static_cast<KernelKind>(i);
  return std::nullopt;
}

/// Is the body `accumulator + a * b`, conversions aside?
static bool isSumOfProducts(linalg::LinalgOp op) {
  Operation *yield = op.getBlock()->getTerminator();
  if (yield->getNumOperands() != 1)
    return false;
  Operation *sum = yield->getOperand(0).getDefiningOp();
  if (isa_and_nonnull<math::FmaOp>(sum))
    return true;
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum))
    return false;
  return llvm::any_of(sum->getOperands(), [](Value operand) {
    Operation *product = operand.getDefiningOp();
    while (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp>(product))
      product = product->getOperand(0).getDefiningOp();
    return isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product);
  });
}

/// A contraction has at least two operands that each lack some parallel dimension, or one factor
/// that is computed in the body from elsewhere.
static KernelKind classifyReduction(linalg::LinalgOp op) {
  if (!isSumOfProducts(op) || op.getNumDpsInputs() < 2)
    return KernelKind::Reduction;
  unsigned partial = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
      if (iterator == utils::IteratorType::parallel && !map.isFunctionOfDim(dim)) {
        ++partial;
        break;
      }
  }
  return partial >= 2 ? KernelKind::OutputFusible : KernelKind::Reduction;
}

static KernelKind classifyParallel(linalg::LinalgOp op) {
  bool gathers =
      op->walk([](tensor::ExtractOp) { return WalkResult::interrupt(); }).wasInterrupted();
  KernelKind kind = gathers ? KernelKind::Injective : KernelKind::Elementwise;
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!out.isPermutation())
    return KernelKind::Opaque;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map == out)
      continue;
    // With the result's dimensions in order, an operand without some of them is broadcast.
    if (out.isIdentity() && map.isProjectedPermutation(/*allowZeroInResults=*/true) &&
        llvm::is_sorted(map.getResults(), [](AffineExpr a, AffineExpr b) {
          auto x = dyn_cast<AffineDimExpr>(a), y = dyn_cast<AffineDimExpr>(b);
          return x && y && x.getPosition() < y.getPosition();
        }))
      kind = std::max(kind, KernelKind::Broadcast);
    else if (map.isProjectedPermutation(/*allowZeroInResults=*/true))
      kind = std::max(kind, KernelKind::Injective);
    else
      return KernelKind::Opaque;
  }
  return kind;
}

static KernelKind classifyOp(Operation &op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (isa<linalg::FillOp>(op))
      return KernelKind::Elementwise;
    if (!linalgOp.hasPureTensorSemantics())
      return KernelKind::Opaque;
    return linalgOp.getNumParallelLoops() == linalgOp.getNumLoops() ? classifyParallel(linalgOp)
                                                                    : classifyReduction(linalgOp);
  }
  if (ir::isContraction(&op))
    return KernelKind::OutputFusible;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return classifyLoops(loop) == LoopNestKind::Reduction ? KernelKind::Reduction
                                                          : KernelKind::Opaque;
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp>(op))
    return KernelKind::Injective;
  if (isa<tensor::EmptyOp, tensor::DimOp, tensor::CastOp, ir::SymbolValueOp, func::ReturnOp>(op) ||
      isa<arith::ArithDialect, math::MathDialect>(op.getDialect()))
    return KernelKind::Elementwise;
  return KernelKind::Opaque;
}

KernelKind classify(func::FuncOp program) {
  if (program.isDeclaration() || !program.getBody().hasOneBlock())
    return KernelKind::Opaque;
  // Loops that compute each element on its own are what they are as structured ops.
  if (auto loops = program.getBody().front().getOps<scf::ForOp>(); llvm::any_of(
          loops, [](scf::ForOp loop) { return classifyLoops(loop) == LoopNestKind::Parallel; })) {
    func::FuncOp raised = program.clone();
    for (auto loop : llvm::make_early_inc_range(raised.getBody().front().getOps<scf::ForOp>()))
      raiseLoops(loop);
    KernelKind kind = classify(raised);
    raised.erase();
    return kind;
  }
  KernelKind kind = KernelKind::Elementwise;
  int contractions = 0;
  for (Operation &op : program.getBody().front()) {
    KernelKind part = classifyOp(op);
    contractions += part == KernelKind::OutputFusible;
    kind = std::max(kind, part);
  }
  // Two contractions in one program have no single result to fuse onto.
  return contractions > 1 ? KernelKind::Opaque : kind;
}

bool readsElementwise(func::FuncOp program, unsigned index) {
  BlockArgument argument = program.getArgument(index);
  for (OpOperand &use : argument.getUses()) {
    auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!op || !op.isDpsInput(&use) || op.getNumParallelLoops() != op.getNumLoops() ||
        !op.getMatchingIndexingMap(&use).isIdentity() ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
      return false;
  }
  return true;
}

} // namespace relax::transforms
