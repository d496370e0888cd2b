//===- QuantizeOps.td - conversion from and to quantised integers ----------------------------===//
//
// A scale and a zero point belong to the whole tensor (rank 0), to each place along `axis` (rank 1,
// the extent of that axis), or, with a `block_size` b, to each b places along it: they have the
// rank of x then, and the extents of x but ceildiv(extent, b) at the axis. As ONNX's QuantizeLinear
// and DequantizeLinear of opset 21. A language model's packed formats are relax.dequantize's
// business.
//
//===------------------------------------------------------------------------------------------===//
#ifndef RELAX_QUANTIZE_OPS_TD
#define RELAX_QUANTIZE_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_QuantizeLinearOp : Relax_CheckedOp<"quantize_linear"> {
  let summary = "saturate(round(x / scale) + zero_point), half to even";
  let description = [{
    x and scale are of one floating-point type, or x is i32. The result's elements are dtype, or
    those of zero_point, which is 0 where it's missing: i8, ui8, i16 or i32. NaN becomes the lowest
    number.
    `relax.quantize_linear %x, %scale {dtype = i8} : …`
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_Tensor:$scale, Optional<Relax_Tensor>:$zero_point,
                       DefaultValuedAttr<I64Attr, "1">:$axis,
                       DefaultValuedAttr<I64Attr, "0">:$block_size, OptionalAttr<TypeAttr>:$dtype);
  let results = (outs Relax_Tensor:$result);
}

def Relax_DequantizeLinearOp : Relax_CheckedOp<"dequantize_linear"> {
  let summary = "(x - zero_point) * scale";
  let description = [{
    x is i8, ui8, i16 or i32, as is zero_point, which is 0 where it's missing. The result's elements
    are those of scale: a floating-point type.
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_Tensor:$scale, Optional<Relax_Tensor>:$zero_point,
                       DefaultValuedAttr<I64Attr, "1">:$axis,
                       DefaultValuedAttr<I64Attr, "0">:$block_size);
  let results = (outs Relax_Tensor:$result);
}

def Relax_DynamicQuantizeLinearOp : Relax_DeducedOp<"dynamic_quantize_linear"> {
  let summary = "x as ui8, with a scale and a zero point that span its range and 0";
  let description = [{
    scale = (max(x, 0) - min(x, 0)) / 255, or 1 where that is 0;
    zero_point = round(-min(x, 0) / scale);
    result = saturate(round(x / scale) + zero_point). Results: ui8 as x, f32 and ui8 of rank 0.
  }];
  let arguments = (ins Relax_Tensor:$x);
  let results = (outs Relax_Tensor:$result, Relax_Tensor:$scale, Relax_Tensor:$zero_point);
}

#endif // RELAX_QUANTIZE_OPS_TD
