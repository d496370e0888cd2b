//===- ContractionOps.td - stored weights, and products with them ------------------------------===//
//
// A quantised matrix stays the bytes of its file. `dequantize` gives them meaning; `pack_weights`
// rearranges them for `quantized_matmul` and `packed_matmul`, which decode in registers. A format is
// a record (BlockFormat.h); the folder formats/ has those that are built in.
//
//===------------------------------------------------------------------------------------------===//
#ifndef RELAX_CONTRACTION_OPS_TD
#define RELAX_CONTRACTION_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_ConstantOp : Relax_Op<"constant"> {
  let summary = "A weight of the model, by reference into its file";
  let description = [{
    A quantised matrix is [rows, bytes of a row] of i8; any other tensor has its own element type.
    `relax.constant <"norm", file = 0, offset = 64, size = 2304, hash = ""> : tensor<576xf32>`
  }];
  let arguments = (ins Relax_WeightAttr:$weight);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$weight attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Relax_StateOp : Relax_Op<"state"> {
  let summary = "A tensor that @initialize computed when the module was loaded";
  let description = [{
    `relax.state 3 "blk.0.attn_q.weight" : tensor<36x5760xi8>` is result 3 of @initialize; the name
    is for people.
  }];
  let arguments = (ins I64Attr:$index, StrAttr:$name);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$index $name attr-dict `:` type($result)";
}

def Relax_DequantizeOp : Relax_DeducedOp<"dequantize"> {
  let summary = "The numbers that stored bytes stand for";
  let description = "Bytes [N, bytes of a row] give f32 [N, K]; format names the scheme.";
  let arguments = (ins Relax_BytesMatrix:$bytes, StrAttr:$format);
  let results = (outs Relax_F32Matrix:$result);
}

def Relax_QuantizeActivationsOp : Relax_DeducedOp<"quantize_activations"> {
  let summary = "Rows in 8 bits per plane with one scale per 32 elements";
  let description = [{
    x f32 [t, K], K a multiple of 32, gives values i8 [t, planes, K], scales f32 [t, planes, K/32]
    and sums i32 [t, planes, K/32]. For each 32: d = max|x| / 127, q = x / d rounded half to even;
    plane 1 does the same to x - d * q; sums has that of the first sixteen q in its low 16 bits, that
    of the others in its high 16 bits. If max|x| is 0, d and q are 0; if an element is NaN, d is NaN.
  }];
  let arguments = (ins Relax_F32Matrix:$x, I64Attr:$planes);
  let results = (outs Relax_BytesCube:$values, Relax_F32Cube:$scales, Relax_I32Cube:$sums);
}

def Relax_PackWeightsOp : Relax_DeducedOp<"pack_weights"> {
  let summary = "Stored weights with 16 rows interleaved, in the order in which kernels read them";
  let description = [{
    Bytes [N, bytes of a row] give i8 [ceildiv(N, 16), bytes of 16 packed rows]; rows past N are 0.
    kernels/contraction/PackedLayout.h has the layout.
  }];
  let arguments = (ins Relax_BytesMatrix:$bytes, StrAttr:$format);
  let results = (outs Relax_BytesMatrix:$result);
}

def Relax_QuantizedMatmulOp : Relax_DeducedOp<"quantized_matmul"> {
  let summary = "x * transposed weights, with quantised activations and packed weights";
  let description = [{
    values, scales and sums as quantize_activations gives them; packed as pack_weights gives it, of
    `rows` rows; the result is f32 [t, rows].
  }];
  let arguments = (ins Relax_BytesCube:$values, Relax_F32Cube:$scales, Relax_I32Cube:$sums,
                       Relax_BytesMatrix:$packed, StrAttr:$format, I64Attr:$rows);
  let results = (outs Relax_F32Matrix:$result);
}

def Relax_PackedMatmulOp : Relax_DeducedOp<"packed_matmul"> {
  let summary = "x * transposed weights, in float32, with packed weights decoded on the way";
  let arguments = (ins Relax_F32Matrix:$x, Relax_BytesMatrix:$packed, StrAttr:$format,
                       I64Attr:$rows);
  let results = (outs Relax_F32Matrix:$result);
}

#endif // RELAX_CONTRACTION_OPS_TD
