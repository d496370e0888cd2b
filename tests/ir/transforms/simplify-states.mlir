// RUN: relax-opt %s --relax-simplify-states --split-input-file | FileCheck %s

// State 0 is a constant, state 2 is state 1 in another shape.
// CHECK-LABEL: func.func @initialize() -> tensor<4xf32>
// CHECK-SAME:    relax.state_names = ["b"]
// CHECK:         %[[K:.*]] = relax.call_kernel @twice
// CHECK:         return %[[K]] : tensor<4xf32>
// CHECK-LABEL: func.func @f
// CHECK-DAG:     %[[C:.*]] = arith.constant dense<3.0
// CHECK-DAG:     %[[B:.*]] = relax.state 0 "b" : tensor<4xf32>
// CHECK-DAG:     %[[AGAIN:.*]] = relax.state 0 "b" : tensor<4xf32>
// CHECK-DAG:     %[[R:.*]] = relax.reshape %[[AGAIN]] : tensor<4xf32> to tensor<2x2xf32>
// CHECK:         return
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.kernel, relax.kernel_symbols = []} {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @initialize() -> (tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>)
    attributes {relax.state_names = ["a", "b", "c"]} {
  %c = arith.constant dense<3.0> : tensor<4xf32>
  %k = relax.call_kernel @twice(%c) : (tensor<4xf32>) -> tensor<4xf32>
  %r = relax.reshape %k : tensor<4xf32> to tensor<2x2xf32>
  return %c, %k, %r : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>
}
func.func @f() -> (tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>) {
  %a = relax.state 0 "a" : tensor<4xf32>
  %b = relax.state 1 "b" : tensor<4xf32>
  %c = relax.state 2 "c" : tensor<2x2xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>
}

// -----

// Nothing is left of it.
// CHECK-NOT:   @initialize
// CHECK-LABEL: func.func @only_a_constant
// CHECK:         arith.constant dense<-3>
func.func @initialize() -> tensor<i64> attributes {relax.state_names = ["a"]} {
  %c = arith.constant dense<-3> : tensor<i64>
  return %c : tensor<i64>
}
func.func @only_a_constant() -> tensor<i64> {
  %a = relax.state 0 "a" : tensor<i64>
  return %a : tensor<i64>
}

// -----

// Each has memory of its own: nothing changes.
// CHECK-LABEL: func.func @initialize() -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-LABEL: func.func @g
// CHECK:         relax.state 0 "a"
// CHECK:         relax.state 1 "b"
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.kernel, relax.kernel_symbols = []} {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @initialize() -> (tensor<4xf32>, tensor<4xf32>)
    attributes {relax.state_names = ["a", "b"]} {
  %c = arith.constant dense<3.0> : tensor<4xf32>
  %k = relax.call_kernel @twice(%c) : (tensor<4xf32>) -> tensor<4xf32>
  %l = relax.call_kernel @twice(%k) : (tensor<4xf32>) -> tensor<4xf32>
  return %k, %l : tensor<4xf32>, tensor<4xf32>
}
func.func @g() -> (tensor<4xf32>, tensor<4xf32>) {
  %a = relax.state 0 "a" : tensor<4xf32>
  %b = relax.state 1 "b" : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
