//===- FunctionForm.h - which functions are planned, and which are general --------------------===//
//
// A *planned* function takes and gives tensors, runs straight on, and knows every size from its
// arguments: one arena serves it (PlanMemory.cpp), and it costs next to nothing to run. Everything
// else is *general*: its values live in registers of the virtual machine. The one place that
// decides; `relax-plan-memory` writes the answer down as the attribute `relax.general`.
//
// Planned functions hold calls of kernels, libraries and planned functions, views, annotations,
// constants, states and checks. A dimension of an argument may be unknown. What they return is what
// they compute, or a donated argument. Recursive functions are general.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <string>

namespace relax::transforms {

/// Whether it is a function of the graph level, with a body: no tensor program, no kernel.
bool isGraphFunction(mlir::func::FuncOp function);

/// The value that `value` is another view or annotation of: through reshapes, casts and erasures.
mlir::Value viewedValue(mlir::Value value);

/// The value that `value` is under another annotation: through match_cast and erase.
mlir::Value unannotatedValue(mlir::Value value);

/// Where a planned function finds a dimension of an argument.
struct ArgumentDim {
  unsigned argument, axis;
};
/// The symbols that arguments give a value to: those that are dimensions of their own, and those
/// that a match_cast of an argument names.
std::map<std::string, ArgumentDim> symbolsOfArguments(mlir::func::FuncOp function);

/// The graph functions of a module that are general.
class GeneralFunctions {
public:
  explicit GeneralFunctions(mlir::ModuleOp module);
  [[nodiscard]] bool contains(mlir::func::FuncOp function) const {
    return general.contains(function);
  }

private:
  llvm::DenseSet<mlir::Operation *> general;
};

} // namespace relax::transforms
