// Puts each scheduled kernel into a module of its own, with what it uses, so that code for several
// is generated at once, and independently of which others there are.
//
// Before:  module { func @a {scheduled} { call @a.part } func @a.part func @b {scheduled} }
//
// After:   module { module { func @a { call @a.part } func @a.part }  module { func @b } }

#include "compiler/targets/cpu/CompileKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace relax::targets {
namespace {

/// Copies what `user` names, and what that names, to the end of `part`.
void copyUsed(Operation *user, SymbolTable &from, ModuleOp part,
              llvm::DenseSet<StringAttr> &copied) {
  SmallVector<Operation *> users = {user};
  while (!users.empty()) {
    std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(users.pop_back_val());
    if (!uses)
      continue;
    for (const SymbolTable::SymbolUse &use : *uses) {
      StringAttr name = use.getSymbolRef().getRootReference();
      Operation *used = from.lookup(name);
      if (!used || !copied.insert(name).second)
        continue;
      Operation *copy = used->clone();
      part.getBody()->push_back(copy);
      users.push_back(used);
    }
  }
}

} // namespace

void splitKernels(ModuleOp module) {
  SymbolTable table(module);
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr("relax.scheduled_kernel"))
      kernels.push_back(function);
  SmallVector<Operation *> others;
  for (Operation &op : *module.getBody())
    if (!op.hasAttr("relax.scheduled_kernel"))
      others.push_back(&op);
  for (func::FuncOp kernel : kernels) {
    auto part = ModuleOp::create(kernel.getLoc());
    module.push_back(part);
    llvm::DenseSet<StringAttr> copied;
    copyUsed(kernel, table, part, copied);
    kernel->moveBefore(part.getBody(), part.getBody()->end());
  }
  for (Operation *op : others)
    op->erase();
}

} // namespace relax::targets
