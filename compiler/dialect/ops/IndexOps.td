//===- IndexOps.td - elements by index: take, gather, scatter --------------------------------===//
#ifndef RELAX_INDEX_OPS_TD
#define RELAX_INDEX_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_TakeOp : Relax_DeducedOp<"take"> {
  let summary = "Rows of a table, by index";
  let description = [{
    table [V, d...] and indices i32 [n] give [n, d...]. Every index must be in [0, V); whoever
    passes indices from outside says so with `relax.values`, which is checked at run time.
  }];
  let arguments = (ins Relax_Tensor:$table, Relax_I32Vector:$indices);
  let results = (outs Relax_Tensor:$result);
}

#endif // RELAX_INDEX_OPS_TD
