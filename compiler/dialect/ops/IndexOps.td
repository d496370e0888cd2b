//===- IndexOps.td - elements by index: take, gather, scatter --------------------------------===//
//
// Indices are i32 or i64. One of d places is in [-d, d); below 0 it counts from the end. An index
// outside is a run-time error that names the op, the index and the bound: nothing is read or written
// outside. It is checked before the kernel unless it is known to be inside: an argument with
// `relax.values`, or what an op makes whose results have a known range.
//
//===------------------------------------------------------------------------------------------===//
#ifndef RELAX_INDEX_OPS_TD
#define RELAX_INDEX_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_IndexTensor
    : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                Or<[CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()"
                          ".isSignlessInteger(32)">,
                    CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()"
                          ".isSignlessInteger(64)">]>]>,
           "tensor of i32 or i64", "::mlir::RankedTensorType">;

def Relax_TakeOp : Relax_DeducedOp<"take"> {
  let summary = "Slices along an axis, by index";
  let description = [{
    table [V, d] and indices [n, m] along axis 0 give [n, m, d]: the indices' dimensions in place of
    the axis. NumPy's take; ONNX's Gather; an embedding is one along axis 0.
  }];
  let arguments = (ins Relax_Tensor:$table, Relax_IndexTensor:$indices,
                       DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Relax_Tensor:$result);
}

def Relax_GatherElementsOp : Relax_CheckedOp<"gather_elements"> {
  let summary = "Along an axis, the element that the index at the same place says";
  let description = [{
    result[i, j] = x[indices[i, j], j] along axis 0; x and indices have one rank, and indices may be
    smaller than x along other axes.
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_IndexTensor:$indices,
                       DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Relax_Tensor:$result);
}

def Relax_GatherNdOp : Relax_CheckedOp<"gather_nd"> {
  let summary = "Slices by index vectors";
  let description = [{
    The last dimension of indices, a constant k, holds positions along the k dimensions of x behind
    the first batch_dims, which x and indices share: x [b, p, q, d], indices [b, n, 2] with
    batch_dims = 1 give [b, n, d].
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_IndexTensor:$indices,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs Relax_Tensor:$result);
}

def Relax_ScatterElementsOp : Relax_CheckedOp<"scatter_elements"> {
  let summary = "x, with updates at the places that indices say along an axis";
  let description = [{
    result[indices[i, j], j] = updates[i, j] along axis 0, or with reduction add, mul, max or min,
    that of what is there and the update. Updates are applied in their row-major order, so where an
    index comes twice, the last one wins, and sums have one order.
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_IndexTensor:$indices, Relax_Tensor:$updates,
                       DefaultValuedAttr<I64Attr, "0">:$axis,
                       DefaultValuedAttr<StrAttr, "\"none\"">:$reduction);
  let results = (outs Relax_Tensor:$result);
}

def Relax_ScatterNdOp : Relax_CheckedOp<"scatter_nd"> {
  let summary = "x, with slices of updates at the places that index vectors say";
  let description = [{
    indices [n, m, k] hold positions along the first k dimensions of x [p, q, d]; updates are
    [n, m, d] for k = 2. reduction and order as in scatter_elements.
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_IndexTensor:$indices, Relax_Tensor:$updates,
                       DefaultValuedAttr<StrAttr, "\"none\"">:$reduction);
  let results = (outs Relax_Tensor:$result);
}

def Relax_ReverseSequenceOp : Relax_CheckedOp<"reverse_sequence"> {
  let summary = "The beginnings of sequences backwards, each of its own length";
  let description = [{
    x [t, b, d] and lengths [b] along time_axis 0 and batch_axis 1: result[i, j] is
    x[lengths[j] - 1 - i, j] for i < lengths[j], and x[i, j] behind that. A length is in [0, t], which
    is checked at run time. ONNX's ReverseSequence.
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_IndexTensor:$lengths,
                       DefaultValuedAttr<I64Attr, "0">:$time_axis,
                       DefaultValuedAttr<I64Attr, "1">:$batch_axis);
  let results = (outs Relax_Tensor:$result);
}

#endif // RELAX_INDEX_OPS_TD
