// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<?x5xf32, #relax.shape<[n, 5]>>, %s: tensor<4xf32>) {
  // expected-error @+2 {{relax.quantize_linear: dimension 0 of scale [4] and dimension 1 of x [n, 5] are never equal: 4 and 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.quantize_linear %x, %s {dtype = i8} : (tensor<?x5xf32, #relax.shape<[n, 5]>>, tensor<4xf32>) -> tensor<?x5xi8, #relax.shape<[n, 5]>>
  return
}
// -----
func.func @f(%x: tensor<2x8xf32>, %s: tensor<2x3xf32>) {
  // expected-error @+2 {{the number of blocks of 4 in dimension 1 of x [2, 8] are never equal: 3 and 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.quantize_linear %x, %s {dtype = i8, block_size = 4 : i64} : (tensor<2x8xf32>, tensor<2x3xf32>) -> tensor<2x8xi8>
  return
}
// -----
func.func @f(%x: tensor<2x8xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{relax.quantize_linear: needs dtype or zero_point to tell the elements of the result}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.quantize_linear %x, %s : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xi8>
  return
}
// -----
func.func @f(%x: tensor<2x8xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{relax.quantize_linear: dtype must be of i8, ui8, i16 or i32, found i64}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.quantize_linear %x, %s {dtype = i64} : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xi64>
  return
}
// -----
func.func @f(%x: tensor<2x8xf32>, %s: tensor<f32>, %z: tensor<2xi8>) {
  // expected-error @+2 {{relax.quantize_linear: zero_point [2] must have the rank of scale []}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.quantize_linear %x, %s, %z : (tensor<2x8xf32>, tensor<f32>, tensor<2xi8>) -> tensor<2x8xi8>
  return
}
// -----
func.func @f(%x: tensor<2x8xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{relax.dequantize_linear: x must be of i8, ui8, i16 or i32, found f32}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.dequantize_linear %x, %s : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  return
}
// -----
func.func @f(%x: tensor<2x8xf64>) {
  // expected-error @+2 {{relax.dynamic_quantize_linear: x must be of f32}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:3 = relax.dynamic_quantize_linear %x : (tensor<2x8xf64>) -> (tensor<2x8xui8>, tensor<f32>, tensor<ui8>)
  return
}
