//===- StructureOps.h - dataflow blocks and tuples --------------------------------------------===//
#pragma once

#include "compiler/dialect/ops/ControlFlowOps.h" // The parents of relax.yield.

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/StructureOps.h.inc"
#pragma GCC diagnostic pop
