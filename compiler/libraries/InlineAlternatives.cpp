// Calls the one kernel of an alternative directly.
//
// Before:  %y = relax.call_library "f"(%x, %w) {otherwise = @alternative, …} : …
//          func.func private @alternative(%x: […s0…], %w) {
//            %y = relax.call_kernel @matmul(%x, %w) {symbols = [#relax.expr<s0>]} return %y }
//
// After:   %y = relax.call_library "f"(%x, %w)
//                   {otherwise = @matmul, otherwise_symbols = [#relax.expr<t>], …} : …
//
// Most alternatives are one kernel when everything that fuses has been fused. The branch then is
// between a call of the library and a call of the kernel, and nothing of the caller's plan is
// different. Alternatives of several kernels stay functions. Test:
// tests/ir/libraries/inline-alternatives.mlir

#include "compiler/dialect/Relax.h"
#include "compiler/libraries/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace relax::libraries {
namespace {

/// The call that is all that a function does, with its parameters in order; null for others.
ir::CallKernelOp onlyCall(func::FuncOp function) {
  if (!llvm::hasSingleElement(function.getBody()) ||
      function->hasAttr(ir::RelaxDialect::kernelAttr))
    return {};
  Block &body = function.getBody().front();
  if (body.getOperations().size() != 2)
    return {};
  auto call = dyn_cast<ir::CallKernelOp>(body.front());
  if (!call || call.getDonates() || !llvm::equal(call.getInputs(), body.getArguments()) ||
      !llvm::equal(body.getTerminator()->getOperands(), call->getResults()))
    return {};
  return call;
}

struct InlineAlternatives : PassWrapper<InlineAlternatives, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InlineAlternatives)
  StringRef getArgument() const override { return "relax-inline-alternatives"; }
  StringRef getDescription() const override {
    return "Call the one kernel of a library call's alternative directly";
  }
  void runOnOperation() override {
    SymbolTable table(getOperation());
    llvm::SmallPtrSet<Operation *, 8> inlined;
    getOperation().walk([&](ir::CallLibraryOp call) {
      auto function =
          call.getOtherwise() ? table.lookup<func::FuncOp>(*call.getOtherwise()) : func::FuncOp();
      ir::CallKernelOp kernel =
          function && !function.isDeclaration() ? onlyCall(function) : ir::CallKernelOp();
      if (kernel && inlineKernel(call, function, kernel))
        inlined.insert(function);
    });
    for (Operation *function : inlined)
      if (SymbolTable::symbolKnownUseEmpty(function, getOperation()))
        function->erase();
  }

private:
  static bool inlineKernel(ir::CallLibraryOp call, func::FuncOp function, ir::CallKernelOp kernel) {
    ir::Bindings bindings;
    SmallVector<ir::DeferredDim> deferred;
    std::string message;
    for (auto [formal, input] : llvm::zip_equal(function.getArgumentTypes(), call.getInputs()))
      if (failed(ir::unifyTypes(formal, input.getType(), bindings, deferred, message)))
        return false;
    SmallVector<Attribute> symbols;
    for (Attribute symbol : kernel.getSymbols()) {
      std::set<std::string> names;
      ir::collectSymbols(symbol, names);
      for (const std::string &name : names)
        if (auto it = bindings.find(name); it == bindings.end() || !it->second)
          return false;
      symbols.push_back(ir::substitute(symbol, bindings));
    }
    call.setOtherwiseAttr(kernel.getCalleeAttr());
    call.setOtherwiseSymbolsAttr(ArrayAttr::get(call.getContext(), symbols));
    return true;
  }
};

} // namespace

std::unique_ptr<Pass> createInlineAlternativesPass() {
  return std::make_unique<InlineAlternatives>();
}

} // namespace relax::libraries
