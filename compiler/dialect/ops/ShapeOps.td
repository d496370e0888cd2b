//===- ShapeOps.td - other arrangements of the same elements, and shapes as values ------------===//
#ifndef RELAX_SHAPE_OPS_TD
#define RELAX_SHAPE_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_ReshapeOp : Relax_Op<"reshape", [DeclareOpInterfaceMethods<Relax_RuntimeChecked>]> {
  let summary = "The same elements in row-major order, in another shape";
  let description = [{
    The element counts must be equal, which is checked at run time where it isn't proved.
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

def Relax_ShapeOfOp : Relax_DeducedOp<"shape_of"> {
  let summary = "The shape of a tensor as a value";
  let arguments = (ins Relax_AnyRankTensor:$x);
  let results = (outs Relax_ShapeType:$result);
}

def Relax_ShapeOp : Relax_Op<"shape", [InferTypeOpAdaptor]> {
  let summary = "A shape made of sizes";
  let description = "`%s = relax.shape <[n, 4]>` has the type `!relax.shape<[n, 4]>`.";
  let arguments = (ins Relax_ShapeAttr:$dims);
  let results = (outs Relax_ShapeType:$result);
  let assemblyFormat = "$dims attr-dict";
  let builders = [OpBuilder<(ins "::llvm::ArrayRef<::relax::symbolic::Expr>":$dims)>];
}

def Relax_TensorToShapeOp
    : Relax_CheckingOp<"tensor_to_shape", [InferTypeOpAdaptor,
                                           DeclareOpInterfaceMethods<Relax_IntroducesSymbols>]> {
  let summary = "The elements of a vector of integers as a shape; none may be negative";
  let description = [{
    `relax.tensor_to_shape %t {symbols = ["a", "b"]} : (tensor<2xi64>) -> !relax.shape<[a, b]>`
    introduces a symbol for each element; without `symbols` only the rank is known.
  }];
  let arguments = (ins Relax_Tensor:$x, OptionalAttr<StrArrayAttr>:$symbols);
  let results = (outs Relax_ShapeType:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Relax_ShapeToTensorOp : Relax_DeducedOp<"shape_to_tensor"> {
  let summary = "A shape as a vector of i64";
  let arguments = (ins Relax_ShapeType:$shape);
  let results = (outs Relax_Tensor:$result);
}

def Relax_ReshapeToOp : Relax_CheckedOp<"reshape_to"> {
  let summary = "The same elements in row-major order, in a shape that is a value";
  let description = [{
    The element counts must be equal, which is checked at run time where it isn't proved.
    `relax.reshape_to %x, %s : (tensor<?xf32>, !relax.shape<[n, 4]>) ->
                               tensor<?x4xf32, #relax.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_AnyRankTensor:$x, Relax_ShapeType:$shape);
  let results = (outs Relax_AnyRankTensor:$result);
}

def Relax_PrefixOp : Relax_DataDependentOp<"prefix"> {
  let summary = "The first rows of a tensor, as many as a count says";
  let description = [{
    `relax.prefix %x, %count {symbol = "u"} : (tensor<8x2xi64>, tensor<i64>) ->
                                              tensor<?x2xi64, #relax.shape<[u, 2]>>`
    introduces u, the count, with 0 <= u <= 8; that is checked at run time. A view of x.
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_Tensor:$count, StrAttr:$symbol);
  let results = (outs Relax_Tensor:$result);
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
