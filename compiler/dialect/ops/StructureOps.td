//===- StructureOps.td - dataflow blocks, and calls of kernels, libraries and functions -------===//
#ifndef RELAX_STRUCTURE_OPS_TD
#define RELAX_STRUCTURE_OPS_TD

include "compiler/dialect/ops/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def Relax_DataflowOp : Relax_Op<"dataflow", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "A block without side effects or control flow";
  let description = [{
    `%y = relax.dataflow -> tensor<4xf32> { ... relax.yield %a : tensor<4xf32> }`; sees the values
    around it.
  }];
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`->` type($results)^)? attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Relax_YieldOp : Relax_Op<"yield", [Terminator, HasParent<"DataflowOp">]> {
  let summary = "The results of a dataflow block";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def Relax_CallKernelOp
    : Relax_Op<"call_kernel", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a tensor program or scheduled kernel";
  let description = [{
    `%y = relax.call_kernel @k(%x) {symbols = [#relax.expr<n>]} : (…) -> …`. symbols gives the values
    of the callee's `relax.kernel_symbols`, in order; under them the types of operands and results
    are those of its signature. storage, one for each result, is where the memory plan puts it;
    donates says, for each result, whose operand's memory it takes over (-1: none).
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs,
                       DefaultValuedAttr<TypedArrayAttrBase<Relax_ExprAttr, "expressions">,
                                         "{}">:$symbols,
                       OptionalAttr<TypedArrayAttrBase<Relax_StorageAttr, "storage">>:$storage,
                       OptionalAttr<DenseI64ArrayAttr>:$donates);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat =
      "$callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
  let hasVerifier = 1;
}

def Relax_CallLibraryOp : Relax_Op<"call_library"> {
  let summary = "Calls a function of an external library";
  let description = "`%y = relax.call_library \"name\"(%x) {attributes} : (…) -> …`.";
  let arguments = (ins StrAttr:$function, Variadic<AnyType>:$inputs,
                       OptionalAttr<TypedArrayAttrBase<Relax_StorageAttr, "storage">>:$storage);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat =
      "$function `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
}

def Relax_CallOp : Relax_Op<"call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a graph function by its signature";
  let description = [{
    The callee's symbols are bound by unifying its parameter types with the operands' types; the
    result types are the callee's under them.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat =
      "$callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
}

#endif // RELAX_STRUCTURE_OPS_TD
