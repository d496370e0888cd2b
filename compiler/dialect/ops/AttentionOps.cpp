//===- AttentionOps.cpp - shape rules: attention over dense keys and values ------------------===//
#include "compiler/dialect/ops/AttentionOps.h"

#include "compiler/dialect/Deduction.h"

using namespace mlir;

namespace relax::ir {

void registerAttentionOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/AttentionOps.cpp.inc"
      >();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/AttentionOps.cpp.inc"
#pragma GCC diagnostic pop
