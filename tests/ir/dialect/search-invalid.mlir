// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<3x4xf32>) {
  // expected-error @+2 {{relax.sort: axis 2 is not one of [3, 4], which has 2 dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = relax.sort %x {axis = 2 : i64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
// -----
func.func @f(%x: tensor<3x4xf32>) {
  // expected-error @+2 {{relax.topk: k and dimension 1 of x, [3, 4] are never in order (first <= second): 5 and 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = relax.topk %x {k = #relax.expr<5>} : (tensor<3x4xf32>) -> (tensor<3x5xf32>, tensor<3x5xi64>)
  return
}
// -----
func.func @f(%x: tensor<3x4xf32>, %mask: tensor<3x5xi1>) {
  // expected-error @+2 {{relax.masked_select: dimension 1 of x [3, 4] and dimension 1 of mask [3, 5] are never equal: 4 and 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = relax.masked_select %x, %mask {symbol = "u"} : (tensor<3x4xf32>, tensor<3x5xi1>) -> tensor<?xf32, #relax.shape<[u]>>
  return
}
// -----
func.func @f(%x: tensor<3xf32>) {
  // expected-error @+2 {{relax.unique: 'a b' cannot be the name of a symbol}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = relax.unique %x {symbol = "a b"} : (tensor<3xf32>) -> tensor<?xf32>
  return
}
// -----
func.func @f(%boxes: tensor<1x6x4xf32>, %scores: tensor<1x2x5xf32>) {
  // expected-error @+2 {{relax.non_max_suppression: dimension 1 of boxes [1, 6, 4] and dimension 2 of scores [1, 2, 5] are never equal: 6 and 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = relax.non_max_suppression %boxes, %scores {symbol = "u"} : (tensor<1x6x4xf32>, tensor<1x2x5xf32>) -> tensor<?x3xi64, #relax.shape<[u, 3]>>
  return
}
// -----
func.func @f(%x: tensor<3xi32>) {
  // expected-error @+2 {{relax.top_p_filter: x must have elements of floating point, found i32}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = relax.top_p_filter %x {symbol = "u", p = 0.5 : f64} : (tensor<3xi32>) -> (tensor<?xi32, #relax.shape<[u]>>, tensor<?xi64, #relax.shape<[u]>>)
  return
}
// -----
func.func @f(%sorted: tensor<3xf32>, %values: tensor<4xf64>) {
  // expected-error @+2 {{relax.searchsorted: the element types of sorted [3] and values [4] differ: f32 and f64}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = relax.searchsorted %sorted, %values : (tensor<3xf32>, tensor<4xf64>) -> tensor<4xi64>
  return
}
// -----
func.func @f(%boxes: tensor<2x6x4xf32>, %scores: tensor<2x3x6xf32>) {
  // expected-error @+2 {{relax.non_max_suppression: max_output_boxes_per_class must be 0 or more, found -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = relax.non_max_suppression %boxes, %scores {symbol = "u", max_output_boxes_per_class = -1 : i64, iou_threshold = 0.5 : f64} : (tensor<2x6x4xf32>, tensor<2x3x6xf32>) -> tensor<?x3xi64, #relax.shape<[u, 3]>>
  return
}
