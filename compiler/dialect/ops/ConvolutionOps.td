//===- ConvolutionOps.td - convolution, pooling, interpolation -------------------------------===//
//
// Tensors are [batch, channels, spatial...] with one to three spatial dimensions; lists have an
// entry for each of these. pads has two: all befores, then all afters. auto_pad: `explicit` takes
// pads; `valid` pads nothing; `same_upper` and `same_lower` pad so that the result has
// ceildiv(size, stride) elements, an odd one after or before. What is padded with doesn't count: 0
// in sums, -inf in maxima. An input that is padded has at least one element along each spatial
// dimension.
//   A dimension of a result is floordiv(size + pads - dilation * (kernel - 1) - 1, stride) + 1.
//
//===------------------------------------------------------------------------------------------===//
#ifndef RELAX_CONVOLUTION_OPS_TD
#define RELAX_CONVOLUTION_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_ConvolutionOp : Relax_CheckedOp<"convolution"> {
  let summary = "Cross-correlation over one to three spatial dimensions";
  let description = [{
    x [n, c, size...], weight [m, c / groups, kernel...] and, where there is one, bias [m] give
    [n, m, size'...]. Output channels of one group read that group's input channels. Floats; sums
    are in the order of weight's dimensions, f16 and bf16 in f32, rounded once.
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_Tensor:$weight, Optional<Relax_Tensor>:$bias,
                       OptionalAttr<DenseI64ArrayAttr>:$strides,
                       OptionalAttr<DenseI64ArrayAttr>:$dilations,
                       OptionalAttr<DenseI64ArrayAttr>:$pads,
                       DefaultValuedAttr<StrAttr, "\"explicit\"">:$auto_pad,
                       DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs Relax_Tensor:$result);
}

def Relax_TransposedConvolutionOp : Relax_CheckedOp<"transposed_convolution"> {
  let summary = "The transpose of a convolution: every input element adds a scaled kernel";
  let description = [{
    x [n, c, size...], weight [c, m / groups, kernel...] and bias [m] give [n, m, size'...] with
    size' = (size - 1) * stride + dilation * (kernel - 1) + 1 + output_padding - pads. With
    auto_pad = same_upper or same_lower size' is size * stride.
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_Tensor:$weight, Optional<Relax_Tensor>:$bias,
                       OptionalAttr<DenseI64ArrayAttr>:$strides,
                       OptionalAttr<DenseI64ArrayAttr>:$dilations,
                       OptionalAttr<DenseI64ArrayAttr>:$pads,
                       OptionalAttr<DenseI64ArrayAttr>:$output_padding,
                       DefaultValuedAttr<StrAttr, "\"explicit\"">:$auto_pad,
                       DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs Relax_Tensor:$result);
}

def Relax_MaxPoolOp : Relax_CheckedOp<"max_pool"> {
  let summary = "The largest element of each window; NaN if one is NaN";
  let description = [{
    With ceil_mode the division of the size rounds up, as long as the last window begins inside the
    input or its front padding. with_indices gives a second result: the row-major number in x of the
    first largest element, as i64. A window that lies in the padding altogether gives -inf (the
    least integer), and index -1.
  }];
  let arguments = (ins Relax_Tensor:$x, DenseI64ArrayAttr:$kernel,
                       OptionalAttr<DenseI64ArrayAttr>:$strides,
                       OptionalAttr<DenseI64ArrayAttr>:$dilations,
                       OptionalAttr<DenseI64ArrayAttr>:$pads,
                       DefaultValuedAttr<StrAttr, "\"explicit\"">:$auto_pad, UnitAttr:$ceil_mode,
                       UnitAttr:$with_indices);
  let results = (outs Relax_Tensor:$result, Optional<Relax_Tensor>:$indices);
}

def Relax_AveragePoolOp : Relax_CheckedOp<"average_pool"> {
  let summary = "The mean of each window";
  let description = [{
    Divides by the number of elements of the window that lie in x, with count_include_pad by those
    in x or its padding; what ceil_mode adds behind that never counts.
  }];
  let arguments = (ins Relax_Tensor:$x, DenseI64ArrayAttr:$kernel,
                       OptionalAttr<DenseI64ArrayAttr>:$strides,
                       OptionalAttr<DenseI64ArrayAttr>:$dilations,
                       OptionalAttr<DenseI64ArrayAttr>:$pads,
                       DefaultValuedAttr<StrAttr, "\"explicit\"">:$auto_pad, UnitAttr:$ceil_mode,
                       UnitAttr:$count_include_pad);
  let results = (outs Relax_Tensor:$result);
}

class Relax_GlobalPoolOp<string mnemonic, string text> : Relax_DeducedOp<mnemonic> {
  let summary = text;
  let description = "x [n, c, size...] gives [n, c, 1...].";
  let arguments = (ins Relax_Tensor:$x);
  let results = (outs Relax_Tensor:$result);
}
def Relax_GlobalAveragePoolOp
    : Relax_GlobalPoolOp<"global_average_pool", "The mean of each channel's spatial elements">;
def Relax_GlobalMaxPoolOp
    : Relax_GlobalPoolOp<"global_max_pool", "The largest of each channel's spatial elements">;

def Relax_InterpolateOp : Relax_CheckedOp<"interpolate"> {
  let summary = "x at other spatial sizes, between its elements";
  let description = [{
    Either sizes, a shape of the spatial dimensions (`#relax.shape<[2 * h, w]>`), or scales, one
    float for each: the size is then floor(size * scale), and scale must be a ratio of integers up
    to 4096.
      mode: nearest, linear (bilinear, trilinear) or cubic (coefficient -0.75, one or two spatial
    dimensions); beyond the ends the last element counts. coordinates says where in x the element i
    of the result lies, s being the scale (size' / size for sizes):
      half_pixel          (i + 0.5) / s - 0.5
      pytorch_half_pixel  the same, 0 where size' is 1
      align_corners       i * (size - 1) / (size' - 1), 0 where size' is 1
      asymmetric          i / s
    Coordinates are float64. nearest rounds them by nearest_mode: round_prefer_floor,
    round_prefer_ceil, floor or ceil.
  }];
  let arguments = (ins Relax_Tensor:$x, OptionalAttr<Relax_ShapeAttr>:$sizes,
                       OptionalAttr<DenseF64ArrayAttr>:$scales,
                       DefaultValuedAttr<StrAttr, "\"nearest\"">:$mode,
                       DefaultValuedAttr<StrAttr, "\"half_pixel\"">:$coordinates,
                       DefaultValuedAttr<StrAttr, "\"round_prefer_floor\"">:$nearest_mode);
  let results = (outs Relax_Tensor:$result);
}

#endif // RELAX_CONVOLUTION_OPS_TD
