//===- ArrangeOps.td - other arrangements of the same elements -------------------------------===//
#ifndef RELAX_ARRANGE_OPS_TD
#define RELAX_ARRANGE_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_PermuteOp : Relax_DeducedOp<"permute"> {
  let summary = "Dimension i of the result is dimension permutation[i] of the operand";
  let arguments = (ins Relax_Tensor:$x, DenseI64ArrayAttr:$permutation);
  let results = (outs Relax_Tensor:$result);
}

#endif // RELAX_ARRANGE_OPS_TD
