// The strategy loops: a program that says itself in which order it computes (see LoopPrograms.h).

#include "compiler/dialect/Relax.h"
#include "compiler/kernels/Schedules.h"
#include "compiler/kernels/loops/LoopPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

bool isAllowed(Operation *op) {
  if (isa<ir::SymbolValueOp, func::ReturnOp>(op))
    return true;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.hasPureTensorSemantics();
  if (isa<tensor::ExtractOp, tensor::InsertOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
          tensor::ParallelInsertSliceOp, tensor::EmptyOp, tensor::DimOp, tensor::CastOp,
          tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::FromElementsOp, tensor::SplatOp>(
          op))
    return true;
  return isa<arith::ArithDialect, math::MathDialect, scf::SCFDialect, linalg::LinalgDialect>(
      op->getDialect());
}

class LoopsStrategy : public KernelStrategy {
public:
  StringRef name() const override { return "loops"; }

  bool matches(func::FuncOp program) const override {
    return !program
                .walk([&](Operation *op) {
                  return op == program || (op->getDialect() && isAllowed(op))
                             ? WalkResult::advance()
                             : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  FailureOr<Schedule> build(KernelContext &context) const override {
    symbolic::Context &symbols = ir::symbolicContext(context.b.getContext());
    SmallVector<Expr> extents = forallExtents(context.program);
    Expr cost = loopCost(context.program);
    if (failed(bufferizeProgram(context)))
      return failure();
    bool parallel = makeUnits(context, extents);
    Expr units = symbols.constant(1);
    if (parallel)
      for (Expr extent : extents)
        units = units * extent;
    FailureOr<Workspace> workspace = findWorkspace(context, parallel ? units : Expr());
    if (failed(workspace) || failed(placeWorkspace(context, *workspace)))
      return failure();
    return Schedule{units, cost};
  }
};

} // namespace

const KernelStrategy &loopsStrategy() {
  static const LoopsStrategy strategy;
  return strategy;
}

} // namespace relax::kernels
