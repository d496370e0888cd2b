// Keeps one of each set of equal kernels.
//
// Before:  call_kernel @add_0(…), call_kernel @add_1(…); @add_0 and @add_1 have the same text
// After:   call_kernel @add_0(…), call_kernel @add_0(…); @add_1 is gone
//
// Kernels name their symbols s0, s1, … in order of first appearance, so equal programs have equal
// texts: a model of thirty layers has the kernels of one. What is left is renamed: the numbers that
// told the copies apart go, and equal names count up from 1. Linear in the size of the module.
// Test: tests/ir/transforms/deduplicate-kernels.mlir

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/Application.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

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

/// The name without the numbers that made it unique: "add_12_relu_3" is "add_relu".
std::string baseName(StringRef name) {
  SmallVector<StringRef> parts;
  name.split(parts, '_');
  std::string base;
  for (StringRef part : parts) {
    if (!part.empty() && llvm::all_of(part, llvm::isDigit) && !base.empty())
      continue;
    base += (base.empty() ? "" : "_") + part.str();
  }
  return base;
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
      if (inserted ||
          !mayApply(function, "@" + function.getName() + " is @" + it->second.getValue()))
        continue;
      replacement[function.getSymNameAttr()] = it->second;
      duplicates.push_back(function);
    }
    for (func::FuncOp function : duplicates)
      function.erase();
    llvm::DenseMap<StringAttr, StringAttr> newNames = renameKernels();
    getOperation().walk([&](ir::CallKernelOp call) {
      StringAttr name = call.getCalleeAttr().getAttr();
      if (auto it = replacement.find(name); it != replacement.end())
        name = it->second;
      if (auto it = newNames.find(name); it != newNames.end())
        name = it->second;
      if (name != call.getCalleeAttr().getAttr())
        call.setCalleeAttr(FlatSymbolRefAttr::get(name));
    });
  }

  /// Gives every kernel its base name, with a number from 1 up from the second on.
  llvm::DenseMap<StringAttr, StringAttr> renameKernels() {
    llvm::DenseMap<StringAttr, StringAttr> newNames;
    llvm::StringSet<> taken;
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(ir::RelaxDialect::kernelAttr))
        kernels.push_back(function);
      else
        taken.insert(function.getName());
    }
    for (func::FuncOp kernel : kernels) {
      std::string base = baseName(kernel.getName()), name = base;
      for (int64_t i = 1; !taken.insert(name).second; ++i)
        name = base + "_" + std::to_string(i);
      StringAttr attribute = StringAttr::get(&getContext(), name);
      newNames[kernel.getSymNameAttr()] = attribute;
      kernel.setSymNameAttr(attribute);
    }
    return newNames;
  }
};

} // namespace

std::unique_ptr<Pass> createDeduplicateKernelsPass() {
  return std::make_unique<DeduplicateKernels>();
}

} // namespace relax::transforms
