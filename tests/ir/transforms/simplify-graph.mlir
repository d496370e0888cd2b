// RUN: relax-opt %s --relax-simplify-graph --relax-verify | FileCheck %s

!x = tensor<?x4xf32, #relax.shape<[n, 4]>>

// Parts of tuples, nested; reshapes, permutations and casts that cancel.
// CHECK-LABEL: func.func @cancel
// CHECK-NEXT: return %arg0, %arg1
func.func @cancel(%x: !x, %h: tensor<4xf16>) -> (!x, tensor<4xf16>) attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %a = relax.tuple %x, %h : (!x, tensor<4xf16>) -> tuple<!x, tensor<4xf16>>
  %b = relax.tuple %a, %h : (tuple<!x, tensor<4xf16>>, tensor<4xf16>) -> tuple<tuple<!x, tensor<4xf16>>, tensor<4xf16>>
  %c = relax.tuple_get %b {index = 0 : i64} : (tuple<tuple<!x, tensor<4xf16>>, tensor<4xf16>>) -> tuple<!x, tensor<4xf16>>
  %d = relax.tuple_get %c {index = 0 : i64} : (tuple<!x, tensor<4xf16>>) -> !x
  %e = relax.reshape %d : !x to tensor<?xf32, #relax.shape<[4 * n]>>
  %f = relax.reshape %e : tensor<?xf32, #relax.shape<[4 * n]>> to !x
  %g = relax.permute %f {permutation = array<i64: 1, 0>} : (!x) -> tensor<4x?xf32, #relax.shape<[4, n]>>
  %i = relax.permute %g {permutation = array<i64: 1, 0>} : (tensor<4x?xf32, #relax.shape<[4, n]>>) -> !x
  %j = relax.negate %i : (!x) -> !x
  %k = relax.negate %j : (!x) -> !x
  %l = relax.cast %h : tensor<4xf16> to tensor<4xf32>
  %m = relax.cast %l : tensor<4xf32> to tensor<4xf16>
  return %k, %m : !x, tensor<4xf16>
}

// What changes no value, whatever it is.
// CHECK-LABEL: func.func @neutral
// CHECK-NEXT: return %arg0
func.func @neutral(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %minus = arith.constant dense<-0.0> : tensor<4xf32>
  %0 = relax.multiply %one, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = relax.divide %0, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = relax.subtract %1, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = relax.add %2, %minus : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -0 + 0 is 0; NaN * 0 is NaN; 1 / x is not x; a narrower type rounds; the shape changes.
// CHECK-LABEL: func.func @stays
// CHECK: relax.add
// CHECK: relax.multiply
// CHECK: relax.divide
// CHECK: relax.cast
// CHECK: relax.cast
// CHECK: relax.multiply
func.func @stays(%x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %0 = relax.add %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = relax.multiply %0, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = relax.divide %one, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = relax.cast %2 : tensor<4xf32> to tensor<4xf16>
  %4 = relax.cast %3 : tensor<4xf16> to tensor<4xf32>
  %5 = relax.multiply %s, %one : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %4, %5 : tensor<4xf32>, tensor<4xf32>
}

// Unused ops go, inside dataflow blocks too; checks stay.
// CHECK-LABEL: func.func @unused
// CHECK-NOT: relax.exp
// CHECK: relax.match_cast
func.func @unused(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = relax.dataflow -> tensor<?xf32> {
    %e = relax.exp %x : (tensor<?xf32>) -> tensor<?xf32>
    relax.yield %x : tensor<?xf32>
  }
  %c = relax.match_cast %x : tensor<?xf32> to tensor<?xf32, #relax.shape<[2 * h]>>
  return %y : tensor<?xf32>
}
