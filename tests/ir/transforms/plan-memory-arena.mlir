// RUN: relax-opt %s --relax-plan-memory --relax-check-memory-plan --split-input-file | FileCheck %s

// Sizes of different symbols share one arena: where one of two is larger depends on the call, and
// the offset of what lies on both is the maximum.
!t = tensor<?x16xf32, #relax.shape<[t, 16]>>
!b = tensor<?x16xf32, #relax.shape<[b, 16]>>
func.func private @k(%x: tensor<?x16xf32, #relax.shape<[s0, 16]>>, %y: tensor<?x16xf32, #relax.shape<[s1, 16]>>) -> tensor<?x16xf32, #relax.shape<[s0, 16]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0", "s1"]}
func.func private @last(%x: tensor<?x16xf32, #relax.shape<[s0, 16]>>, %y: tensor<?x16xf32, #relax.shape<[s1, 16]>>, %z: tensor<?x16xf32, #relax.shape<[s0, 16]>>) -> tensor<?x16xf32, #relax.shape<[s0, 16]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0", "s1"]}

// At each time at most 128 * t + 64 * b bytes are alive; t and b together, since both are.
// CHECK-LABEL: func.func @two_symbols
// CHECK-SAME:    relax.arena_size = #relax.expr<64 * b + 64 * t>
func.func @two_symbols(%x: !t, %y: !b) -> !t attributes {relax.symbols = #relax.symbols<t = [1, 4096], b = [1, 64]>} {
  %1 = relax.call_kernel @k(%x, %y) {symbols = [#relax.expr<t>, #relax.expr<b>]} : (!t, !b) -> !t
  %2 = relax.call_kernel @k(%y, %1) {symbols = [#relax.expr<b>, #relax.expr<t>]} : (!b, !t) -> !b
  %3 = relax.call_kernel @k(%x, %2) {symbols = [#relax.expr<t>, #relax.expr<b>]} : (!t, !b) -> !t
  %4 = relax.call_kernel @k(%x, %3) {symbols = [#relax.expr<t>, #relax.expr<t>]} : (!t, !t) -> !t
  return %4 : !t
}

// One after the other, of different symbols: the larger of the two decides, exactly.
// CHECK-LABEL: func.func @maximum
// CHECK-SAME:    relax.arena_size = #relax.expr<max(64 * b, 64 * t)>
// CHECK:         storage = [#relax.storage<arena, 0>]
// CHECK:         storage = [#relax.storage<result, 0>]
// CHECK:         storage = [#relax.storage<arena, 0>]
// CHECK:         storage = [#relax.storage<result, 1>]
func.func @maximum(%x: !t, %y: !b) -> (!t, !t) attributes {relax.symbols = #relax.symbols<t = [1, 4096], b = [1, 64]>} {
  %1 = relax.call_kernel @k(%x, %y) {symbols = [#relax.expr<t>, #relax.expr<b>]} : (!t, !b) -> !t
  %2 = relax.call_kernel @k(%x, %1) {symbols = [#relax.expr<t>, #relax.expr<t>]} : (!t, !t) -> !t
  %3 = relax.call_kernel @k(%y, %y) {symbols = [#relax.expr<b>, #relax.expr<b>]} : (!b, !b) -> !b
  %4 = relax.call_kernel @k(%x, %3) {symbols = [#relax.expr<t>, #relax.expr<b>]} : (!t, !b) -> !t
  return %2, %4 : !t, !t
}

// A result that nothing reads lives during its call only.
// CHECK-LABEL: func.func @unused
// CHECK-SAME:    relax.arena_size = #relax.expr<64 * t>
func.func @unused(%x: !t, %y: !b) -> !t attributes {relax.symbols = #relax.symbols<t = [1, 4096], b = [1, 64]>} {
  %1 = relax.call_kernel @k(%x, %y) {symbols = [#relax.expr<t>, #relax.expr<b>]} : (!t, !b) -> !t
  %2 = relax.call_kernel @k(%x, %y) {symbols = [#relax.expr<t>, #relax.expr<b>]} : (!t, !b) -> !t
  %3 = relax.call_kernel @k(%x, %y) {symbols = [#relax.expr<t>, #relax.expr<b>]} : (!t, !b) -> !t
  return %3 : !t
}
