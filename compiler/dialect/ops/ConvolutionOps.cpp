//===- ConvolutionOps.cpp - shape rules: convolution, pooling, interpolation -----------------===//
#include "compiler/dialect/ops/ConvolutionOps.h"

#include "compiler/dialect/Deduction.h"

using namespace mlir;

namespace relax::ir {

void registerConvolutionOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/ConvolutionOps.cpp.inc"
      >();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/ConvolutionOps.cpp.inc"
#pragma GCC diagnostic pop
