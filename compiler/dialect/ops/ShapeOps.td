//===- ShapeOps.td - other arrangements of the same elements, and shapes as values ------------===//
#ifndef RELAX_SHAPE_OPS_TD
#define RELAX_SHAPE_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_ReshapeOp : Relax_Op<"reshape"> {
  let summary = "The same elements in row-major order, in another shape";
  let description = [{
    The element counts must be provably equal.
    `relax.reshape %x : tensor<?x576xf32, #relax.shape<[n, 576]>> to
                        tensor<?x9x64xf32, #relax.shape<[n, 9, 64]>>`
  }];
  let arguments = (ins Relax_Tensor:$x);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$x,
                                 "::llvm::ArrayRef<::relax::symbolic::Expr>":$dims)>];
  let hasVerifier = 1;
}

def Relax_MatchCastOp : Relax_Op<"match_cast"> {
  let summary = "The same value with a more precise annotation";
  let description = [{
    Binds the symbols that the result's annotation is the first to name, and asserts the rest; what
    isn't proved is checked at run time. The element type stays.
    `relax.match_cast %x : tensor<?x?xf32> to tensor<?x4xf32, #relax.shape<[m, 4]>>`
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
}

def Relax_ShapeOfOp : Relax_DeducedOp<"shape_of"> {
  let summary = "The shape of a tensor as a value";
  let arguments = (ins Relax_Tensor:$x);
  let results = (outs Relax_ShapeType:$result);
}

def Relax_SymbolValueOp : Relax_Op<"symbol_value"> {
  let summary = "The value of an expression over the enclosing function's symbols, as an index";
  let description = "`%size = relax.symbol_value <2 * n>`.";
  let arguments = (ins Relax_ExprAttr:$expr);
  let results = (outs Index:$result);
  let assemblyFormat = "$expr attr-dict";
  let builders = [OpBuilder<(ins "::relax::symbolic::Expr":$expr)>];
}

#endif // RELAX_SHAPE_OPS_TD
