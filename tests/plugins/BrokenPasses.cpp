// Passes that are wrong on purpose, for the tests of `relax bisect` and `relax verify`:
//
//   test-swap-subtract    relax.subtract %a, %b becomes relax.subtract %b, %a, one rewrite each
//   test-break-kernel     in scheduled kernels, arith.mulf becomes arith.addf
//   test-break-plan       puts all temporary tensors of a function where the first of them is
//   test-crash            ends the process where it finds a relax.tanh
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#include <cstdlib>

using namespace mlir;

namespace {

struct SwapSubtract : RewritePattern {
  explicit SwapSubtract(MLIRContext *context) : RewritePattern("relax.subtract", 1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    rewriter.modifyOpInPlace(op, [&] {
      Value first = op->getOperand(0);
      op->setOperand(0, op->getOperand(1));
      op->setOperand(1, first);
    });
    return success();
  }
};

struct SwapSubtractPass : PassWrapper<SwapSubtractPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SwapSubtractPass)
  StringRef getArgument() const override { return "test-swap-subtract"; }
  StringRef getDescription() const override { return "Swap the operands of subtractions"; }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SwapSubtract>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

struct BreakKernelPass : PassWrapper<BreakKernelPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakKernelPass)
  StringRef getArgument() const override { return "test-break-kernel"; }
  StringRef getDescription() const override { return "Add instead of multiplying in kernels"; }
  void runOnOperation() override {
    SmallVector<arith::MulFOp> products;
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr("relax.scheduled_kernel"))
        kernel.walk([&](arith::MulFOp op) { products.push_back(op); });
    for (arith::MulFOp op : products) {
      OpBuilder b(op);
      op.replaceAllUsesWith(
          arith::AddFOp::create(b, op.getLoc(), op.getLhs(), op.getRhs()).getResult());
      op.erase();
    }
  }
};

struct BreakPlanPass : PassWrapper<BreakPlanPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakPlanPass)
  StringRef getArgument() const override { return "test-break-plan"; }
  StringRef getDescription() const override { return "Give all temporary tensors one place"; }
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      Attribute first;
      function.walk([&](Operation *op) {
        auto storage = op->getAttrOfType<ArrayAttr>("storage");
        if (!storage)
          return;
        SmallVector<Attribute> places;
        for (Attribute place : storage) {
          std::string text;
          llvm::raw_string_ostream(text) << place;
          const bool inArena = StringRef(text).starts_with("#relax.storage<arena");
          if (inArena && !first)
            first = place;
          places.push_back(inArena ? first : place);
        }
        op->setAttr("storage", ArrayAttr::get(&getContext(), places));
      });
    }
  }
};

struct CrashPass : PassWrapper<CrashPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CrashPass)
  StringRef getArgument() const override { return "test-crash"; }
  StringRef getDescription() const override { return "End the process at a relax.tanh"; }
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (op->getName().getStringRef() == "relax.tanh")
        std::abort();
    });
  }
};

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "relax-test-passes", "1", [] {
            PassRegistration<SwapSubtractPass>();
            PassRegistration<BreakKernelPass>();
            PassRegistration<BreakPlanPass>();
            PassRegistration<CrashPass>();
          }};
}
