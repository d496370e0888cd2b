//===- Ops.h - the op families that passes know, and questions about ops ----------------------===//
//
// The other families (ops/*Ops.h) are included where their ops are built or lowered; a pass treats
// them alike, through their interfaces.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/ops/CallOps.h"
#include "compiler/dialect/ops/CheckOps.h"
#include "compiler/dialect/ops/ContractionOps.h"
#include "compiler/dialect/ops/ControlFlowOps.h"
#include "compiler/dialect/ops/LanguageModelOps.h"
#include "compiler/dialect/ops/ShapeOps.h"
#include "compiler/dialect/ops/StructureOps.h"

namespace relax::ir {

/// Whether the op has a kernel strategy of its own and so stays as it is inside a tensor program.
bool isStructuredKernelOp(mlir::Operation *op);

/// Whether the op multiplies by weights: matmul, packed_matmul, quantized_matmul.
bool isContraction(mlir::Operation *op);

} // namespace relax::ir
