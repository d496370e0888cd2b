//===- ElementFunctions.h - what each elementwise op does with its elements -------------------===//
#pragma once

#include "compiler/kernels/programs/Scalars.h"
#include "mlir/IR/Operation.h"

namespace relax::kernels {

/// One result element from the operands' elements. 16-bit floats arrive as float32; a
/// floating-point result may have any width and is converted to that of the op's result.
struct ElementFunction {
  llvm::StringLiteral op;
  mlir::Value (*compute)(const Scalars &s, mlir::ValueRange v, mlir::Operation *op);
};

// By kind, each in the file of its name.
llvm::ArrayRef<ElementFunction> arithmeticFunctions();
llvm::ArrayRef<ElementFunction> activationFunctions();

} // namespace relax::kernels
