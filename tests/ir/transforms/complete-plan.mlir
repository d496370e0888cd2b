// RUN: relax-opt %s --relax-complete-plan --relax-verify | FileCheck %s
// RUN: relax-opt %s --relax-plan-memory --relax-complete-plan | FileCheck %s --check-prefix=PLANNED

// @initialize has a plan in any case, and so has what it calls; anything else that has none takes
// its tensors from a pool.
!n = tensor<?x8xf32, #relax.shape<[n, 8]>>
func.func private @k(%x: tensor<?x8xf32, #relax.shape<[s0, 8]>>) -> tensor<?x8xf32, #relax.shape<[s0, 8]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}

// CHECK-LABEL: func.func @initialize(
// CHECK-SAME:    relax.arena_size
// CHECK-NOT:     relax.general
// CHECK-COUNT-2: storage = [
// PLANNED-LABEL: func.func @initialize(
// PLANNED-SAME:    relax.arena_size
func.func @initialize() -> tensor<4x8xf32> {
  %c = arith.constant dense<1.0> : tensor<4x8xf32>
  %0 = relax.call_kernel @k(%c) {symbols = [#relax.expr<4>]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = relax.call @fixed(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
// CHECK-LABEL: func.func private @fixed(
// CHECK-SAME:    relax.arena_size
func.func private @fixed(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = relax.call_kernel @k(%x) {symbols = [#relax.expr<4>]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    relax.general
// CHECK-NOT:     storage
// PLANNED-LABEL: func.func @f(
// PLANNED-SAME:    relax.arena_size
func.func @f(%x: !n) -> !n attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call_kernel @k(%x) {symbols = [#relax.expr<n>]} : (!n) -> !n
  return %0 : !n
}
