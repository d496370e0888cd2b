//===- ControlFlowOps.td - branches and loops on the graph level ------------------------------===//
#ifndef RELAX_CONTROL_FLOW_OPS_TD
#define RELAX_CONTROL_FLOW_OPS_TD

include "compiler/dialect/ops/OpBase.td"

class Relax_ControlFlowOp<string mnemonic, list<Trait> traits = []>
    : Op<Relax_Dialect, mnemonic,
         !listconcat(traits, [SingleBlock, RecursiveMemoryEffects])>;

def Relax_IfOp : Relax_ControlFlowOp<"if"> {
  let summary = "One of two regions, by a condition";
  let description = [{
    `%y = relax.if %c : tensor<i1> -> T { … relax.yield %a : A } else { … relax.yield %b : B }`.
    T is the join of A and B without the symbols that only a branch knows.
  }];
  let arguments = (ins Relax_Condition:$condition);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = [{
    $condition `:` type($condition) (`->` type($results)^)? attr-dict-with-keyword $thenRegion
    `else` $elseRegion
  }];
  let hasRegionVerifier = 1;
}

def Relax_WhileOp : Relax_ControlFlowOp<"while"> {
  let summary = "Repeats a region as long as a condition holds";
  let description = [{
        %r = relax.while (%i = %zero, %x = %start) : (tensor<i64>, tensor<?xf32>) {
          …
          relax.condition %go_on : tensor<i1>
        } do {
          …
          relax.yield %next, %longer : tensor<i64>, tensor<?xf32>
        }
    Both regions see the carried values. Their types hold on every trip: what the loop starts from
    and what it yields are at least as precise. Where the first are more precise they are written
    before: `: (tensor<i64>, tensor<1xf32>) -> (tensor<i64>, tensor<?xf32>)`. The results are the
    carried values for which the condition first fails. `do (%i, %x) {` gives them other names.
  }];
  let arguments = (ins Variadic<AnyType>:$inits);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$conditionRegion, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

def Relax_ConditionOp : Relax_Op<"condition", [Terminator, HasParent<"WhileOp">]> {
  let summary = "Whether a loop makes another trip";
  let arguments = (ins Relax_Condition:$condition);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
}

#endif // RELAX_CONTROL_FLOW_OPS_TD
