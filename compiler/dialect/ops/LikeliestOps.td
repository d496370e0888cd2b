//===- LikeliestOps.td - products of which only the largest are wanted --------------------------===//
//
// Whoever takes the likeliest token, or one of the k likeliest, needs no more of the logits than
// these. `likeliest` says so; the claim of contractions turns it and the product before it into four
// programs. They give the same numbers for half of the bytes:
//
//   terms      for each row and 32 columns: what the low halves of the weights' bytes can do at most
//   bounds     products with the high halves of the bytes: an upper bound for each output, and the
//              largest estimate in each 16
//   threshold  the exact outputs where the estimates are largest: the k-th largest of them is a lower
//              bound of the k-th largest of all
//   matmul     the exact outputs wherever the upper bound reaches the threshold, minus infinity
//              elsewhere
//
// Weights are packed with `relax.split`: high halves of all bytes and scales first, then low halves
// (kernels/contraction/PackedLayout.h). kernels/contraction/Likeliest.h has the bounds.
//
//===------------------------------------------------------------------------------------------===//
#ifndef RELAX_LIKELIEST_OPS_TD
#define RELAX_LIKELIEST_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_LikeliestOp : Relax_DeducedOp<"likeliest"> {
  let summary = "Says how many of each row's largest elements are wanted";
  let description = [{
    logits f32 [r, n], counts i32 [r]. The result is the logits; in row i, where counts[i] > 0,
    elements that aren't among its counts[i] largest may be minus infinity instead. Equal elements
    are all among them, or none is.
  }];
  let arguments = (ins Relax_F32Matrix:$logits, Relax_I32Vector:$counts);
  let results = (outs Relax_F32Matrix:$result);
}

class Relax_LikeliestPart<string mnemonic, dag more, dag made> : Relax_DeducedOp<mnemonic> {
  // values, scales and sums as quantize_activations gives them, of 2 planes.
  let arguments = !con((ins Relax_BytesCube:$values, Relax_F32Cube:$scales, Relax_I32Cube:$sums,
                            Relax_I32Vector:$counts), more);
  let results = made;
}

def Relax_LikeliestTermsOp
    : Relax_LikeliestPart<"likeliest_terms", (ins),
                          (outs Relax_F32Cube:$terms, Relax_I32Matrix:$order)> {
  let summary = "Bounds of what each 32 columns contribute beyond the high halves of weights";
  let description = [{
    With u = K/32: terms f32 [r, 3, u], the sum of x in each 32 times 7.5, the bound, and what of it
    the low halves take away; order i32 [r, u], the 32s by falling such part. Of rows that aren't
    counted they are anything.
  }];
}

def Relax_LikeliestBoundsOp
    : Relax_LikeliestPart<"likeliest_bounds",
                          (ins Relax_F32Cube:$terms, Relax_BytesMatrix:$packed, StrAttr:$format,
                               I64Attr:$rows),
                          (outs Relax_F32Matrix:$upper, Relax_F32Matrix:$estimates)> {
  let summary = "Upper bounds of products, and where they are largest";
  let description = [{
    With b = ceildiv(rows, 16): upper f32 [r, 16 * b], estimates f32 [r, b], the largest of each 16.
    Where no row is counted they are anything.
  }];
}

def Relax_LikeliestThresholdOp
    : Relax_LikeliestPart<"likeliest_threshold",
                          (ins Relax_F32Matrix:$estimates, Relax_BytesMatrix:$packed,
                               StrAttr:$format, I64Attr:$rows),
                          (outs Relax_F32Matrix:$threshold)> {
  let summary = "At least counts[i] products of row i are at least threshold[i, 0]";
}

def Relax_LikeliestMatmulOp
    : Relax_LikeliestPart<"likeliest_matmul",
                          (ins Relax_F32Cube:$terms, Relax_I32Matrix:$order, Relax_F32Matrix:$upper,
                               Relax_F32Matrix:$threshold, Relax_BytesMatrix:$packed,
                               StrAttr:$format, I64Attr:$rows),
                          (outs Relax_F32Matrix:$result)> {
  let summary = "Products, but minus infinity where 16 rows can't reach the threshold";
  let description = [{
    f32 [r, rows]. Each product is what quantized_matmul gives, to the bit. Rows that aren't counted
    have all.
  }];
}

#endif // RELAX_LIKELIEST_OPS_TD
