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
