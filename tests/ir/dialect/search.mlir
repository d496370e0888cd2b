// RUN: relax-opt %s --relax-verify | relax-opt --relax-verify | FileCheck %s

// CHECK-LABEL: @order
func.func @order(%x: tensor<?x?xf32, #relax.shape<[n, m]>>) attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [4, ?]>} {
  // CHECK: relax.sort %{{.*}} {axis = 0 : i64, descending} : (tensor<?x?xf32, #relax.shape<[n, m]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>>
  %0 = relax.sort %x {axis = 0 : i64, descending} : (tensor<?x?xf32, #relax.shape<[n, m]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>>
  // CHECK: relax.argsort %{{.*}} : (tensor<?x?xf32, #relax.shape<[n, m]>>) -> tensor<?x?xi64, #relax.shape<[n, m]>>
  %1 = relax.argsort %x : (tensor<?x?xf32, #relax.shape<[n, m]>>) -> tensor<?x?xi64, #relax.shape<[n, m]>>
  // CHECK: relax.topk %{{.*}} {k = #relax.expr<4>} : (tensor<?x?xf32, #relax.shape<[n, m]>>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xi64, #relax.shape<[n, 4]>>)
  %2:2 = relax.topk %x {k = #relax.expr<4>} : (tensor<?x?xf32, #relax.shape<[n, m]>>) -> (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xi64, #relax.shape<[n, 4]>>)
  return
}

// A fresh symbol for each result whose size depends on values; a later op may use it.
// CHECK-LABEL: @selection
func.func @selection(%x: tensor<?x?xf32, #relax.shape<[n, m]>>, %mask: tensor<?x?xi1, #relax.shape<[n, m]>>) -> tensor<?xf32, #relax.shape<[u]>> attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  // CHECK: relax.masked_select %{{.*}}, %{{.*}} {symbol = "u"} : {{.*}} -> tensor<?xf32, #relax.shape<[u]>>
  %0 = relax.masked_select %x, %mask {symbol = "u"} : (tensor<?x?xf32, #relax.shape<[n, m]>>, tensor<?x?xi1, #relax.shape<[n, m]>>) -> tensor<?xf32, #relax.shape<[u]>>
  // CHECK: relax.nonzero %{{.*}} {symbol = "v"} : {{.*}} -> tensor<2x?xi64, #relax.shape<[2, v]>>
  %1 = relax.nonzero %x {symbol = "v"} : (tensor<?x?xf32, #relax.shape<[n, m]>>) -> tensor<2x?xi64, #relax.shape<[2, v]>>
  // CHECK: relax.unique %{{.*}} {counts, inverse, symbol = "w"} : {{.*}} -> (tensor<?xf32, #relax.shape<[w]>>, tensor<?x?xi64, #relax.shape<[n, m]>>, tensor<?xi64, #relax.shape<[w]>>)
  %2:3 = relax.unique %x {symbol = "w", inverse, counts} : (tensor<?x?xf32, #relax.shape<[n, m]>>) -> (tensor<?xf32, #relax.shape<[w]>>, tensor<?x?xi64, #relax.shape<[n, m]>>, tensor<?xi64, #relax.shape<[w]>>)
  // CHECK: relax.top_p_filter %{{.*}} : (tensor<?xf32, #relax.shape<[u]>>) -> (tensor<?xf32, #relax.shape<[t]>>, tensor<?xi64, #relax.shape<[t]>>)
  %3:2 = relax.top_p_filter %0 {symbol = "t", p = 0.9 : f64} : (tensor<?xf32, #relax.shape<[u]>>) -> (tensor<?xf32, #relax.shape<[t]>>, tensor<?xi64, #relax.shape<[t]>>)
  return %0 : tensor<?xf32, #relax.shape<[u]>>
}

// CHECK-LABEL: @boxes
func.func @boxes(%boxes: tensor<?x?x4xf32, #relax.shape<[b, s, 4]>>, %scores: tensor<?x3x?xf32, #relax.shape<[b, 3, s]>>) attributes {relax.symbols = #relax.symbols<b = [0, ?], s = [0, ?]>} {
  // CHECK: relax.non_max_suppression {{.*}} -> tensor<?x3xi64, #relax.shape<[u, 3]>>
  %0 = relax.non_max_suppression %boxes, %scores {symbol = "u", max_output_boxes_per_class = 10 : i64, iou_threshold = 0.5 : f64} : (tensor<?x?x4xf32, #relax.shape<[b, s, 4]>>, tensor<?x3x?xf32, #relax.shape<[b, 3, s]>>) -> tensor<?x3xi64, #relax.shape<[u, 3]>>
  return
}

// CHECK-LABEL: @lookup
func.func @lookup(%sorted: tensor<?xf32, #relax.shape<[n]>>, %values: tensor<2x?xf32, #relax.shape<[2, m]>>, %numbers: tensor<?xi32, #relax.shape<[m]>>) attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  // CHECK: relax.searchsorted %{{.*}}, %{{.*}} {right} : {{.*}} -> tensor<2x?xi64, #relax.shape<[2, m]>>
  %0 = relax.searchsorted %sorted, %values {right} : (tensor<?xf32, #relax.shape<[n]>>, tensor<2x?xf32, #relax.shape<[2, m]>>) -> tensor<2x?xi64, #relax.shape<[2, m]>>
  // CHECK: relax.bincount %{{.*}} {length = #relax.expr<2 * n>} : {{.*}} -> tensor<?xi64, #relax.shape<[2 * n]>>
  %1 = relax.bincount %numbers {length = #relax.expr<2 * n>} : (tensor<?xi32, #relax.shape<[m]>>) -> tensor<?xi64, #relax.shape<[2 * n]>>
  return
}

// Unknown dimensions stay unknown; what is known is kept.
// CHECK-LABEL: @unknown
func.func @unknown(%x: tensor<?x4xf32>) {
  // CHECK: relax.argsort %{{.*}} : (tensor<?x4xf32>) -> tensor<?x4xi64>
  %0 = relax.argsort %x : (tensor<?x4xf32>) -> tensor<?x4xi64>
  // CHECK: relax.topk {{.*}} -> (tensor<2x4xf32>, tensor<2x4xi64>)
  %1:2 = relax.topk %x {axis = 0 : i64, k = #relax.expr<2>} : (tensor<?x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xi64>)
  return
}
