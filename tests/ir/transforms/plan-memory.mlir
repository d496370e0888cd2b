// RUN: relax-opt %s --relax-plan-memory --split-input-file --verify-diagnostics | FileCheck %s

func.func private @k(%x: tensor<?x8xf32, #relax.shape<[s0, 8]>>) -> tensor<?x8xf32, #relax.shape<[s0, 8]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}

// Four values in a row need two places; the last is computed in the caller's memory.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    relax.arena_size = #relax.expr<128 * ceildiv(n, 2)>
// CHECK:         call_kernel @k(%arg0) {storage = [#relax.storage<arena, 0>]
// CHECK:         call_kernel @k({{.*}}) {storage = [#relax.storage<arena, 64 * ceildiv(n, 2)>]
// CHECK:         call_kernel @k({{.*}}) {storage = [#relax.storage<arena, 0>]
// CHECK:         call_kernel @k({{.*}}) {storage = [#relax.storage<result, 0>]
func.func @chain(%x: tensor<?x8xf32, #relax.shape<[n, 8]>>) -> tensor<?x8xf32, #relax.shape<[n, 8]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %a = relax.call_kernel @k(%x) {symbols = [#relax.expr<n>]} : (tensor<?x8xf32, #relax.shape<[n, 8]>>) -> tensor<?x8xf32, #relax.shape<[n, 8]>>
  %b = relax.call_kernel @k(%a) {symbols = [#relax.expr<n>]} : (tensor<?x8xf32, #relax.shape<[n, 8]>>) -> tensor<?x8xf32, #relax.shape<[n, 8]>>
  %c = relax.call_kernel @k(%b) {symbols = [#relax.expr<n>]} : (tensor<?x8xf32, #relax.shape<[n, 8]>>) -> tensor<?x8xf32, #relax.shape<[n, 8]>>
  %d = relax.call_kernel @k(%c) {symbols = [#relax.expr<n>]} : (tensor<?x8xf32, #relax.shape<[n, 8]>>) -> tensor<?x8xf32, #relax.shape<[n, 8]>>
  return %d : tensor<?x8xf32, #relax.shape<[n, 8]>>
}

// -----

func.func private @k(%x: tensor<?x8xf32, #relax.shape<[s0, 8]>>) -> tensor<?x8xf32, #relax.shape<[s0, 8]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}
func.func private @two(%x: tensor<?x16xf32, #relax.shape<[s0, 16]>>, %y: tensor<?x8xf32, #relax.shape<[s1, 8]>>) -> tensor<?x8xf32, #relax.shape<[s1, 8]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0", "s1"]}

// A view keeps its operand's place alive: %b must not take it.
// CHECK-LABEL: func.func @view
// CHECK:         call_kernel @k(%arg0) {storage = [#relax.storage<arena, 0>]
// CHECK:         relax.reshape
// CHECK:         call_kernel @k({{.*}}) {storage = [#relax.storage<arena, 64 * n>]
func.func @view(%x: tensor<?x8xf32, #relax.shape<[2 * n, 8]>>, %n: tensor<?xf32, #relax.shape<[n]>>) -> tensor<?x8xf32, #relax.shape<[2 * n, 8]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %a = relax.call_kernel @k(%x) {symbols = [#relax.expr<2 * n>]} : (tensor<?x8xf32, #relax.shape<[2 * n, 8]>>) -> tensor<?x8xf32, #relax.shape<[2 * n, 8]>>
  %v = relax.reshape %a : tensor<?x8xf32, #relax.shape<[2 * n, 8]>> to tensor<?x16xf32, #relax.shape<[n, 16]>>
  %b = relax.call_kernel @k(%x) {symbols = [#relax.expr<2 * n>]} : (tensor<?x8xf32, #relax.shape<[2 * n, 8]>>) -> tensor<?x8xf32, #relax.shape<[2 * n, 8]>>
  %c = relax.call_kernel @two(%v, %b) {symbols = [#relax.expr<n>, #relax.expr<2 * n>]} : (tensor<?x16xf32, #relax.shape<[n, 16]>>, tensor<?x8xf32, #relax.shape<[2 * n, 8]>>) -> tensor<?x8xf32, #relax.shape<[2 * n, 8]>>
  return %c : tensor<?x8xf32, #relax.shape<[2 * n, 8]>>
}

// -----

func.func private @update(%x: tensor<?x8xf32, #relax.shape<[s0, 8]>>) -> tensor<?x8xf32, #relax.shape<[s0, 8]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}

// A donated argument's memory is reused.
// CHECK-LABEL: func.func @donated
// CHECK-SAME:    relax.arena_size = #relax.expr<0>
// CHECK:         storage = [#relax.storage<alias, 0>]
func.func @donated(%x: tensor<?x8xf32, #relax.shape<[n, 8]>> {relax.donated}) -> tensor<?x8xf32, #relax.shape<[n, 8]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %a = relax.call_kernel @update(%x) {symbols = [#relax.expr<n>], donates = array<i64: 0>} : (tensor<?x8xf32, #relax.shape<[n, 8]>>) -> tensor<?x8xf32, #relax.shape<[n, 8]>>
  return %a : tensor<?x8xf32, #relax.shape<[n, 8]>>
}

// -----

func.func private @update(%x: tensor<?x8xf32, #relax.shape<[s0, 8]>>) -> tensor<?x8xf32, #relax.shape<[s0, 8]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}

func.func @not_donated(%x: tensor<?x8xf32, #relax.shape<[n, 8]>>) -> tensor<?x8xf32, #relax.shape<[n, 8]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  // expected-error @+1 {{result 0 overwrites argument 0, which isn't marked relax.donated}}
  %a = relax.call_kernel @update(%x) {symbols = [#relax.expr<n>], donates = array<i64: 0>} : (tensor<?x8xf32, #relax.shape<[n, 8]>>) -> tensor<?x8xf32, #relax.shape<[n, 8]>>
  return %a : tensor<?x8xf32, #relax.shape<[n, 8]>>
}

// -----

func.func private @update(%x: tensor<?x8xf32, #relax.shape<[s0, 8]>>) -> tensor<?x8xf32, #relax.shape<[s0, 8]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}

func.func @still_needed(%x: tensor<?x8xf32, #relax.shape<[n, 8]>> {relax.donated}) -> (tensor<?x8xf32, #relax.shape<[n, 8]>>, tensor<?x8xf32, #relax.shape<[n, 8]>>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  // expected-error @+1 {{result 0 overwrites an operand that is still needed}}
  %a = relax.call_kernel @update(%x) {symbols = [#relax.expr<n>], donates = array<i64: 0>} : (tensor<?x8xf32, #relax.shape<[n, 8]>>) -> tensor<?x8xf32, #relax.shape<[n, 8]>>
  // expected-note @+1 {{it is last used here}}
  %b = relax.call_kernel @update(%x) {symbols = [#relax.expr<n>]} : (tensor<?x8xf32, #relax.shape<[n, 8]>>) -> tensor<?x8xf32, #relax.shape<[n, 8]>>
  return %a, %b : tensor<?x8xf32, #relax.shape<[n, 8]>>, tensor<?x8xf32, #relax.shape<[n, 8]>>
}
