// RUN: relax-opt %s --relax-verify | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

// Every kind of annotation at every precision.
// CHECK-LABEL: @annotations
// CHECK-SAME: tensor<*xf32>, %{{.*}}: tensor<?x4x!relax.any>, %{{.*}}: tensor<*x!relax.any>
// CHECK-SAME: !relax.shape<[n, ?]>, %{{.*}}: !relax.shape<rank 2>, %{{.*}}: !relax.shape<*>, %{{.*}}: !relax.shape<[]>
// CHECK-SAME: tuple<tensor<?xf32, #relax.shape<[n]>>, tuple<!relax.shape<rank 2>, !relax.object>, tuple<>>
// CHECK-SAME: (tensor<?xf32, #relax.shape<[k]>>) -> tensor<?xf32, #relax.shape<[2 * k]>>
func.func @annotations(%0: tensor<*xf32>, %1: tensor<?x4x!relax.any>, %2: tensor<*x!relax.any>,
    %3: !relax.shape<[n, ?]>, %4: !relax.shape<[?, ?]>, %5: !relax.shape<*>, %6: !relax.shape<[]>,
    %7: tuple<tensor<?xf32, #relax.shape<[n]>>, tuple<!relax.shape<rank 2>, !relax.object>, tuple<>>,
    %8: (tensor<?xf32, #relax.shape<[k]>>) -> tensor<?xf32, #relax.shape<[2 * k]>>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  return
}

// CHECK-LABEL: @casts
func.func @casts(%t: tuple<tensor<?x?xf32>, !relax.shape<rank 1>>, %o: !relax.object, %e: tensor<?x!relax.any>,
                 %x: tensor<?xf32, #relax.shape<[n]>>, %s: !relax.shape<*>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  // Solved: 2 * a + 1, then b from a known a.
  // CHECK: relax.match_cast %{{.*}} : tuple<tensor<?x?xf32>, !relax.shape<rank 1>> to tuple<tensor<?x?xf32, #relax.shape<[2 * a + 1, a + b]>>, !relax.shape<[a]>>
  %0 = relax.match_cast %t : tuple<tensor<?x?xf32>, !relax.shape<rank 1>>
      to tuple<tensor<?x?xf32, #relax.shape<[2 * a + 1, a + b]>>, !relax.shape<[a]>>
  // CHECK: relax.match_cast %{{.*}} : !relax.object to tuple<tensor<?xf32, #relax.shape<[c]>>, !relax.object>
  %1 = relax.match_cast %o : !relax.object to tuple<tensor<?xf32, #relax.shape<[c]>>, !relax.object>
  // CHECK: relax.match_cast %{{.*}} : tensor<?x!relax.any> to tensor<?xf32, #relax.shape<[n]>>
  %2 = relax.match_cast %e : tensor<?x!relax.any> to tensor<?xf32, #relax.shape<[n]>>
  // CHECK: relax.match_cast %{{.*}} : tensor<?xf32, #relax.shape<[n]>> to tensor<?xf32, #relax.shape<[2 * half]>>
  %3 = relax.match_cast %x : tensor<?xf32, #relax.shape<[n]>> to tensor<?xf32, #relax.shape<[2 * half]>>
  // CHECK: relax.match_cast %{{.*}} : !relax.shape<*> to !relax.shape<[p, q]>
  %4 = relax.match_cast %s : !relax.shape<*> to !relax.shape<[p, q]>
  // CHECK: relax.erase %{{.*}} : tensor<?xf32, #relax.shape<[n]>> to tensor<*x!relax.any>
  %5 = relax.erase %x : tensor<?xf32, #relax.shape<[n]>> to tensor<*x!relax.any>
  // CHECK: relax.erase %{{.*}} : !relax.shape<[p, q]> to !relax.shape<[p, ?]>
  %6 = relax.erase %4 : !relax.shape<[p, q]> to !relax.shape<[p, ?]>
  // CHECK: relax.erase %{{.*}} : !relax.shape<[p, q]> to !relax.object
  %7 = relax.erase %4 : !relax.shape<[p, q]> to !relax.object
  return
}

// CHECK-LABEL: @guards
func.func @guards(%i: tensor<4xi64>, %x: tensor<?x?xf32, #relax.shape<[n, m]>>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  // CHECK: relax.guard <equal, n, m> "rows and columns"
  relax.guard #relax.constraint<equal, n, m> "rows and columns"
  // CHECK: relax.guard <less_equal, n, 512> "rows"
  relax.guard <less_equal, n, 512> "rows"
  // CHECK: relax.guard <divides, 16, n> "rows"
  relax.guard <divides, 16, n> "rows"
  // CHECK: relax.guard <broadcast, n, m> "rows"
  relax.guard <broadcast, n, m> "rows"
  // CHECK: relax.check_values %arg0 <0, n> {what = "take"} : tensor<4xi64>
  relax.check_values %i <0, n> {what = "take"} : tensor<4xi64>
  return
}

// CHECK-LABEL: @shapes
func.func @shapes(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>, %u: tensor<*xf32>, %v: tensor<2xi64>, %w: tensor<?xi64>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  // CHECK: relax.shape <[2 * n, 2]>
  %0 = relax.shape <[2 * n, 2]>
  // CHECK: relax.shape_of %{{.*}} : (tensor<*xf32>) -> !relax.shape<*>
  %1 = relax.shape_of %u : (tensor<*xf32>) -> !relax.shape<*>
  // CHECK: relax.tensor_to_shape %{{.*}} {symbols = ["a", "b"]} : (tensor<2xi64>) -> !relax.shape<[a, b]>
  %2 = relax.tensor_to_shape %v {symbols = ["a", "b"]} : (tensor<2xi64>) -> !relax.shape<[a, b]>
  // CHECK: relax.tensor_to_shape %{{.*}} : (tensor<2xi64>) -> !relax.shape<rank 2>
  %3 = relax.tensor_to_shape %v : (tensor<2xi64>) -> !relax.shape<rank 2>
  // CHECK: relax.tensor_to_shape %{{.*}} : (tensor<?xi64>) -> !relax.shape<*>
  %4 = relax.tensor_to_shape %w : (tensor<?xi64>) -> !relax.shape<*>
  // CHECK: relax.shape_to_tensor %{{.*}} : (!relax.shape<[a, b]>) -> tensor<2xi64>
  %5 = relax.shape_to_tensor %2 : (!relax.shape<[a, b]>) -> tensor<2xi64>
  // CHECK: relax.reshape_to %{{.*}}, %{{.*}} : (tensor<?x4xf32, #relax.shape<[n, 4]>>, !relax.shape<[a, b]>) -> tensor<?x?xf32, #relax.shape<[a, b]>>
  %6 = relax.reshape_to %x, %2 : (tensor<?x4xf32, #relax.shape<[n, 4]>>, !relax.shape<[a, b]>) -> tensor<?x?xf32, #relax.shape<[a, b]>>
  // CHECK: relax.reshape_to %{{.*}}, %{{.*}} : (tensor<?x4xf32, #relax.shape<[n, 4]>>, !relax.shape<rank 2>) -> tensor<?x?xf32>
  %7 = relax.reshape_to %x, %3 : (tensor<?x4xf32, #relax.shape<[n, 4]>>, !relax.shape<rank 2>) -> tensor<?x?xf32>
  // CHECK: relax.reshape_to %{{.*}}, %{{.*}} : (tensor<*xf32>, !relax.shape<*>) -> tensor<*xf32>
  %8 = relax.reshape_to %u, %1 : (tensor<*xf32>, !relax.shape<*>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: @prefix
// CHECK: relax.prefix %arg0, %arg1 {symbol = "u"} : (tensor<?x2xi64, #relax.shape<[n, 2]>>, tensor<i64>) -> tensor<?x2xi64, #relax.shape<[u, 2]>>
// CHECK: relax.symbol_value <u>
func.func @prefix(%x: tensor<?x2xi64, #relax.shape<[n, 2]>>, %count: tensor<i64>) -> tensor<?x2xi64, #relax.shape<[u, 2]>>
    attributes {relax.symbols = #relax.symbols<n = [0, 100]>} {
  %0 = relax.prefix %x, %count {symbol = "u"} : (tensor<?x2xi64, #relax.shape<[n, 2]>>, tensor<i64>) -> tensor<?x2xi64, #relax.shape<[u, 2]>>
  %1 = relax.symbol_value <u>
  // u <= 100 is known, so this is no error and 101 would be one.
  relax.guard <less_equal, 100, u> "enough rows"
  return %0 : tensor<?x2xi64, #relax.shape<[u, 2]>>
}

// What a dataflow block introduces stays in scope after it.
// CHECK-LABEL: @transparent
func.func @transparent(%x: tensor<?xf32>) -> tensor<?xf32, #relax.shape<[m]>> {
  %0 = relax.dataflow -> tensor<?xf32, #relax.shape<[m]>> {
    %1 = relax.match_cast %x : tensor<?xf32> to tensor<?xf32, #relax.shape<[m]>>
    relax.guard <less_equal, m, 8> "m"
    relax.yield %1 : tensor<?xf32, #relax.shape<[m]>>
  }
  return %0 : tensor<?xf32, #relax.shape<[m]>>
}

// An unknown pair broadcasts under a constraint that is recorded; a constant wins.
// CHECK-LABEL: @broadcast
func.func @broadcast(%a: tensor<?xf32, #relax.shape<[n]>>, %b: tensor<?xf32, #relax.shape<[m]>>, %c: tensor<5xf32>, %d: tensor<?xf32>, %e: tensor<1xf32>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  // CHECK: -> tensor<?xf32, #relax.shape<[min(m, n, 1) - min(max(m, n), 1) + max(m, n)]>>
  %0 = relax.add %a, %b : (tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[min(m, n, 1) - min(max(m, n), 1) + max(m, n)]>>
  // CHECK: -> tensor<5xf32>
  %1 = relax.add %a, %c : (tensor<?xf32, #relax.shape<[n]>>, tensor<5xf32>) -> tensor<5xf32>
  // CHECK: -> tensor<5xf32>
  %2 = relax.add %d, %c : (tensor<?xf32>, tensor<5xf32>) -> tensor<5xf32>
  // CHECK: -> tensor<?xf32>
  %3 = relax.add %d, %a : (tensor<?xf32>, tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32>
  // CHECK: -> tensor<?xf32, #relax.shape<[n]>>
  %4 = relax.add %e, %a : (tensor<1xf32>, tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return
}

// A cast on every path tells that n is even; in a branch it tells nothing of n outside.
// CHECK-LABEL: @even_in_a_branch
// CHECK: relax.guard <equal, n, 2 * k + 1> "an odd extent"
func.func @even_in_a_branch(%x: tensor<?xf32, #relax.shape<[n]>>, %k: !relax.shape<[k]>, %c: tensor<i1>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?], k = [0, ?]>} {
  relax.if %c : tensor<i1> {
    %0 = relax.match_cast %x : tensor<?xf32, #relax.shape<[n]>> to tensor<?xf32, #relax.shape<[2 * h]>>
    relax.yield
  } else {
    relax.guard <equal, n, 2 * k + 1> "an odd extent"
    relax.yield
  }
  %s = relax.shape <[n]>
  relax.guard <equal, n, 2 * k + 1> "an odd extent"
  return
}

// Sizes that can't be are no error in a branch: it may never be taken.
// CHECK-LABEL: @refuted_in_a_branch
// CHECK: relax.match_cast %{{.*}} : tensor<1xf32> to tensor<?xf32, #relax.shape<[2 * h]>>
// CHECK: relax.guard <equal, 4, 5> "rows"
func.func @refuted_in_a_branch(%x: tensor<1xf32>, %c: tensor<i1>) {
  relax.if %c : tensor<i1> {
    %0 = relax.match_cast %x : tensor<1xf32> to tensor<?xf32, #relax.shape<[2 * h]>>
    relax.yield
  } else {
    relax.guard <equal, 4, 5> "rows"
    relax.yield
  }
  return
}
