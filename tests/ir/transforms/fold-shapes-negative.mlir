// RUN: relax-opt %s --relax-fold-shapes | FileCheck %s

// A shape that comes as data keeps its symbols.
// CHECK-LABEL: func.func @data
// CHECK: relax.tensor_to_shape
// CHECK: relax.reshape %{{.*}} to tensor<?x?xf32, #relax.shape<[a, b]>>
func.func @data(%x: tensor<?xf32, #relax.shape<[n]>>, %s: tensor<2xi64>) -> tensor<?x?xf32>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %r = relax.tensor_to_shape %s {symbols = ["a", "b"]} : (tensor<2xi64>) -> !relax.shape<[a, b]>
  %y = relax.reshape_to %x, %r : (tensor<?xf32, #relax.shape<[n]>>, !relax.shape<[a, b]>)
      -> tensor<?x?xf32, #relax.shape<[a, b]>>
  %e = relax.erase %y : tensor<?x?xf32, #relax.shape<[a, b]>> to tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// A size that might not fit i32 is not followed through it: at run time it wraps.
// CHECK-LABEL: func.func @narrow
// CHECK: relax.cast
// CHECK: relax.tensor_to_shape
func.func @narrow(%x: tensor<?xf32, #relax.shape<[n]>>) -> !relax.shape<rank 1>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %s = relax.shape_of %x : (tensor<?xf32, #relax.shape<[n]>>) -> !relax.shape<[n]>
  %t = relax.shape_to_tensor %s : (!relax.shape<[n]>) -> tensor<1xi64>
  %c = relax.cast %t : tensor<1xi64> to tensor<1xi32>
  %w = relax.cast %c : tensor<1xi32> to tensor<1xi64>
  %r = relax.tensor_to_shape %w : (tensor<1xi64>) -> !relax.shape<rank 1>
  return %r : !relax.shape<rank 1>
}

// A size that may be negative is an error at run time, so it is still looked at.
// CHECK-LABEL: func.func @negative
// CHECK: relax.tensor_to_shape
func.func @negative(%x: tensor<?xf32, #relax.shape<[n]>>) -> !relax.shape<rank 1>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %s = relax.shape_of %x : (tensor<?xf32, #relax.shape<[n]>>) -> !relax.shape<[n]>
  %t = relax.shape_to_tensor %s : (!relax.shape<[n]>) -> tensor<1xi64>
  %four = arith.constant dense<4> : tensor<1xi64>
  %d = relax.subtract %t, %four : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %r = relax.tensor_to_shape %d : (tensor<1xi64>) -> !relax.shape<rank 1>
  return %r : !relax.shape<rank 1>
}

// An integer division that may be by zero, or of a negative number, isn't the floor.
// CHECK-LABEL: func.func @division
// CHECK: relax.divide
func.func @division(%x: tensor<?x?xf32, #relax.shape<[n, m]>>) -> tensor<i64>
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %s = relax.shape_of %x : (tensor<?x?xf32, #relax.shape<[n, m]>>) -> !relax.shape<[n, m]>
  %t = relax.shape_to_tensor %s : (!relax.shape<[n, m]>) -> tensor<2xi64>
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %n = relax.take %t, %zero : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  %m = relax.take %t, %one : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  %d = relax.divide %n, %m : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %d : tensor<i64>
}

// A match_cast to a symbol that has a value compares: it is no new name.
// CHECK-LABEL: func.func @asserted
// CHECK: relax.match_cast %{{.*}} : tensor<?xf32, #relax.shape<[n]>> to tensor<?xf32, #relax.shape<[u]>>
func.func @asserted(%x: tensor<?xf32, #relax.shape<[n]>>, %count: tensor<i64>) -> tensor<?xf32>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %p = relax.prefix %x, %count {symbol = "u"} : (tensor<?xf32, #relax.shape<[n]>>, tensor<i64>)
      -> tensor<?xf32, #relax.shape<[u]>>
  %m = relax.match_cast %x : tensor<?xf32, #relax.shape<[n]>> to tensor<?xf32, #relax.shape<[u]>>
  %a = relax.add %p, %m : (tensor<?xf32, #relax.shape<[u]>>, tensor<?xf32, #relax.shape<[u]>>)
      -> tensor<?xf32, #relax.shape<[u]>>
  %e = relax.erase %a : tensor<?xf32, #relax.shape<[u]>> to tensor<?xf32>
  return %e : tensor<?xf32>
}

// A size that is known now, and a formula that was provably the same before, are compared.
// CHECK-LABEL: func.func @stated
// CHECK: relax.match_cast %{{.*}} : tensor<1x4x2x4xi64> to tensor<1x?x2x?xi64, #relax.shape<[1, min(m * n, 1) + max(m * n, 4) - 1, 2, ?]>>
func.func @stated(%x: tensor<?x2x4xi64, #relax.shape<[m * n, 2, 4]>>, %row: tensor<?xf32, #relax.shape<[m]>>, %column: tensor<?xf32, #relax.shape<[n]>>) -> tensor<?x?x?x?xi64>
    attributes {relax.symbols = #relax.symbols<m = [0, 24], n = [0, 24]>} {
  %0 = relax.shape_of %x : (tensor<?x2x4xi64, #relax.shape<[m * n, 2, 4]>>) -> !relax.shape<[m * n, 2, 4]>
  %1 = relax.shape_to_tensor %0 : (!relax.shape<[m * n, 2, 4]>) -> tensor<3xi64>
  %order = arith.constant dense<[2, 1, 0]> : tensor<3xi64>
  %2 = relax.take %1, %order : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
  %one = arith.constant dense<1> : tensor<1xi64>
  %3 = relax.concat %one, %2 : (tensor<1xi64>, tensor<3xi64>) -> tensor<4xi64>
  %4 = relax.tensor_to_shape %3 {symbols = ["u1", "u2", "u3", "u4"]} : (tensor<4xi64>) -> !relax.shape<[u1, u2, u3, u4]>
  %5 = relax.reshape_to %x, %4 : (tensor<?x2x4xi64, #relax.shape<[m * n, 2, 4]>>, !relax.shape<[u1, u2, u3, u4]>) -> tensor<?x?x?x?xi64, #relax.shape<[u1, u2, u3, u4]>>
  %6 = relax.bitwise_and %x, %5 : (tensor<?x2x4xi64, #relax.shape<[m * n, 2, 4]>>, tensor<?x?x?x?xi64, #relax.shape<[u1, u2, u3, u4]>>) -> tensor<?x?x2x4xi64, #relax.shape<[u1, min(u2, m * n, 1) - min(max(u2, m * n), 1) + max(u2, m * n), 2, 4]>>
  %7 = relax.erase %6 : tensor<?x?x2x4xi64, #relax.shape<[u1, min(u2, m * n, 1) - min(max(u2, m * n), 1) + max(u2, m * n), 2, 4]>> to tensor<?x?x2x?xi64, #relax.shape<[u1, min(u2, m * n, 1) - min(max(u2, m * n), 1) + max(u2, m * n), 2, ?]>>
  %8 = relax.erase %7 : tensor<?x?x2x?xi64, #relax.shape<[u1, min(u2, m * n, 1) - min(max(u2, m * n), 1) + max(u2, m * n), 2, ?]>> to tensor<?x?x?x?xi64>
  return %8 : tensor<?x?x?x?xi64>
}
