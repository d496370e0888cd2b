//===- StructureOps.td - dataflow blocks and tuples -------------------------------------------===//
#ifndef RELAX_STRUCTURE_OPS_TD
#define RELAX_STRUCTURE_OPS_TD

include "compiler/dialect/ops/OpBase.td"

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

def Relax_YieldOp : Relax_Op<"yield", [Terminator, ParentOneOf<["DataflowOp", "IfOp", "WhileOp"]>]> {
  let summary = "The results of a dataflow block or branch, or a loop's next values";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def Relax_TupleOp : Relax_DeducedOp<"tuple"> {
  let summary = "A tuple of values";
  let description = "`%t = relax.tuple %a, %b : (A, B) -> tuple<A, B>`; tuples nest.";
  let arguments = (ins Variadic<AnyType>:$values);
  let results = (outs AnyTuple:$result);
}

def Relax_TupleGetOp : Relax_DeducedOp<"tuple_get"> {
  let summary = "The part of a tuple at a constant index";
  let description = "`%b = relax.tuple_get %t {index = 1} : (tuple<A, B>) -> B`";
  let arguments = (ins AnyTuple:$value, I64Attr:$index);
  let results = (outs AnyType:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "int64_t":$index)>];
}

#endif // RELAX_STRUCTURE_OPS_TD
