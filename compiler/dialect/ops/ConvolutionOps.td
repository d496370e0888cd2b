//===- ConvolutionOps.td - convolution, pooling, interpolation -------------------------------===//
#ifndef RELAX_CONVOLUTION_OPS_TD
#define RELAX_CONVOLUTION_OPS_TD

include "compiler/dialect/ops/OpBase.td"

#endif // RELAX_CONVOLUTION_OPS_TD
