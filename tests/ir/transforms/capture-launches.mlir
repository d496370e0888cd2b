// RUN: relax-opt %s --relax-plan-memory --relax-capture-launches --relax-verify | FileCheck %s

!n = tensor<?x8xf32, #relax.shape<[n, 8]>>
func.func private @k(%x: tensor<?x8xf32, #relax.shape<[s0, 8]>>) -> tensor<?x8xf32, #relax.shape<[s0, 8]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]}

// It runs once.
// CHECK-LABEL: func.func @initialize(
// CHECK-NOT:     relax.captured
func.func @initialize() -> tensor<4x8xf32> {
  %c = arith.constant dense<1.0> : tensor<4x8xf32>
  %0 = relax.call_kernel @k(%c) {symbols = [#relax.expr<4>]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Kernels, and calls of functions that are captured.
// CHECK-LABEL: func.func private @inner(
// CHECK-SAME:    relax.captured
func.func private @inner(%x: !n) -> !n attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call_kernel @k(%x) {symbols = [#relax.expr<n>]} : (!n) -> !n
  return %0 : !n
}
// CHECK-LABEL: func.func @outer(
// CHECK-SAME:    relax.captured
func.func @outer(%x: !n) -> !n attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call @inner(%x) : (!n) -> !n
  %1 = relax.call @inner(%0) : (!n) -> !n
  return %1 : !n
}

// Libraries, but no functions.
// CHECK-LABEL: func.func private @library(
// CHECK-SAME:    relax.captured
func.func private @library(%x: !n) -> !n attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call_library "mine.f"(%x) : (!n) -> !n
  return %0 : !n
}

// A library could call the functions whose launches would be part of the list.
// CHECK-LABEL: func.func @library_below(
// CHECK-NOT:     relax.captured
func.func @library_below(%x: !n) -> !n attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call @library(%x) : (!n) -> !n
  return %0 : !n
}
// CHECK-LABEL: func.func @library_beside(
// CHECK-NOT:     relax.captured
func.func @library_beside(%x: !n) -> !n attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call @inner(%x) : (!n) -> !n
  %1 = relax.call_library "mine.f"(%0) : (!n) -> !n
  return %1 : !n
}

// Elements are read at the door: of the function itself that is fine, of what it calls it isn't.
// CHECK-LABEL: func.func private @door(
// CHECK-SAME:    relax.captured
func.func private @door(%x: !n, %i: tensor<4xi32> {relax.values = #relax.values<0, 8>}) -> !n attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call_kernel @k(%x) {symbols = [#relax.expr<n>]} : (!n) -> !n
  return %0 : !n
}
// CHECK-LABEL: func.func @calls_door(
// CHECK-NOT:     relax.captured
func.func @calls_door(%x: !n, %i: tensor<4xi32>) -> !n attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call @door(%x, %i) : (!n, tensor<4xi32>) -> !n
  return %0 : !n
}

// A general function decides while it runs.
// CHECK-LABEL: func.func @general(
// CHECK-NOT:     relax.captured
func.func @general(%c: tensor<i1>, %x: !n) -> !n attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %y = relax.if %c : tensor<i1> -> !n {
    %0 = relax.call @inner(%x) : (!n) -> !n
    relax.yield %0 : !n
  } else {
    relax.yield %x : !n
  }
  return %y : !n
}
