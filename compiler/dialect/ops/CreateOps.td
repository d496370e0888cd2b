//===- CreateOps.td - tensors from nothing: constants, ranges, masks -------------------------===//
//
// Sizes and integers in attributes are expressions over the symbols of the function around the op:
// `limit = #relax.expr<2 * n>`. A size that may be negative counts as 0 then.
//
//===------------------------------------------------------------------------------------------===//
#ifndef RELAX_CREATE_OPS_TD
#define RELAX_CREATE_OPS_TD

include "compiler/dialect/ops/OpBase.td"

/// A number with its element type: 1.5 : f32, 3 : ui8, true.
def Relax_ElementAttr : Attr<CPred<"::llvm::isa<::mlir::FloatAttr, ::mlir::IntegerAttr>($_self)">,
                             "number with its element type"> {
  let storageType = "::mlir::TypedAttr";
  let returnType = "::mlir::TypedAttr";
  let convertFromStorage = "$_self";
}
def Relax_ExprOrFloatAttr : AnyAttrOf<[Relax_ExprAttr, F64Attr]>;

class Relax_CreateOp<string mnemonic, string text> : Relax_DeducedOp<mnemonic> {
  let summary = text;
  let results = (outs Relax_Tensor:$result);
}

def Relax_FullOp : Relax_CreateOp<"full", "A tensor of a shape with one number everywhere"> {
  let description = [{
    `relax.full {shape = #relax.shape<[n, 4]>, value = 1.5 : f32} : () -> tensor<?x4xf32, …>`
  }];
  let arguments = (ins Relax_ShapeAttr:$shape, Relax_ElementAttr:$value);
}

def Relax_FullLikeOp : Relax_CreateOp<"full_like", "One number everywhere, in the shape of x"> {
  let arguments = (ins Relax_Tensor:$x, Relax_ElementAttr:$value);
}

def Relax_ArangeOp : Relax_CheckedOp<"arange"> {
  let summary = "start, start + step, … up to but not including limit";
  let description = [{
    Of ceildiv(limit - start, step) elements. start, limit and step are expressions, 0 and 1 by
    default for start and step; step is a constant other than 0, or else at least 1, which is
    checked. For floating-point numbers they may also be f64 numbers, all three of them constant:
    element i is then start + i * step in float64, rounded.
    `relax.arange {limit = #relax.expr<n>, dtype = i64} : () -> tensor<?xi64, #relax.shape<[n]>>`
  }];
  let arguments = (ins OptionalAttr<Relax_ExprOrFloatAttr>:$start, Relax_ExprOrFloatAttr:$limit,
                       OptionalAttr<Relax_ExprOrFloatAttr>:$step, TypeAttr:$dtype);
  let results = (outs Relax_Tensor:$result);
}

def Relax_LinspaceOp : Relax_CreateOp<"linspace", "Evenly spaced numbers from start to stop"> {
  let description = [{
    count numbers, the last of them stop, or with `open` what would come before it. Element i is
    start + i * ((stop - start) / (count - 1)) in float64, rounded.
    `relax.linspace {start = 0.0, stop = 1.0, count = #relax.expr<n>, dtype = f32}`
  }];
  let arguments = (ins F64Attr:$start, F64Attr:$stop, Relax_ExprAttr:$count, TypeAttr:$dtype,
                       UnitAttr:$open);
}

def Relax_EyeOp : Relax_CreateOp<"eye", "1 where column = row + offset, 0 elsewhere"> {
  let description = "[rows, columns]; offset 0 is the main diagonal, above it they are positive.";
  let arguments = (ins Relax_ExprAttr:$rows, Relax_ExprAttr:$columns,
                       OptionalAttr<Relax_ExprAttr>:$offset, TypeAttr:$dtype);
}

def Relax_CausalMaskOp : Relax_CreateOp<"causal_mask", "True where column <= row + offset"> {
  let description = [{
    bool [rows, columns]: which of `columns` keys each of `rows` queries may see. offset is by
    default columns - rows: the last query sees every key.
  }];
  let arguments = (ins Relax_ExprAttr:$rows, Relax_ExprAttr:$columns,
                       OptionalAttr<Relax_ExprAttr>:$offset);
}

def Relax_OneHotOp : Relax_CreateOp<"one_hot", "on where the index names the place, else off"> {
  let description = [{
    The result has one more axis than indices, of `depth` places, at `axis` of its own shape (by
    default the last). An index i in [-depth, -1] means depth + i; others out of range name no
    place.
    `relax.one_hot %i {depth = #relax.expr<4>, on = 1.0 : f32, off = 0.0 : f32}`
  }];
  let arguments = (ins Relax_Tensor:$indices, Relax_ExprAttr:$depth,
                       DefaultValuedAttr<I64Attr, "-1">:$axis, Relax_ElementAttr:$on,
                       Relax_ElementAttr:$off);
}

class Relax_TriangleOp<string mnemonic, string text> : Relax_CreateOp<mnemonic, text> {
  let description = [{
    Of each matrix of the last two axes. diagonal is 0, the main one, by default; above it numbers
    are positive.
  }];
  let arguments = (ins Relax_Tensor:$x, OptionalAttr<Relax_ExprAttr>:$diagonal);
}
def Relax_TrilOp : Relax_TriangleOp<"tril", "x where column <= row + diagonal, 0 elsewhere">;
def Relax_TriuOp : Relax_TriangleOp<"triu", "x where column >= row + diagonal, 0 elsewhere">;

#endif // RELAX_CREATE_OPS_TD
