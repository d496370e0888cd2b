// RUN: relax-opt %s --split-input-file --relax-verify | relax-opt --split-input-file --relax-verify | FileCheck %s

// A program with a workspace of its own: the sums of the rows of x, for a softmax. Before: it is made
// inside the program.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
!x = tensor<?x64xf32, #relax.shape<[n, 64]>>
!x_s0 = tensor<?x64xf32, #relax.shape<[s0, 64]>>
!sums_s0 = tensor<?xf32, #relax.shape<[s0]>>

// CHECK-LABEL: func.func private @normalize
// CHECK-SAME: -> tensor<?x64xf32, #relax.shape<[s0, 64]>>
func.func private @normalize(%x: !x_s0) -> !x_s0 attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value <s0>
  %zero = arith.constant 0.0 : f32
  %workspace = tensor.empty(%n) : !sums_s0
  %cleared = linalg.fill ins(%zero : f32) outs(%workspace : !sums_s0) -> !sums_s0
  %sums = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : !x_s0) outs(%cleared : !sums_s0) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> !sums_s0
  %e = tensor.empty(%n) : !x_s0
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums : !x_s0, !sums_s0) outs(%e : !x_s0) {
  ^bb0(%a: f32, %sum: f32, %o: f32):
    %q = arith.divf %a, %sum : f32
    linalg.yield %q : f32
  } -> !x_s0
  return %y : !x_s0
}
// CHECK-LABEL: func.func @main
// CHECK: relax.call_kernel @normalize(%arg0) {symbols = [#relax.expr<n>]} : (tensor<?x64xf32, #relax.shape<[n, 64]>>) -> tensor<?x64xf32, #relax.shape<[n, 64]>>
func.func @main(%x: !x) -> !x attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call_kernel @normalize(%x) {symbols = [#relax.expr<n>]} : (!x) -> !x
  return %0 : !x
}

// -----

// After: the workspace is a second result, which nothing uses, so that the caller's memory plan has it.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
!x = tensor<?x64xf32, #relax.shape<[n, 64]>>
!sums = tensor<?xf32, #relax.shape<[n]>>
!x_s0 = tensor<?x64xf32, #relax.shape<[s0, 64]>>
!sums_s0 = tensor<?xf32, #relax.shape<[s0]>>

// CHECK-LABEL: func.func private @normalize
// CHECK-SAME: -> (tensor<?x64xf32, #relax.shape<[s0, 64]>>, tensor<?xf32, #relax.shape<[s0]>>)
func.func private @normalize(%x: !x_s0) -> (!x_s0, !sums_s0) attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value <s0>
  %zero = arith.constant 0.0 : f32
  %workspace = tensor.empty(%n) : !sums_s0
  %cleared = linalg.fill ins(%zero : f32) outs(%workspace : !sums_s0) -> !sums_s0
  %sums = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : !x_s0) outs(%cleared : !sums_s0) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> !sums_s0
  %e = tensor.empty(%n) : !x_s0
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums : !x_s0, !sums_s0) outs(%e : !x_s0) {
  ^bb0(%a: f32, %sum: f32, %o: f32):
    %q = arith.divf %a, %sum : f32
    linalg.yield %q : f32
  } -> !x_s0
  return %y, %sums : !x_s0, !sums_s0
}
// CHECK-LABEL: func.func @main
// CHECK: relax.call_kernel @normalize(%arg0) {symbols = [#relax.expr<n>]} : (tensor<?x64xf32, #relax.shape<[n, 64]>>) -> (tensor<?x64xf32, #relax.shape<[n, 64]>>, tensor<?xf32, #relax.shape<[n]>>)
func.func @main(%x: !x) -> !x attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0:2 = relax.call_kernel @normalize(%x) {symbols = [#relax.expr<n>]} : (!x) -> (!x, !sums)
  return %0#0 : !x
}
