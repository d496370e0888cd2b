//===- CreateOps.cpp - shape rules: tensors from nothing: constants, ranges, masks -----------===//
#include "compiler/dialect/ops/CreateOps.h"

#include "compiler/dialect/Deduction.h"

using namespace mlir;

namespace relax::ir {

void registerCreateOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/CreateOps.cpp.inc"
      >();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/CreateOps.cpp.inc"
#pragma GCC diagnostic pop
