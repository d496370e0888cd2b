//===- RandomOps.cpp - shape rules: pseudo-random numbers from an explicit state -------------===//
#include "compiler/dialect/ops/RandomOps.h"

#include "compiler/dialect/Deduction.h"

using namespace mlir;

namespace relax::ir {

void registerRandomOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/RandomOps.cpp.inc"
      >();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/RandomOps.cpp.inc"
#pragma GCC diagnostic pop
