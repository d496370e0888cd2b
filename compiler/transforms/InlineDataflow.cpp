// Dissolves dataflow blocks into the functions that hold them.
//
// Before:  %y = relax.dataflow -> tensor<4xf32> {
//            %a = relax.call_kernel @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
//            relax.yield %a : tensor<4xf32>
//          }
// After:   %y = relax.call_kernel @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
//
// A dataflow block promises purity to the passes that reorder and merge. Storage is planned for the
// function as one sequence, so the block goes before that. Test:
// tests/ir/transforms/inline-dataflow.mlir

#include "compiler/dialect/Ops.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace relax::transforms {
namespace {

struct InlineDataflow : PassWrapper<InlineDataflow, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InlineDataflow)
  StringRef getArgument() const override { return "relax-inline-dataflow"; }
  StringRef getDescription() const override {
    return "Dissolve dataflow blocks into the functions that hold them";
  }
  void runOnOperation() override {
    getOperation().walk<WalkOrder::PostOrder>([](ir::DataflowOp dataflow) {
      Block &body = dataflow.getBody().front();
      Operation *yield = body.getTerminator();
      dataflow->replaceAllUsesWith(yield->getOperands());
      yield->erase();
      dataflow->getBlock()->getOperations().splice(dataflow->getIterator(), body.getOperations());
      dataflow->erase();
    });
  }
};

} // namespace

std::unique_ptr<Pass> createInlineDataflowPass() { return std::make_unique<InlineDataflow>(); }

} // namespace relax::transforms
