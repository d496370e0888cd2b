//===- GraphRegion.h - some ops of a graph as a function of their own -------------------------===//
//
// A region is what lies between some values, its inputs, and an op, its root. As a function its
// symbols are s0, s1, …, one for each size of its parameters, so that equal regions share one.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace relax::transforms {

/// The ops between `inputs` and the one result of `root`, in the order of the block, `root` last.
/// Fails if something outside reads what they compute, or if they read something else.
mlir::FailureOr<mlir::SmallVector<mlir::Operation *>> regionOf(mlir::Operation *root,
                                                               mlir::ValueRange inputs);

class RegionOutliner {
public:
  /// `name` is what functions are called, with numbers behind it.
  RegionOutliner(mlir::ModuleOp module, std::string name)
      : module(module), table(module), name(std::move(name)) {}

  /// The private function that does what the region does; null where its types don't follow from
  /// the sizes of its inputs, or where it needs a check that they don't make.
  mlir::func::FuncOp outline(mlir::ArrayRef<mlir::Operation *> region, mlir::ValueRange inputs);

  /// Erases the functions that aren't used, and forgets all.
  void eraseUnused(llvm::function_ref<bool(llvm::StringRef)> isUsed);

private:
  mlir::LogicalResult fillBody(mlir::func::FuncOp function,
                               mlir::ArrayRef<mlir::Operation *> region, mlir::ValueRange inputs,
                               const ir::Bindings &sizes);

  mlir::ModuleOp module;
  mlir::SymbolTable table;
  std::string name;
  llvm::StringMap<mlir::func::FuncOp> functions; ///< By their text.
};

} // namespace relax::transforms
