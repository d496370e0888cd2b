// The units of a program of loops.
//
// Before:  scf.forall (%i, %j) in (%n, 4) { body }
//
// After:   scf.for %unit = %begin to %end { %i = %unit / 4; %j = %unit mod 4; body }
//
// Only where the loop is the only thing that writes to memory: whatever stands before it runs in
// every call of the kernel, beside other calls. Everything else is one unit, `if (begin < end)`,
// and its scf.foralls are plain loops.

#include "compiler/kernels/EmitUtils.h"
#include "compiler/kernels/loops/LoopPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {

SmallVector<Expr> forallExtents(func::FuncOp program) {
  auto loops = llvm::to_vector(program.getBody().front().getOps<scf::ForallOp>());
  if (loops.size() != 1)
    return {};
  MLIRContext *context = program.getContext();
  SmallVector<Expr> extents;
  for (auto [lower, upper, step] : llvm::zip_equal(
           loops[0].getMixedLowerBound(), loops[0].getMixedUpperBound(), loops[0].getMixedStep())) {
    Expr extent = nonNegativeExpr(upper, context);
    if (!extent || getConstantIntValue(lower) != 0 || getConstantIntValue(step) != 1)
      return {};
    extents.push_back(extent);
  }
  return extents;
}

/// Does `op` do anything but compute values and read?
static bool writes(Operation *op) {
  if (isMemoryEffectFree(op) || isa<memref::AllocaOp>(op))
    return false;
  auto effects = getEffectsRecursively(op);
  return !effects || llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
    return !isa<MemoryEffects::Read>(effect.getEffect());
  });
}

static void splitForall(KernelContext &context, scf::ForallOp forall, ArrayRef<Expr> extents) {
  OpBuilder b(forall);
  Location loc = forall.getLoc();
  std::map<std::string, Value> symbols;
  for (const std::string &name : context.symbols)
    symbols[name] = context.symbol(name);
  SmallVector<Value> sizes;
  for (Expr extent : extents)
    sizes.push_back(emitExpr(b, loc, extent, symbols));
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop = scf::ForOp::create(b, loc, context.begin(), context.end(), one);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> position(extents.size());
  Value rest = loop.getInductionVar();
  for (size_t i = extents.size(); i-- > 1;) {
    position[i] = arith::RemUIOp::create(b, loc, rest, sizes[i]);
    rest = arith::DivUIOp::create(b, loc, rest, sizes[i]);
  }
  position[0] = rest;
  forall.getBody()->getTerminator()->erase();
  IRRewriter rewriter(b);
  rewriter.inlineBlockBefore(forall.getBody(), loop.getBody()->getTerminator(), position);
  forall.erase();
}

bool makeUnits(KernelContext &context, ArrayRef<Expr> extents) {
  func::FuncOp kernel = context.kernel;
  SmallVector<Operation *> body, writers;
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (!isa<memref::AllocaOp>(op))
      body.push_back(&op);
  llvm::copy_if(body, std::back_inserter(writers), writes);
  scf::ForallOp outer;
  if (!extents.empty() && writers.size() == 1)
    outer = dyn_cast<scf::ForallOp>(writers.front());
  if (outer && outer.getRank() != int64_t(extents.size()))
    outer = {};
  SmallVector<scf::ForallOp> inner;
  kernel.walk([&](scf::ForallOp forall) {
    if (forall != outer)
      inner.push_back(forall);
  });
  IRRewriter rewriter(kernel.getContext());
  for (scf::ForallOp forall : inner) {
    rewriter.setInsertionPoint(forall);
    (void)scf::forallToForLoop(rewriter, forall);
  }
  if (outer) {
    splitForall(context, outer, extents);
    return true;
  }
  Operation *terminator = kernel.getBody().front().getTerminator();
  OpBuilder b(terminator);
  Location loc = kernel.getLoc();
  Value any =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, context.begin(), context.end());
  auto condition = scf::IfOp::create(b, loc, any, /*withElseRegion=*/false);
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front())) {
    if (&op == any.getDefiningOp())
      break;
    if (!isa<memref::AllocaOp>(op))
      op.moveBefore(condition.thenBlock()->getTerminator());
  }
  return false;
}

} // namespace relax::kernels
