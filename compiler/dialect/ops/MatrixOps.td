//===- MatrixOps.td - products of matrices ---------------------------------------------------===//
#ifndef RELAX_MATRIX_OPS_TD
#define RELAX_MATRIX_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_MatmulOp : Relax_CheckedOp<"matmul"> {
  let summary = "Matrix product over the last dimension of a";
  let description = [{
    a [..., m, k] and b [..., k, n] give [..., m, n]; the dimensions in front broadcast as NumPy's
    do. With transpose_a a is [..., k, m], with transpose_b b is [..., n, k]. An operand of rank 1
    is a row on the left, a column on the right, and its dimension is missing from the result.
      Elements are floats, i32 or i64 of one type, which is the result's, or i8 and ui8 in any pair,
    added in i32. result_type asks for a wider result (f32 from f16 or bf16, f64 from f32, i64 from
    i32). Each element is accumulated in the order of k, whatever m; f16 and bf16 in f32, rounded
    once; integers wrap.
  }];
  let arguments = (ins Relax_Tensor:$a, Relax_Tensor:$b, UnitAttr:$transpose_a,
                       UnitAttr:$transpose_b, OptionalAttr<TypeAttr>:$result_type);
  let results = (outs Relax_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b,
                                 "::mlir::UnitAttr":$transposeB), [{
    build($_builder, $_state, a, b, ::mlir::UnitAttr(), transposeB, ::mlir::TypeAttr());
  }]>];
}

def Relax_EinsumOp : Relax_CheckedOp<"einsum"> {
  let summary = "Sum of products by Einstein's convention";
  let description = [{
    `relax.einsum %a, %b {equation = "bij,bjk->bik"}`: one group of letters for each operand, a
    letter for each dimension; letters that the result lacks are summed. Dimensions of one letter
    must be equal; a letter may stand twice in one group (the diagonal) and in as many operands as
    there are. `...` stands for dimensions that broadcast. Without `->` the result has the letters
    that stand once, in alphabetical order (behind those of `...`), as in NumPy. Elements and
    result_type as in matmul. More than two operands are multiplied from left to right.
  }];
  let arguments = (ins Variadic<Relax_Tensor>:$inputs, StrAttr:$equation,
                       OptionalAttr<TypeAttr>:$result_type);
  let results = (outs Relax_Tensor:$result);
}

#endif // RELAX_MATRIX_OPS_TD
