//===- SearchOps.cpp - shape rules: order and selection; sizes that depend on values ---------===//
#include "compiler/dialect/ops/SearchOps.h"

#include "compiler/dialect/Deduction.h"

using namespace mlir;

namespace relax::ir {

void registerSearchOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/SearchOps.cpp.inc"
      >();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/SearchOps.cpp.inc"
#pragma GCC diagnostic pop
