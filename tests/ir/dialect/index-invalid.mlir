// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+1 {{operand #1 must be tensor of i32 or i64}}
  %r = relax.take %a0, %a1  : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?xi8, #relax.shape<[n]>>) {
  // expected-error @+1 {{operand #1 must be tensor of i32 or i64}}
  %r = relax.take %a0, %a1  : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?xi8, #relax.shape<[n]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<f32>, %a1: tensor<?xi32, #relax.shape<[n]>>) {
  // expected-error @+2 {{relax.take: axis 0 is not one of []}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.take %a0, %a1  : (tensor<f32>, tensor<?xi32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?xi32, #relax.shape<[m]>>) {
  // expected-error @+2 {{relax.take: axis 2 is not one of [n, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.take %a0, %a1 {axis = 2 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?xi32, #relax.shape<[m]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?xi32, #relax.shape<[n]>>) {
  // expected-error @+2 {{relax.gather_elements: x [n, 4] and indices [n] must have one rank}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.gather_elements %a0, %a1  : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?xi32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?x5xi32, #relax.shape<[m, 5]>>) {
  // expected-error @+2 {{relax.gather_elements: dimension 1 of indices [m, 5] and of x [n, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.gather_elements %a0, %a1  : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x5xi32, #relax.shape<[m, 5]>>) -> tensor<?x5xf32, #relax.shape<[m, 5]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?x?xi64, #relax.shape<[m, n]>>) {
  // expected-error @+2 {{relax.gather_nd: dimension 1 of indices [m, n] must be a constant}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.gather_nd %a0, %a1  : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x?xi64, #relax.shape<[m, n]>>) -> tensor<?xf32, #relax.shape<[m]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?x3xi64, #relax.shape<[m, 3]>>) {
  // expected-error @+2 {{relax.gather_nd: the last dimension of indices [m, 3] must be in [1, 2], as x is [n, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.gather_nd %a0, %a1  : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x3xi64, #relax.shape<[m, 3]>>) -> tensor<?xf32, #relax.shape<[m]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?x1xi64, #relax.shape<[n, 1]>>) {
  // expected-error @+2 {{relax.gather_nd: batch_dims 2 must be in [0, 2)}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.gather_nd %a0, %a1 {batch_dims = 2 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x1xi64, #relax.shape<[n, 1]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return
}
// -----
func.func @f(%a0: tensor<3x4xf32>, %a1: tensor<5x1xi64>) {
  // expected-error @+2 {{relax.gather_nd: dimension 0 of x [3, 4] and dimension 0 of indices [5, 1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.gather_nd %a0, %a1 {batch_dims = 1 : i64} : (tensor<3x4xf32>, tensor<5x1xi64>) -> tensor<5xf32>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?x4xi64, #relax.shape<[n, 4]>>, %a2: tensor<?x5xf32, #relax.shape<[n, 5]>>) {
  // expected-error @+2 {{relax.scatter_elements: dimension 1 of updates [n, 5] and dimension 1 of indices [n, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.scatter_elements %a0, %a1, %a2  : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xi64, #relax.shape<[n, 4]>>, tensor<?x5xf32, #relax.shape<[n, 5]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?x4xi64, #relax.shape<[n, 4]>>, %a2: tensor<?x4xf16, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{updates}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.scatter_elements %a0, %a1, %a2  : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xi64, #relax.shape<[n, 4]>>, tensor<?x4xf16, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?x4xi64, #relax.shape<[n, 4]>>, %a2: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.scatter_elements: reduction must be none, add, mul, max or min, found sum}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.scatter_elements %a0, %a1, %a2 {reduction = "sum"} : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xi64, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?x4xi64, #relax.shape<[n, 4]>>, %a2: tensor<?xf32, #relax.shape<[n]>>) {
  // expected-error @+2 {{relax.scatter_elements: updates [n] and indices [n, 4] must have one rank}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.scatter_elements %a0, %a1, %a2  : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xi64, #relax.shape<[n, 4]>>, tensor<?xf32, #relax.shape<[n]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?x1xi64, #relax.shape<[m, 1]>>, %a2: tensor<?xf32, #relax.shape<[m]>>) {
  // expected-error @+2 {{relax.scatter_nd: updates [m] must have 2 dimensions: those of indices [m, 1] but the last, and of x [n, 4] behind the first 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.scatter_nd %a0, %a1, %a2  : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x1xi64, #relax.shape<[m, 1]>>, tensor<?xf32, #relax.shape<[m]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?x1xi64, #relax.shape<[m, 1]>>, %a2: tensor<?x5xf32, #relax.shape<[m, 5]>>) {
  // expected-error @+2 {{relax.scatter_nd: dimension 1 of updates [m, 5] and dimension 1 of x [n, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.scatter_nd %a0, %a1, %a2  : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x1xi64, #relax.shape<[m, 1]>>, tensor<?x5xf32, #relax.shape<[m, 5]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
