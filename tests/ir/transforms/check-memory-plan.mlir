// RUN: relax-opt %s --relax-check-memory-plan --split-input-file --verify-diagnostics

!t = tensor<?x16xf32, #relax.shape<[t, 16]>>
func.func private @k(%x: tensor<?x16xf32, #relax.shape<[s0, 16]>>, %y: tensor<?x16xf32, #relax.shape<[s0, 16]>>) -> tensor<?x16xf32, #relax.shape<[s0, 16]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}
func.func @right(%x: !t) -> !t attributes {relax.symbols = #relax.symbols<t = [0, 4096]>, relax.arena_size = #relax.expr<128 * t>} {
  %1 = relax.call_kernel @k(%x, %x) {storage = [#relax.storage<arena, 0>], symbols = [#relax.expr<t>]} : (!t, !t) -> !t
  %2 = relax.call_kernel @k(%x, %1) {storage = [#relax.storage<arena, 64 * t>], symbols = [#relax.expr<t>]} : (!t, !t) -> !t
  %3 = relax.call_kernel @k(%x, %2) {storage = [#relax.storage<result, 0>], symbols = [#relax.expr<t>]} : (!t, !t) -> !t
  return %3 : !t
}

// -----

// The second is written where the first is still read.
!t = tensor<?x16xf32, #relax.shape<[t, 16]>>
func.func private @k(%x: tensor<?x16xf32, #relax.shape<[s0, 16]>>, %y: tensor<?x16xf32, #relax.shape<[s0, 16]>>) -> tensor<?x16xf32, #relax.shape<[s0, 16]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}
func.func @overlap(%x: !t) -> !t attributes {relax.symbols = #relax.symbols<t = [0, 4096]>, relax.arena_size = #relax.expr<64 * t + 64>} {
  // expected-note @+1 {{this one}}
  %1 = relax.call_kernel @k(%x, %x) {storage = [#relax.storage<arena, 0>], symbols = [#relax.expr<t>]} : (!t, !t) -> !t
  // expected-error @+1 {{result 0 shares bytes with a tensor that is still in use where t = 2}}
  %2 = relax.call_kernel @k(%x, %x) {storage = [#relax.storage<arena, 64>], symbols = [#relax.expr<t>]} : (!t, !t) -> !t
  %3 = relax.call_kernel @k(%1, %2) {storage = [#relax.storage<result, 0>], symbols = [#relax.expr<t>]} : (!t, !t) -> !t
  return %3 : !t
}

// -----

// Too small for more than one row.
!t = tensor<?x16xf32, #relax.shape<[t, 16]>>
func.func private @k(%x: tensor<?x16xf32, #relax.shape<[s0, 16]>>) -> tensor<?x16xf32, #relax.shape<[s0, 16]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}
func.func @too_small(%x: !t) -> !t attributes {relax.symbols = #relax.symbols<t = [1, 4096]>, relax.arena_size = #relax.expr<64>} {
  // expected-error @+1 {{result 0 has 128 bytes at 0, in an arena of 64 bytes where t = 2}}
  %1 = relax.call_kernel @k(%x) {storage = [#relax.storage<arena, 0>], symbols = [#relax.expr<t>]} : (!t) -> !t
  %2 = relax.call_kernel @k(%1) {storage = [#relax.storage<result, 0>], symbols = [#relax.expr<t>]} : (!t) -> !t
  return %2 : !t
}

// -----

// Nothing says that this kernel may write over its operand.
!t = tensor<?x16xf32, #relax.shape<[t, 16]>>
func.func private @k(%x: tensor<?x16xf32, #relax.shape<[s0, 16]>>) -> tensor<?x16xf32, #relax.shape<[s0, 16]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}
func.func @in_place(%x: !t) -> !t attributes {relax.symbols = #relax.symbols<t = [1, 4096]>, relax.arena_size = #relax.expr<64 * t>} {
  // expected-note @+1 {{this one}}
  %1 = relax.call_kernel @k(%x) {storage = [#relax.storage<arena, 0>], symbols = [#relax.expr<t>]} : (!t) -> !t
  // expected-error @+1 {{result 0 shares bytes with a tensor that is still in use where t = 1}}
  %2 = relax.call_kernel @k(%1) {storage = [#relax.storage<arena, 0>], symbols = [#relax.expr<t>]} : (!t) -> !t
  %3 = relax.call_kernel @k(%2) {storage = [#relax.storage<result, 0>], symbols = [#relax.expr<t>]} : (!t) -> !t
  return %3 : !t
}

// -----

!t = tensor<?x16xf32, #relax.shape<[t, 16]>>
func.func private @k(%x: tensor<?x16xf32, #relax.shape<[s0, 16]>>) -> tensor<?x16xf32, #relax.shape<[s0, 16]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}
func.func @elsewhere(%x: !t) -> !t attributes {relax.symbols = #relax.symbols<t = [1, 4096]>, relax.arena_size = #relax.expr<64 * t>} {
  %1 = relax.call_kernel @k(%x) {storage = [#relax.storage<arena, 0>], symbols = [#relax.expr<t>]} : (!t) -> !t
  // expected-error @+1 {{result 0 isn't where the plan puts it}}
  return %1 : !t
}

// -----

// At the end of what 64 bits count each tensor has a size, but both together don't: such a call fails
// before it uses memory.
!t = tensor<?x16xf32, #relax.shape<[t, 16]>>
func.func private @k(%x: tensor<?x16xf32, #relax.shape<[s0, 16]>>, %y: tensor<?x16xf32, #relax.shape<[s0, 16]>>) -> tensor<?x16xf32, #relax.shape<[s0, 16]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}
func.func @huge(%x: !t) -> !t attributes {relax.symbols = #relax.symbols<t = [0, 144115188075855871]>, relax.arena_size = #relax.expr<128 * t>} {
  %1 = relax.call_kernel @k(%x, %x) {storage = [#relax.storage<arena, 0>], symbols = [#relax.expr<t>]} : (!t, !t) -> !t
  %2 = relax.call_kernel @k(%x, %1) {storage = [#relax.storage<arena, 64 * t>], symbols = [#relax.expr<t>]} : (!t, !t) -> !t
  %3 = relax.call_kernel @k(%1, %2) {storage = [#relax.storage<result, 0>], symbols = [#relax.expr<t>]} : (!t, !t) -> !t
  return %3 : !t
}

// -----

// The guard of a reshape may stand in the caller; where the numbers of elements differ, there is no call.
!a = tensor<?x?xi32, #relax.shape<[n, n]>>
!b = tensor<?x?xi32, #relax.shape<[m, n]>>
func.func private @k(%x: tensor<?x?xi32, #relax.shape<[s0, s0]>>) -> tensor<?x?xi32, #relax.shape<[s0, s0]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}
func.func private @l(%x: tensor<?x?xi32, #relax.shape<[s0, s1]>>) -> tensor<?x?xi32, #relax.shape<[s0, s1]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0", "s1"]}
func.func @outlined(%x: !a, %y: !b) -> !b attributes {relax.symbols = #relax.symbols<m = [0, 99], n = [0, 99]>, relax.arena_size = #relax.expr<0>} {
  %1 = relax.call_kernel @k(%x) {storage = [#relax.storage<result, 0>], symbols = [#relax.expr<n>]} : (!a) -> !a
  %2 = relax.reshape %1 : !a to !b
  %3 = relax.call_kernel @l(%2) {donates = array<i64: 0>, storage = [#relax.storage<result, 0>], symbols = [#relax.expr<m>, #relax.expr<n>]} : (!b) -> !b
  return %3 : !b
}

// -----

// What a match_cast asserts counts where the extent was erased before it, too: @k writes in the place of x, and
// u is 3 in each call that gets so far.
!v = tensor<3x?xf32, #relax.shape<[3, u]>>
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func private @k(%x: tensor<3x?xf32, #relax.shape<[3, s0]>>) -> tensor<3x?xf32, #relax.shape<[3, s0]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value <s0>
  %e = tensor.empty(%n) : tensor<3x?xf32, #relax.shape<[3, s0]>>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x?xf32, #relax.shape<[3, s0]>>) outs(%e : tensor<3x?xf32, #relax.shape<[3, s0]>>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %a : f32
    linalg.yield %c : f32
  } -> tensor<3x?xf32, #relax.shape<[3, s0]>>
  return %y : tensor<3x?xf32, #relax.shape<[3, s0]>>
}
func.func @erased_before(%x: tensor<3x3xf32> {relax.donated}) -> !v attributes {relax.arena_size = #relax.expr<0>} {
  %1 = relax.erase %x : tensor<3x3xf32> to tensor<3x?xf32>
  %2 = relax.match_cast %1 : tensor<3x?xf32> to !v
  %3 = relax.call_kernel @k(%2) {storage = [#relax.storage<alias, 0>], symbols = [#relax.expr<u>]} : (!v) -> !v
  return %3 : !v
}
