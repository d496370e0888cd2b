//===- CheckOps.td - what is checked at run time, and annotations that change -----------------===//
#ifndef RELAX_CHECK_OPS_TD
#define RELAX_CHECK_OPS_TD

include "compiler/dialect/ops/OpBase.td"

def Relax_MatchCastOp
    : Relax_CheckingOp<"match_cast", [DeclareOpInterfaceMethods<Relax_IntroducesSymbols>]> {
  let summary = "The same value with a more precise annotation";
  let description = [{
    Introduces the symbols of the result's annotation that aren't in scope, and asserts the rest;
    what isn't proved is checked at run time. A new symbol is solved for: it must be a dimension of
    its own, or be in one that determines it, like `2 * m + 1`. Of tensors, shapes, tuples, functions
    and objects.
    `relax.match_cast %x : tensor<?x?xf32> to tensor<?x4xf32, #relax.shape<[m, 4]>>`
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
}

def Relax_EraseOp : Relax_Op<"erase"> {
  let summary = "The same value with a less precise annotation";
  let description = [{
    Always proved, never checked.
    `relax.erase %x : tensor<?x4xf32, #relax.shape<[m, 4]>> to tensor<?x4xf32>`
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
}

def Relax_GuardOp : Relax_CheckingOp<"guard"> {
  let summary = "Goes on only if a relation between sizes holds; else a run-time error with the text";
  let description = "`relax.guard <equal, n, m> \"dimension 0 of mask\"`";
  let arguments = (ins Relax_ConstraintAttr:$constraint, StrAttr:$text);
  let assemblyFormat = "$constraint $text attr-dict";
  let hasVerifier = 1;
}

def Relax_CheckValuesOp : Relax_CheckingOp<"check_values"> {
  let summary = "Goes on only if every element is in a range";
  let description = [{
    `relax.check_values %indices <0, n> {what = "take"} : tensor<4xi64>`: 0 <= element < n, else an
    error with `what`, the element, its place and the bound.
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_ValuesAttr:$range, StrAttr:$what);
  let assemblyFormat = "$x $range attr-dict `:` type($x)";
  let hasVerifier = 1;
}

#endif // RELAX_CHECK_OPS_TD
