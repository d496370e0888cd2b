// RUN: relax-opt %s --relax-fold-shapes | FileCheck %s

// Shape, Gather, ReduceProd, Concat, Reshape, as exporters write flattening.
// CHECK-LABEL: func.func @flatten
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x4xf32, #relax.shape<[n, m, 4]>>)
// CHECK-NEXT: %[[Y:.*]] = relax.reshape %[[X]] : {{.*}} to tensor<?x4xf32, #relax.shape<[m * n, 4]>>
// CHECK-NEXT: %[[E:.*]] = relax.erase %[[Y]] : {{.*}} to tensor<?x?xf32>
// CHECK-NEXT: return %[[E]]
func.func @flatten(%x: tensor<?x?x4xf32, #relax.shape<[n, m, 4]>>) -> tensor<?x?xf32>
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %s = relax.shape_of %x : (tensor<?x?x4xf32, #relax.shape<[n, m, 4]>>) -> !relax.shape<[n, m, 4]>
  %t = relax.shape_to_tensor %s : (!relax.shape<[n, m, 4]>) -> tensor<3xi64>
  %i = arith.constant dense<[0, 1]> : tensor<2xi32>
  %a = relax.take %t, %i : (tensor<3xi64>, tensor<2xi32>) -> tensor<2xi64>
  %p = relax.prod %a {keep_dims} : (tensor<2xi64>) -> tensor<1xi64>
  %k = arith.constant dense<-1> : tensor<1xi32>
  %l = relax.take %t, %k : (tensor<3xi64>, tensor<1xi32>) -> tensor<1xi64>
  %c = relax.concat %p, %l : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %r = relax.tensor_to_shape %c {symbols = ["u", "v"]} : (tensor<2xi64>) -> !relax.shape<[u, v]>
  %y = relax.reshape_to %x, %r : (tensor<?x?x4xf32, #relax.shape<[n, m, 4]>>, !relax.shape<[u, v]>)
      -> tensor<?x?xf32, #relax.shape<[u, v]>>
  %e = relax.erase %y : tensor<?x?xf32, #relax.shape<[u, v]>> to tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// By value, not by pattern: scalars, casts, where, minimum, division, a slice from behind.
// CHECK-LABEL: func.func @arithmetic
// CHECK: relax.reshape %{{.*}} to tensor<?x?x2xf32, #relax.shape<[floordiv(n, 2), min(n, 8), 2]>>
func.func @arithmetic(%x: tensor<?x?xf32, #relax.shape<[n, min(n, 8)]>>) -> tensor<?x?x?xf32>
    attributes {relax.symbols = #relax.symbols<n = [0, 1000] divisor 2>} {
  %s = relax.shape_of %x : (tensor<?x?xf32, #relax.shape<[n, min(n, 8)]>>)
      -> !relax.shape<[n, min(n, 8)]>
  %t = relax.shape_to_tensor %s : (!relax.shape<[n, min(n, 8)]>) -> tensor<2xi64>
  %i32 = relax.cast %t : tensor<2xi64> to tensor<2xi32>
  %zero = arith.constant dense<0> : tensor<i64>
  %n = relax.take %i32, %zero : (tensor<2xi32>, tensor<i64>) -> tensor<i32>
  %eight = arith.constant dense<8> : tensor<i32>
  %two = arith.constant dense<2> : tensor<i32>
  %min = relax.minimum %n, %eight : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %half = relax.divide %n, %two : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %never = relax.less %n, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %chosen = relax.where %never, %n, %half : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
  %all = relax.stack %two, %min, %chosen : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3xi32>
  %back = relax.slice %all {axes = array<i64: 0>, starts = #relax.shape<[-1]>,
                            ends = #relax.shape<[-9]>, steps = array<i64: -1>}
      : (tensor<3xi32>) -> tensor<3xi32>
  %wide = relax.cast %back : tensor<3xi32> to tensor<3xi64>
  %r = relax.tensor_to_shape %wide {symbols = ["a", "b", "c"]}
      : (tensor<3xi64>) -> !relax.shape<[a, b, c]>
  %y = relax.reshape_to %x, %r
      : (tensor<?x?xf32, #relax.shape<[n, min(n, 8)]>>, !relax.shape<[a, b, c]>)
      -> tensor<?x?x?xf32, #relax.shape<[a, b, c]>>
  %e = relax.erase %y : tensor<?x?x?xf32, #relax.shape<[a, b, c]>> to tensor<?x?x?xf32>
  return %e : tensor<?x?x?xf32>
}

// A symbol for a known dimension is only another name, also in a branch.
// CHECK-LABEL: func.func @names
// CHECK-NOT: match_cast
// CHECK: relax.exp %{{.*}} : (tensor<?xf32, #relax.shape<[2 * n]>>)
func.func @names(%c: tensor<i1>, %x: tensor<?xf32, #relax.shape<[2 * n]>>,
                 %s: !relax.shape<[n]>) -> tensor<?xf32>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %r = relax.if %c : tensor<i1> -> tensor<?xf32> {
    %m = relax.match_cast %x : tensor<?xf32, #relax.shape<[2 * n]>> to tensor<?xf32, #relax.shape<[k]>>
    %e = relax.exp %m : (tensor<?xf32, #relax.shape<[k]>>) -> tensor<?xf32, #relax.shape<[k]>>
    relax.yield %e : tensor<?xf32, #relax.shape<[k]>>
  } else {
    relax.yield %x : tensor<?xf32, #relax.shape<[2 * n]>>
  }
  return %r : tensor<?xf32>
}

// Whole constants.
// CHECK-LABEL: func.func @constants
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<[6, 2]> : tensor<2xi64>
// CHECK-NEXT: return %[[C]]
func.func @constants(%x: tensor<3x2xf32>) -> tensor<2xi64> {
  %s = relax.shape_of %x : (tensor<3x2xf32>) -> !relax.shape<[3, 2]>
  %t = relax.shape_to_tensor %s : (!relax.shape<[3, 2]>) -> tensor<2xi64>
  %f = arith.constant dense<[2, 1]> : tensor<2xi64>
  %p = relax.multiply %t, %f : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %p : tensor<2xi64>
}

// What assumes something of sizes stays until that is a guard, even if nothing reads it any more: the
// shape of %a is this only if n and m broadcast. In a branch too. What assumes nothing goes.
// CHECK-LABEL: func.func @assumes
// CHECK-NEXT: relax.add
// CHECK-NEXT: %[[S:.*]] = relax.shape <[min(
// CHECK-NEXT: %[[E:.*]] = relax.erase %[[S]]
// CHECK-NEXT: relax.if
// CHECK-NEXT: relax.multiply
// CHECK-NOT: relax.exp
// CHECK: return %[[E]]
func.func @assumes(%c: tensor<i1>, %x: tensor<?xf32, #relax.shape<[n]>>, %y: tensor<?xf32, #relax.shape<[m]>>)
    -> !relax.shape<[?]>
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %a = relax.add %x, %y : (tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[m]>>)
      -> tensor<?xf32, #relax.shape<[min(n, m, 1) - min(max(n, m), 1) + max(n, m)]>>
  %s = relax.shape_of %a : (tensor<?xf32, #relax.shape<[min(n, m, 1) - min(max(n, m), 1) + max(n, m)]>>)
      -> !relax.shape<[min(n, m, 1) - min(max(n, m), 1) + max(n, m)]>
  %t = relax.shape_to_tensor %s : (!relax.shape<[min(n, m, 1) - min(max(n, m), 1) + max(n, m)]>) -> tensor<1xi64>
  %r = relax.tensor_to_shape %t {symbols = ["u"]} : (tensor<1xi64>) -> !relax.shape<[u]>
  %e = relax.erase %r : !relax.shape<[u]> to !relax.shape<[?]>
  %i = relax.if %c : tensor<i1> -> tensor<?xf32, #relax.shape<[n]>> {
    %b = relax.multiply %x, %y : (tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[m]>>)
        -> tensor<?xf32, #relax.shape<[min(n, m, 1) - min(max(n, m), 1) + max(n, m)]>>
    relax.yield %x : tensor<?xf32, #relax.shape<[n]>>
  } else {
    %d = relax.exp %x : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
    relax.yield %x : tensor<?xf32, #relax.shape<[n]>>
  }
  return %e : !relax.shape<[?]>
}

// A shape that goes through a tuple.
// CHECK-LABEL: func.func @part
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<[3, 2]> : tensor<2xi64>
// CHECK-NEXT: return %[[C]]
func.func @part(%x: tensor<3x2xf32>) -> tensor<2xi64> {
  %s = relax.shape_of %x : (tensor<3x2xf32>) -> !relax.shape<[3, 2]>
  %t = relax.shape_to_tensor %s : (!relax.shape<[3, 2]>) -> tensor<2xi64>
  %a = relax.tuple %x, %t : (tensor<3x2xf32>, tensor<2xi64>) -> tuple<tensor<3x2xf32>, tensor<2xi64>>
  %b = relax.tuple_get %a {index = 1 : i64} : (tuple<tensor<3x2xf32>, tensor<2xi64>>) -> tensor<2xi64>
  return %b : tensor<2xi64>
}
