//===- QuantizeOps.cpp - shape rules: integers with scales -----------------------------------===//
#include "compiler/dialect/ops/QuantizeOps.h"

#include "compiler/dialect/Deduction.h"

using namespace mlir;

namespace relax::ir {

void registerQuantizeOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/QuantizeOps.cpp.inc"
      >();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/QuantizeOps.cpp.inc"
#pragma GCC diagnostic pop
