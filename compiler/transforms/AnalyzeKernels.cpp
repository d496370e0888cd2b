// Marks each tensor program with what it computes and moves.
//
// Before:  func.func private @add_relu(%x: tensor<?x4xf32, #relax.shape<[s0, 4]>>, …) …
//
// After:   the same with relax.flops = #relax.expr<8 * s0>, relax.bytes = #relax.expr<48 * s0>,
//          relax.read_once = array<i64: 0, 1>
//
// ProgramCost.h says what is counted. After fusion and deduplication: few programs are left. The
// attributes stay on the scheduled kernels, where `relax inspect` and the profiler find them. Test:
// tests/ir/transforms/analyze-kernels.mlir

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ProgramCost.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace relax::transforms {
namespace {

struct AnalyzeKernels : PassWrapper<AnalyzeKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AnalyzeKernels)
  StringRef getArgument() const override { return "relax-analyze-kernels"; }
  StringRef getDescription() const override {
    return "Mark each tensor program with what it computes and moves";
  }
  void runOnOperation() override {
    Builder b(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(ir::RelaxDialect::kernelAttr))
        continue;
      ProgramCost cost = costOf(function);
      if (cost.flops)
        function->setAttr("relax.flops", ir::ExprAttr::get(&getContext(), cost.flops));
      if (cost.bytes)
        function->setAttr("relax.bytes", ir::ExprAttr::get(&getContext(), cost.bytes));
      if (!cost.readOnce.empty())
        function->setAttr("relax.read_once", b.getDenseI64ArrayAttr(cost.readOnce));
    }
  }
};

} // namespace

std::unique_ptr<Pass> createAnalyzeKernelsPass() { return std::make_unique<AnalyzeKernels>(); }

} // namespace relax::transforms
