//===- Ops.cpp - registration of the ops, and their classes -----------------------------------===//
#include "compiler/dialect/Ops.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace relax::ir {

void RelaxDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/Ops.cpp.inc"
      >();
}

bool isStructuredKernelOp(Operation *op) {
  return isa<QuantizedMatmulOp, PackedMatmulOp, QuantizeActivationsOp, PackWeightsOp,
             PagedAttentionOp, UpdateSlotsOp, RotaryTableOp>(op);
}

bool isContraction(Operation *op) { return isa<MatmulOp, PackedMatmulOp, QuantizedMatmulOp>(op); }

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/Ops.cpp.inc"
#pragma GCC diagnostic pop
