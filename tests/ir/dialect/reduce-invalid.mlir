// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.sum: axis 2 is not one of [n, 4], which has 2 dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.sum %a {axes = array<i64: 2>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a: tensor<?xf32, #relax.shape<[n]>>) {
  // expected-error @+2 {{relax.sum: axis -2 is not one of [n], which has 1 dimension}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.sum %a {axes = array<i64: -2>} : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return
}
// -----
func.func @f(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.max: axis -1 of [n, 4] is named twice}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.max %a {axes = array<i64: 1, -1>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a: tensor<?x4xi1, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.sum: x must have elements of floating point or integers, found i1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.sum %a : (tensor<?x4xi1, #relax.shape<[n, 4]>>) -> tensor<?x4xi1, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a: tensor<?x4xi32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.mean: x must have elements of floating point, found i32}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.mean %a : (tensor<?x4xi32, #relax.shape<[n, 4]>>) -> tensor<?x4xi32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a: tensor<?x4xi32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.any: x must have elements of bool (i1), found i32}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.any %a : (tensor<?x4xi32, #relax.shape<[n, 4]>>) -> tensor<?x4xi32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a: tensor<?x0xf32, #relax.shape<[n, 0]>>) {
  // expected-error @+2 {{relax.argmax: axis 1 of x [n, 0] is empty, so no element of it has an index}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.argmax %a {axis = 1 : i64} : (tensor<?x0xf32, #relax.shape<[n, 0]>>) -> tensor<?x0xf32, #relax.shape<[n, 0]>>
  return
}
// -----
func.func @f(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.argmin: axis 2 is not one of [n, 4], which has 2 dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.argmin %a {axis = 2 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.cumsum: axis -3 is not one of [n, 4], which has 2 dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.cumsum %a {axis = -3 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a: tensor<?x4xi1, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.cumprod: x must have elements of floating point or integers, found i1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.cumprod %a : (tensor<?x4xi1, #relax.shape<[n, 4]>>) -> tensor<?x4xi1, #relax.shape<[n, 4]>>
  return
}
