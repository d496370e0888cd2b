// RUN: relax-opt %s --relax-outline-regions --relax-verify | FileCheck %s
// RUN: relax-opt %s --relax-outline-regions --relax-plan-memory --relax-check-memory-plan | FileCheck %s --check-prefix=PLAN

!n = tensor<?x8xf32, #relax.shape<[n, 8]>>
!u = tensor<?x8xf32, #relax.shape<[u, 8]>>
func.func private @k(%x: tensor<?x8xf32, #relax.shape<[s0, 8]>>) -> tensor<?x8xf32, #relax.shape<[s0, 8]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}

// Three calls in a branch become one of a planned function; the branch is what makes @branch general.
// CHECK-LABEL: func.func private @branch_region
// CHECK-SAME:    relax.symbols = #relax.symbols<n = [1, 64]>
// CHECK-COUNT-3: relax.call_kernel @k
// PLAN-LABEL:  func.func private @branch_region
// PLAN-SAME:     relax.arena_size = #relax.expr<128 * ceildiv(n, 2)>
// CHECK-LABEL: func.func @branch(
// CHECK:         relax.if
// CHECK-NEXT:      %[[Y:.*]] = relax.call @branch_region(%arg1)
// CHECK-NEXT:      relax.yield %[[Y]]
// PLAN-LABEL:  func.func @branch(
// PLAN-SAME:     relax.general
func.func @branch(%c: tensor<i1>, %x: !n) -> !n attributes {relax.symbols = #relax.symbols<n = [1, 64]>} {
  %y = relax.if %c : tensor<i1> -> !n {
    %a = relax.call_kernel @k(%x) {symbols = [#relax.expr<n>]} : (!n) -> !n
    %b = relax.call_kernel @k(%a) {symbols = [#relax.expr<n>]} : (!n) -> !n
    %d = relax.call_kernel @k(%b) {symbols = [#relax.expr<n>]} : (!n) -> !n
    relax.yield %d : !n
  } else {
    relax.yield %x : !n
  }
  return %y : !n
}

// A view of what is computed inside is made again outside, and a constant inside.
// CHECK-LABEL: func.func private @view_region
// CHECK-LABEL: func.func @view(
// CHECK:         relax.if
// CHECK-NEXT:      %[[Y:.*]] = relax.call @view_region(%arg1)
// CHECK-NEXT:      %[[V:.*]] = relax.reshape %[[Y]]
// CHECK-NEXT:      relax.yield %[[V]]
func.func @view(%c: tensor<i1>, %x: !n) -> tensor<?xf32, #relax.shape<[8 * n]>> attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %r = relax.reshape %x : !n to tensor<?xf32, #relax.shape<[8 * n]>>
  %y = relax.if %c : tensor<i1> -> tensor<?xf32, #relax.shape<[8 * n]>> {
    %a = relax.call_kernel @k(%x) {symbols = [#relax.expr<n>]} : (!n) -> !n
    %b = relax.call_kernel @k(%a) {symbols = [#relax.expr<n>]} : (!n) -> !n
    %v = relax.reshape %b : !n to tensor<?xf32, #relax.shape<[8 * n]>>
    relax.yield %v : tensor<?xf32, #relax.shape<[8 * n]>>
  } else {
    relax.yield %r : tensor<?xf32, #relax.shape<[8 * n]>>
  }
  return %y : tensor<?xf32, #relax.shape<[8 * n]>>
}

// Where nothing is only the part's own there is nothing to plan; and a symbol that no tensor tells
// can't be passed.
// CHECK-LABEL: func.func @nothing(
// CHECK-NOT:     relax.call @
// CHECK:         return
func.func @nothing(%c: tensor<i1>, %x: !n, %s: !relax.shape<[m]>) -> (!n, !n) attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %a = relax.call_kernel @k(%x) {symbols = [#relax.expr<n>]} : (!n) -> !n
  %b = relax.call_kernel @k(%a) {symbols = [#relax.expr<n>]} : (!n) -> !n
  return %a, %b : !n, !n
}
