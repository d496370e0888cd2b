//===- ReduceOps.cpp - shape rules: reductions and running sums along axes -------------------===//
#include "compiler/dialect/ops/ReduceOps.h"

#include "compiler/dialect/Deduction.h"

using namespace mlir;

namespace relax::ir {

void registerReduceOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/ReduceOps.cpp.inc"
      >();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/ReduceOps.cpp.inc"
#pragma GCC diagnostic pop
