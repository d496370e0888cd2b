//===- NormalizeOps.td - normalisations along an axis ----------------------------------------===//
#ifndef RELAX_NORMALIZE_OPS_TD
#define RELAX_NORMALIZE_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_SoftmaxOp : Relax_DeducedOp<"softmax"> {
  let summary = "exp(x - max) / sum(exp(x - max)) along the last axis";
  let arguments = (ins Relax_FloatTensor:$x, DefaultValuedAttr<I64Attr, "-1">:$axis);
  let results = (outs Relax_FloatTensor:$result);
}

def Relax_RmsNormOp : Relax_DeducedOp<"rms_norm"> {
  let summary = "x * weight / sqrt(mean(x^2) + epsilon) along the last axis";
  let arguments = (ins Relax_FloatTensor:$x, Relax_FloatTensor:$weight, F64Attr:$epsilon);
  let results = (outs Relax_FloatTensor:$result);
}

#endif // RELAX_NORMALIZE_OPS_TD
