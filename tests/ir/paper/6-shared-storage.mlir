// RUN: relax-opt %s --relax-verify --relax-plan-memory --relax-verify | FileCheck %s

// (2, n) is transposed, goes through exp and relu, and is transposed again, and again. All shapes have
// 2 * n elements, which is proved; so two places of the arena serve five values, in turn.
!a = tensor<2x?xf32, #relax.shape<[2, n]>>
!b = tensor<?x2xf32, #relax.shape<[n, 2]>>
func.func private @transpose(tensor<?x?xf32, #relax.shape<[s0, s1]>>) -> tensor<?x?xf32, #relax.shape<[s1, s0]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0", "s1"]}
func.func private @exp(tensor<?x2xf32, #relax.shape<[s0, 2]>>) -> tensor<?x2xf32, #relax.shape<[s0, 2]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}
func.func private @relu(tensor<?x2xf32, #relax.shape<[s0, 2]>>) -> tensor<?x2xf32, #relax.shape<[s0, 2]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}

// CHECK-LABEL: func.func @main
// CHECK-SAME:  relax.arena_size = #relax.expr<128 * ceildiv(n, 8)>
// CHECK: @transpose(%arg0) {storage = [#relax.storage<arena, 0>]
// CHECK: @exp({{.*}}) {storage = [#relax.storage<arena, 64 * ceildiv(n, 8)>]
// CHECK: @relu({{.*}}) {storage = [#relax.storage<arena, 0>]
// CHECK: @transpose({{.*}}) {storage = [#relax.storage<arena, 64 * ceildiv(n, 8)>]
// CHECK: @transpose({{.*}}) {storage = [#relax.storage<result, 0>]
func.func @main(%x: !a) -> !b attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call_kernel @transpose(%x) {symbols = [#relax.expr<2>, #relax.expr<n>]} : (!a) -> !b
  %1 = relax.call_kernel @exp(%0) {symbols = [#relax.expr<n>]} : (!b) -> !b
  %2 = relax.call_kernel @relu(%1) {symbols = [#relax.expr<n>]} : (!b) -> !b
  %3 = relax.call_kernel @transpose(%2) {symbols = [#relax.expr<n>, #relax.expr<2>]} : (!b) -> !a
  %4 = relax.call_kernel @transpose(%3) {symbols = [#relax.expr<2>, #relax.expr<n>]} : (!a) -> !b
  return %4 : !b
}
