// Keeps one of each set of equal kernels.
//
// Before:  call_kernel @add_0(…), call_kernel @add_1(…); @add_0 and @add_1 have the same text
// After:   call_kernel @add_0(…), call_kernel @add_0(…); @add_1 is gone
//
// Kernels name their symbols s0, s1, … in order of first appearance, so equal programs have equal
// texts: a model of thirty layers has the kernels of one. Linear in the size of the module. Test:
// tests/ir/transforms/deduplicate-kernels.mlir

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace relax::transforms {
namespace {

/// The function's text without its name and where it came from.
std::string textWithoutName(func::FuncOp function) {
  StringAttr name = function.getSymNameAttr();
  function.setSymName("k");
  std::string text;
  llvm::raw_string_ostream stream(text);
  function.print(stream, OpPrintingFlags().useLocalScope());
  function.setSymNameAttr(name);
  return text;
}

struct DeduplicateKernels : PassWrapper<DeduplicateKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DeduplicateKernels)
  StringRef getArgument() const override { return "relax-deduplicate-kernels"; }
  StringRef getDescription() const override { return "Keep one of each set of equal kernels"; }

  void runOnOperation() override {
    llvm::StringMap<StringAttr> first;
    llvm::DenseMap<StringAttr, StringAttr> replacement;
    SmallVector<func::FuncOp> duplicates;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(ir::RelaxDialect::kernelAttr))
        continue;
      auto [it, inserted] = first.try_emplace(textWithoutName(function), function.getSymNameAttr());
      if (inserted)
        continue;
      replacement[function.getSymNameAttr()] = it->second;
      duplicates.push_back(function);
    }
    if (duplicates.empty())
      return;
    getOperation().walk([&](ir::CallKernelOp call) {
      auto it = replacement.find(call.getCalleeAttr().getAttr());
      if (it != replacement.end())
        call.setCalleeAttr(FlatSymbolRefAttr::get(it->second));
    });
    for (func::FuncOp function : duplicates)
      function.erase();
  }
};

} // namespace

std::unique_ptr<Pass> createDeduplicateKernelsPass() {
  return std::make_unique<DeduplicateKernels>();
}

} // namespace relax::transforms
