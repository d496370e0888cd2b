// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f() {
  // expected-error @+2 {{relax.full: dimension 1 of the shape [n, -1] must be an expression that isn't negative}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.full {shape = #relax.shape<[n, -1]>, value = 1.5 : f32} : () -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f() {
  // expected-error @+2 {{relax.arange: step must not be 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.arange {limit = #relax.expr<n>, step = #relax.expr<0>, dtype = i64} : () -> tensor<?xi64, #relax.shape<[n]>>
  return
}
// -----
func.func @f() {
  // expected-error @+2 {{relax.arange: 1 and step are never in order (first <= second): 1 and min(m, 0); m = 0 makes them 1 and 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.arange {limit = #relax.expr<n>, step = #relax.expr<min(m, 0)>, dtype = i64} : () -> tensor<?xi64, #relax.shape<[n]>>
  return
}
// -----
func.func @f() {
  // expected-error @+2 {{relax.arange: start, limit and step must be constants where one of them is f64}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.arange {limit = #relax.expr<n>, step = 0.5, dtype = f32} : () -> tensor<?xf32, #relax.shape<[n]>>
  return
}
// -----
func.func @f() {
  // expected-error @+2 {{relax.arange: the number of elements, ceil((limit - start) / step), must be finite and below 2^53}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.arange {limit = 1.0, step = 0.0, dtype = f32} : () -> tensor<4xf32>
  return
}
// -----
func.func @f() {
  // expected-error @+2 {{relax.arange: start, limit and step must be integers where dtype is one}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.arange {limit = 1.0, dtype = i32} : () -> tensor<1xi32>
  return
}
// -----
func.func @f() {
  // expected-error @+2 {{relax.linspace: dtype must be a floating-point type}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.linspace {start = 0.0, stop = 1.0, count = #relax.expr<3>, dtype = i32} : () -> tensor<3xi32>
  return
}
// -----
func.func @f(%i: tensor<3xf32>) {
  // expected-error @+2 {{relax.one_hot: indices}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.one_hot %i {depth = #relax.expr<4>, on = 1.0 : f32, off = 0.0 : f32} : (tensor<3xf32>) -> tensor<3x4xf32>
  return
}
// -----
func.func @f(%i: tensor<3xi64>) {
  // expected-error @+2 {{relax.one_hot: axis = 2 is out of range: the result has rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.one_hot %i {depth = #relax.expr<4>, axis = 2 : i64, on = 1.0 : f32, off = 0.0 : f32} : (tensor<3xi64>) -> tensor<3x4xf32>
  return
}
// -----
func.func @f(%i: tensor<3xi64>) {
  // expected-error @+2 {{relax.one_hot: on and off must have one element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.one_hot %i {depth = #relax.expr<4>, on = 1.0 : f32, off = 0 : i32} : (tensor<3xi64>) -> tensor<3x4xf32>
  return
}
// -----
func.func @f(%x: tensor<3xf32>) {
  // expected-error @+2 {{relax.triu: x must have at least two dimensions, found [3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.triu %x : (tensor<3xf32>) -> tensor<3xf32>
  return
}
