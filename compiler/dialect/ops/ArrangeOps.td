//===- ArrangeOps.td - other arrangements of the same elements -------------------------------===//
//
// Expressions in attributes (shapes, starts, amounts) are over the symbols of the function around
// the op. Axes count from the end where they are negative.
//
//===------------------------------------------------------------------------------------------===//
#ifndef RELAX_ARRANGE_OPS_TD
#define RELAX_ARRANGE_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_IndexVector
    : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == 1">,
                Or<[CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()"
                          ".isSignlessInteger(32)">,
                    CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()"
                          ".isSignlessInteger(64)">]>]>,
           "rank-1 tensor of i32 or i64", "::mlir::RankedTensorType">;

def Relax_PermuteOp : Relax_DeducedOp<"permute"> {
  let summary = "Dimension i of the result is dimension permutation[i] of the operand";
  let description = "x [a, b, c] with permutation [2, 0, 1] gives [c, a, b].";
  let arguments = (ins Relax_Tensor:$x, DenseI64ArrayAttr:$permutation);
  let results = (outs Relax_Tensor:$result);
}

def Relax_BroadcastToOp : Relax_CheckedOp<"broadcast_to"> {
  let summary = "Repeats dimensions of extent 1, and the whole, up to a shape";
  let description = [{
    x [1, n] with shape = #relax.shape<[m, 4, n]> gives [m, 4, n]: the last dimensions are matched
    from the end; each one is the given one or 1.
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_ShapeAttr:$shape);
  let results = (outs Relax_Tensor:$result);
}

def Relax_ViewOp : Relax_CheckedOp<"view"> {
  let summary = "The same elements in row-major order in a shape that may leave one dimension open";
  let description = [{
    shape has an expression for each dimension of the result; -1, once, is what makes the element
    counts equal, and 0 is the dimension of x at that place (`allow_zero`: it is 0). x [n, 12] with
    shape = #relax.shape<[0, -1, 4]> gives [n, 3, 4]; x [n, m] with [-1, 4] gives
    [floordiv(n * m, 4), 4] where 4 must divide n * m. x [n, m] with [m, -1] gives [m, n], for m = 0
    too: what is known to be a factor of both needs no division. Where the dimension left open can
    only be had by a division by 0, the view is refused. A shape without -1 and 0 is
    relax.reshape's.
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_ShapeAttr:$shape, UnitAttr:$allow_zero);
  let results = (outs Relax_Tensor:$result);
}

def Relax_SqueezeOp : Relax_CheckedOp<"squeeze"> {
  let summary = "Without the given dimensions, which are 1";
  let description = [{
    x [1, n, 1] with axes [0] gives [n, 1]. Without axes, every dimension goes that is the constant 1.
  }];
  let arguments = (ins Relax_Tensor:$x, OptionalAttr<DenseI64ArrayAttr>:$axes);
  let results = (outs Relax_Tensor:$result);
}

def Relax_UnsqueezeOp : Relax_DeducedOp<"unsqueeze"> {
  let summary = "With dimensions of extent 1 at the given places of the result";
  let description = "x [n, 4] with axes [0, -1] gives [1, n, 4, 1].";
  let arguments = (ins Relax_Tensor:$x, DenseI64ArrayAttr:$axes);
  let results = (outs Relax_Tensor:$result);
}

def Relax_FlattenOp : Relax_DeducedOp<"flatten"> {
  let summary = "Dimensions start_axis to end_axis, both included, as one";
  let description = [{
    x [n, 2, 2] gives [4 * n]; with start_axis = 1, [n, 4]. A scalar becomes [1].
  }];
  let arguments = (ins Relax_Tensor:$x, DefaultValuedAttr<I64Attr, "0">:$start_axis,
                       DefaultValuedAttr<I64Attr, "-1">:$end_axis);
  let results = (outs Relax_Tensor:$result);
}

def Relax_ConcatOp : Relax_CheckedOp<"concat"> {
  let summary = "The operands one after the other along an axis";
  let description = "[n, 4], [m, 4] and [2, 4] along axis 0 give [n + m + 2, 4].";
  let arguments = (ins Variadic<Relax_Tensor>:$inputs, DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Relax_Tensor:$result);
}

def Relax_StackOp : Relax_CheckedOp<"stack"> {
  let summary = "The operands, of one shape, side by side along a new axis";
  let description = "Three of [n, 4] along axis 1 give [n, 3, 4].";
  let arguments = (ins Variadic<Relax_Tensor>:$inputs, DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Relax_Tensor:$result);
}

def Relax_SplitOp : Relax_CheckedOp<"split"> {
  let summary = "Neighbouring parts along an axis";
  let description = [{
    Either sizes = #relax.shape<[k, n - k]>, the parts' extents, which add up to the dimension; or
    sections = 3: so many equal parts.
  }];
  let arguments = (ins Relax_Tensor:$x, DefaultValuedAttr<I64Attr, "0">:$axis,
                       OptionalAttr<Relax_ShapeAttr>:$sizes, OptionalAttr<I64Attr>:$sections);
  let results = (outs Variadic<Relax_Tensor>:$parts);
}

def Relax_NarrowOp : Relax_CheckedOp<"narrow"> {
  let summary = "So many elements along an axis, from a start on";
  let description = [{
    x [n, 4] with axis = 0, start = #relax.expr<k>, length = #relax.expr<m> gives [m, 4], where k and
    m are not negative and k + m is at most n. Nothing is clamped: slice does that.
  }];
  let arguments = (ins Relax_Tensor:$x, DefaultValuedAttr<I64Attr, "0">:$axis,
                       Relax_ExprAttr:$start, Relax_ExprAttr:$length);
  let results = (outs Relax_Tensor:$result);
}

def Relax_SliceOp : Relax_DeducedOp<"slice"> {
  let summary = "From start to before end, step by step, along each given axis";
  let description = [{
    As NumPy's x[start:end:step]: a negative start or end counts from the dimension's end, then both
    are clamped to the dimension; steps may be negative, and are 1 where none are given. The largest
    int64 as end is the dimension's end; the least one that can be written, with a negative step,
    before its begin. x [n, 4] with axes [0], starts [1], ends [-1] gives [max(0, n - 2), 4].
  }];
  let arguments = (ins Relax_Tensor:$x, DenseI64ArrayAttr:$axes, Relax_ShapeAttr:$starts,
                       Relax_ShapeAttr:$ends, OptionalAttr<DenseI64ArrayAttr>:$steps);
  let results = (outs Relax_Tensor:$result);
}

def Relax_DynamicSliceOp : Relax_CheckedOp<"dynamic_slice"> {
  let summary = "A part of given size that starts where a tensor says";
  let description = [{
    starts [k] holds where the slice begins on each of the k axes (the first k without axes), and
    sizes has their extents. Each start is clamped to [0, dimension - size], so nothing is read
    outside. With steps, one for each axis, the elements are that far apart, backwards for a negative
    one, and the clamp keeps them all inside.
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_IndexVector:$starts, Relax_ShapeAttr:$sizes,
                       OptionalAttr<DenseI64ArrayAttr>:$axes,
                       OptionalAttr<DenseI64ArrayAttr>:$steps);
  let results = (outs Relax_Tensor:$result);
}

def Relax_SliceBoundsOp : Relax_CheckedOp<"slice_bounds"> {
  let summary = "The first positions and the lengths of slices of dimensions";
  let description = [{
    starts [k] and ends [k], as slice takes them, along dimensions of the extents dims with steps:
    two tensors i64 [k]. What dynamic_strided_slice is made of.
  }];
  let arguments = (ins Relax_IndexVector:$starts, Relax_IndexVector:$ends, Relax_ShapeAttr:$dims,
                       DenseI64ArrayAttr:$steps);
  let results = (outs Relax_Tensor:$first, Relax_Tensor:$lengths);
}

def Relax_DynamicStridedSliceOp : Relax_CheckedDataDependentOp<"dynamic_strided_slice"> {
  let summary = "A slice whose starts and ends are known at run time only";
  let description = [{
    As slice, with starts [k] and ends [k] as tensors; the extents of the result are new symbols, one
    for each axis: x [n, 4] with axes [0], symbols ["u"] gives [u, 4], 0 <= u <= n.
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_IndexVector:$starts, Relax_IndexVector:$ends,
                       DenseI64ArrayAttr:$axes, OptionalAttr<DenseI64ArrayAttr>:$steps,
                       StrArrayAttr:$symbols);
  let results = (outs Relax_Tensor:$result);
}

def Relax_PadOp : Relax_CheckedOp<"pad"> {
  let summary = "More elements before and after along each dimension";
  let description = [{
    low and high, one for each dimension, say how many; negative amounts crop. mode:
      constant  `value` (zero if there is none)
      edge      the nearest element
      reflect   the mirror image, without the edge itself twice
      wrap      the elements from the other end
    x [n, 4] with low [1, 0] and high [k, 0] gives [n + k + 1, 4].
  }];
  let arguments = (ins Relax_Tensor:$x, Optional<Relax_Tensor>:$value, Relax_ShapeAttr:$low,
                       Relax_ShapeAttr:$high, DefaultValuedAttr<StrAttr, "\"constant\"">:$mode);
  let results = (outs Relax_Tensor:$result);
}

def Relax_TileOp : Relax_CheckedOp<"tile"> {
  let summary = "The whole, repeated along each dimension";
  let description = "x [n, 4] with repeats = #relax.shape<[2, m]> gives [2 * n, 4 * m].";
  let arguments = (ins Relax_Tensor:$x, Relax_ShapeAttr:$repeats);
  let results = (outs Relax_Tensor:$result);
}

def Relax_RepeatOp : Relax_CheckedOp<"repeat"> {
  let summary = "Each element along an axis, `repeats` times in a row";
  let description = "x [n, 4] with repeats = #relax.expr<3> along axis 0 gives [3 * n, 4].";
  let arguments = (ins Relax_Tensor:$x, Relax_ExprAttr:$repeats,
                       DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Relax_Tensor:$result);
}

def Relax_FlipOp : Relax_DeducedOp<"flip"> {
  let summary = "Along the given axes, last first";
  let arguments = (ins Relax_Tensor:$x, DenseI64ArrayAttr:$axes);
  let results = (outs Relax_Tensor:$result);
}

def Relax_RollOp : Relax_DeducedOp<"roll"> {
  let summary = "Shifted along the given axes; what leaves at one end comes back at the other";
  let description = "Element i along an axis goes to (i + shift) mod n; shifts may be negative.";
  let arguments = (ins Relax_Tensor:$x, Relax_ShapeAttr:$shifts, DenseI64ArrayAttr:$axes);
  let results = (outs Relax_Tensor:$result);
}

def Relax_DepthToSpaceOp : Relax_CheckedOp<"depth_to_space"> {
  let summary = "Channels become blocks of height and width";
  let description = [{
    x [N, C, H, W] gives [N, C / b^2, H * b, W * b]. mode DCR: channel (i * b + j) * C / b^2 + c goes
    to row i, column j of a block; CRD: channel (c * b + i) * b + j.
  }];
  let arguments = (ins Relax_Tensor:$x, I64Attr:$block_size,
                       DefaultValuedAttr<StrAttr, "\"DCR\"">:$mode);
  let results = (outs Relax_Tensor:$result);
}

def Relax_SpaceToDepthOp : Relax_CheckedOp<"space_to_depth"> {
  let summary = "Blocks of height and width become channels";
  let description = [{
    x [N, C, H, W] gives [N, C * b^2, H / b, W / b]; row i, column j of a block goes to channel
    (i * b + j) * C + c.
  }];
  let arguments = (ins Relax_Tensor:$x, I64Attr:$block_size);
  let results = (outs Relax_Tensor:$result);
}

#endif // RELAX_ARRANGE_OPS_TD
