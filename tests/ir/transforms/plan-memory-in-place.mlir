// RUN: relax-opt %s --relax-plan-memory --relax-check-memory-plan --split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
!s = tensor<?x8xf32, #relax.shape<[s0, 8]>>
!t = tensor<?x8xf32, #relax.shape<[n, 8]>>
func.func private @add(%x: !s, %y: !s) -> !s attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value <s0>
  %e = tensor.empty(%n) : !s
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : !s, !s) outs(%e : !s) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> !s
  return %r : !s
}
// Its rows are read in another order than they are written: never in place.
func.func private @other(%x: !s) -> !s attributes {relax.kernel, relax.kernel_symbols = ["s0"]}

// %b is written over %a, which dies there; %c over %b; and %c is what is returned, so all of them are
// the caller's memory.
// CHECK-LABEL: func.func @returned
// CHECK-SAME:    relax.arena_size = #relax.expr<0>
// CHECK-COUNT-3: call_kernel @add({{.*}}) {storage = [#relax.storage<result, 0>]
func.func @returned(%x: !t, %y: !t) -> !t attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %a = relax.call_kernel @add(%x, %y) {symbols = [#relax.expr<n>]} : (!t, !t) -> !t
  %b = relax.call_kernel @add(%a, %x) {symbols = [#relax.expr<n>]} : (!t, !t) -> !t
  %c = relax.call_kernel @add(%x, %b) {symbols = [#relax.expr<n>]} : (!t, !t) -> !t
  return %c : !t
}

// %a is read again after %b: %b has a place of its own. %c is written over one of the two.
// CHECK-LABEL: func.func @still_read
// CHECK-SAME:    relax.arena_size = #relax.expr<128 * ceildiv(n, 2)>
// CHECK:         %[[A:.*]] = relax.call_kernel @add({{.*}}) {storage = [#relax.storage<arena, [[PA:.*]]>]
// CHECK:         relax.call_kernel @add({{.*}}) {storage = [#relax.storage<arena, [[PB:.*]]>]
// CHECK:         relax.call_kernel @add({{.*}}) {storage = [#relax.storage<arena, {{.*}}>]
// CHECK:         relax.call_kernel @other({{.*}}) {storage = [#relax.storage<result, 0>]
func.func @still_read(%x: !t, %y: !t) -> !t attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %a = relax.call_kernel @add(%x, %y) {symbols = [#relax.expr<n>]} : (!t, !t) -> !t
  %b = relax.call_kernel @add(%a, %x) {symbols = [#relax.expr<n>]} : (!t, !t) -> !t
  %c = relax.call_kernel @add(%a, %b) {symbols = [#relax.expr<n>]} : (!t, !t) -> !t
  %d = relax.call_kernel @other(%c) {symbols = [#relax.expr<n>]} : (!t) -> !t
  return %d : !t
}

// A program whose body isn't known keeps its operand and its result apart.
// CHECK-LABEL: func.func @opaque
// CHECK-SAME:    relax.arena_size = #relax.expr<64 * ceildiv(n, 2)>
// CHECK:         call_kernel @other({{.*}}) {storage = [#relax.storage<arena, 0>]
// CHECK:         call_kernel @other({{.*}}) {storage = [#relax.storage<result, 0>]
func.func @opaque(%x: !t) -> !t attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %a = relax.call_kernel @other(%x) {symbols = [#relax.expr<n>]} : (!t) -> !t
  %b = relax.call_kernel @other(%a) {symbols = [#relax.expr<n>]} : (!t) -> !t
  return %b : !t
}

// A donated argument that dies may be written over as well; an argument that isn't donated, never.
// CHECK-LABEL: func.func @donated
// CHECK:         call_kernel @add({{.*}}) {storage = [#relax.storage<alias, 0>]
// CHECK:         call_kernel @other({{.*}}) {storage = [#relax.storage<result, 0>]
func.func @donated(%x: !t {relax.donated}, %y: !t) -> !t attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %a = relax.call_kernel @add(%y, %x) {symbols = [#relax.expr<n>]} : (!t, !t) -> !t
  %b = relax.call_kernel @other(%a) {symbols = [#relax.expr<n>]} : (!t) -> !t
  return %b : !t
}

// A view of what dies is what dies.
// CHECK-LABEL: func.func @viewed
// CHECK-SAME:    relax.arena_size = #relax.expr<64 * ceildiv(n, 2)>
// CHECK:         call_kernel @other({{.*}}) {storage = [#relax.storage<arena, 0>]
// CHECK:         call_kernel @add({{.*}}) {storage = [#relax.storage<arena, 0>]
func.func @viewed(%x: !t) -> !t attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %a = relax.call_kernel @other(%x) {symbols = [#relax.expr<n>]} : (!t) -> !t
  %v = relax.reshape %a : !t to tensor<?xf32, #relax.shape<[8 * n]>>
  %w = relax.reshape %v : tensor<?xf32, #relax.shape<[8 * n]>> to !t
  %b = relax.call_kernel @add(%w, %x) {symbols = [#relax.expr<n>]} : (!t, !t) -> !t
  %c = relax.call_kernel @other(%b) {symbols = [#relax.expr<n>]} : (!t) -> !t
  return %c : !t
}
