//===- MatrixOps.td - products of matrices ---------------------------------------------------===//
#ifndef RELAX_MATRIX_OPS_TD
#define RELAX_MATRIX_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_MatmulOp : Relax_DeducedOp<"matmul"> {
  let summary = "Matrix product over the last dimension of a";
  let description = [{
    a [..., m, k] and b [k, n], or [n, k] with transpose_b, give [..., m, n]. Each element is
    accumulated in the order of k, whatever m.
  }];
  let arguments = (ins Relax_FloatTensor:$a, Relax_FloatTensor:$b, UnitAttr:$transpose_b);
  let results = (outs Relax_FloatTensor:$result);
}

#endif // RELAX_MATRIX_OPS_TD
