// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, %b: tensor<4x2x3xf32>) {
  // expected-error @+2 {{relax.convolution: dimension 1 of x [1, 3, n] and groups times dimension 1 of weight [4, 2, 3] are never equal: 3 and 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.convolution %a, %b : (tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, tensor<4x2x3xf32>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x4x?xf32, #relax.shape<[1, 4, n]>>, %b: tensor<3x2x3xf32>) {
  // expected-error @+2 {{relax.convolution: groups and dimension 0 of weight [3, 2, 3] never divide (first by second): 2 and 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.convolution %a, %b {groups = 2 : i64} : (tensor<1x4x?xf32, #relax.shape<[1, 4, n]>>, tensor<3x2x3xf32>) -> tensor<1x4x?xf32, #relax.shape<[1, 4, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, %b: tensor<4x3x3xf32>) {
  // expected-error @+2 {{relax.convolution: groups must be at least 1, found 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.convolution %a, %b {groups = 0 : i64} : (tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, tensor<4x3x3xf32>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, %b: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{relax.convolution: expected x [batch, channels, size...] and a weight of the same rank, at least 3; found x [1, 3, n] and weight [4, 3, 3, 3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.convolution %a, %b : (tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, tensor<4x3x3x3xf32>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x2xf32>, %b: tensor<4x3x5xf32>) {
  // expected-error @+2 {{relax.convolution: the kernel [5] and spatial dimension 0 of x [1, 3, 2] with its padding, for the size of the result: it would be -2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.convolution %a, %b : (tensor<1x3x2xf32>, tensor<4x3x5xf32>) -> tensor<1x3x2xf32>
  return
}
// -----
func.func @f(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, %b: tensor<4x3x3xf32>) {
  // expected-error @+2 {{relax.convolution: strides must have 1 entries for x [1, 3, n], found 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.convolution %a, %b {strides = array<i64: 1, 1>} : (tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, tensor<4x3x3xf32>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, %b: tensor<4x3x3xf32>) {
  // expected-error @+2 {{relax.convolution: strides must be at least 1 and below 2^31, found 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.convolution %a, %b {strides = array<i64: 0>} : (tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, tensor<4x3x3xf32>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, %b: tensor<4x3x3xf32>) {
  // expected-error @+2 {{relax.convolution: pads must have 2 entries for x [1, 3, n], found 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.convolution %a, %b {pads = array<i64: 1>} : (tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, tensor<4x3x3xf32>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, %b: tensor<4x3x3xf32>) {
  // expected-error @+2 {{relax.convolution: auto_pad must be explicit, valid, same_upper or same_lower, found "same"}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.convolution %a, %b {auto_pad = "same"} : (tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, tensor<4x3x3xf32>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, %b: tensor<4x3x3xf32>) {
  // expected-error @+2 {{relax.convolution: pads are given beside auto_pad = "valid"}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.convolution %a, %b {auto_pad = "valid", pads = array<i64: 1, 1>} : (tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, tensor<4x3x3xf32>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, %b: tensor<4x3x3xf32>, %c: tensor<5xf32>) {
  // expected-error @+2 {{relax.convolution: dimension 0 of bias [5] and the number of output channels are never equal: 5 and 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.convolution %a, %b, %c : (tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, tensor<4x3x3xf32>, tensor<5xf32>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x?xi8, #relax.shape<[1, 3, n]>>, %b: tensor<4x3x3xi8>) {
  // expected-error @+2 {{relax.convolution: x must have elements of floating point, found i8}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.convolution %a, %b : (tensor<1x3x?xi8, #relax.shape<[1, 3, n]>>, tensor<4x3x3xi8>) -> tensor<1x3x?xi8, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, %b: tensor<4x3x3xf32>) {
  // expected-error @+2 {{relax.transposed_convolution: dimension 1 of x [1, 3, n] and dimension 0 of weight [4, 3, 3] are never equal: 3 and 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.transposed_convolution %a, %b : (tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, tensor<4x3x3xf32>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x4x?xf32, #relax.shape<[1, 4, n]>>, %b: tensor<4x3x3xf32>) {
  // expected-error @+2 {{relax.transposed_convolution: output_padding must be below the stride or the dilation, found 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.transposed_convolution %a, %b {output_padding = array<i64: 1>} : (tensor<1x4x?xf32, #relax.shape<[1, 4, n]>>, tensor<4x3x3xf32>) -> tensor<1x4x?xf32, #relax.shape<[1, 4, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>) {
  // expected-error @+2 {{relax.max_pool: expected x [batch, channels, size...] with one to three spatial dimensions, as many as the kernel [2, 2] has; found [1, 3, n]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.max_pool %a {kernel = array<i64: 2, 2>} : (tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>) {
  // expected-error @+2 {{relax.max_pool: the kernel [0] has no element}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.max_pool %a {kernel = array<i64: 0>} : (tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x2xf32>) {
  // expected-error @+2 {{relax.max_pool: the kernel [4] and spatial dimension 0 of x [1, 3, 2] with its padding, for the size of the result: it would be -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.max_pool %a {kernel = array<i64: 4>} : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  return
}
// -----
func.func @f(%a: tensor<1x3x?xi32, #relax.shape<[1, 3, n]>>) {
  // expected-error @+2 {{relax.average_pool: x must have elements of floating point, found i32}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.average_pool %a {kernel = array<i64: 2>} : (tensor<1x3x?xi32, #relax.shape<[1, 3, n]>>) -> tensor<1x3x?xi32, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<3x?xf32, #relax.shape<[3, n]>>) {
  // expected-error @+2 {{relax.global_max_pool: expected x [batch, channels, size...], found [3, n]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.global_max_pool %a : (tensor<3x?xf32, #relax.shape<[3, n]>>) -> tensor<3x?xf32, #relax.shape<[3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>) {
  // expected-error @+2 {{relax.interpolate: mode must be one of nearest, linear, cubic; found "area"}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.interpolate %a {mode = "area", scales = array<f64: 2.0>} : (tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>) {
  // expected-error @+2 {{relax.interpolate: expected either sizes or scales}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.interpolate %a : (tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>) {
  // expected-error @+2 {{relax.interpolate: expected 1 sizes or scales for x [1, 3, n], found 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.interpolate %a {scales = array<f64: 2.0, 2.0>} : (tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>) {
  // expected-error @+2 {{relax.interpolate: a scale must be a positive ratio of integers up to 4096, found 0.000000}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.interpolate %a {scales = array<f64: 0.0>} : (tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>
  return
}
// -----
func.func @f(%a: tensor<1x3x2x2x?xf32, #relax.shape<[1, 3, 2, 2, n]>>) {
  // expected-error @+2 {{relax.interpolate: expected x [batch, channels, size...] with one to 2 spatial dimensions, found [1, 3, 2, 2, n]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.interpolate %a {mode = "cubic", scales = array<f64: 1.0, 1.0, 2.0>} : (tensor<1x3x2x2x?xf32, #relax.shape<[1, 3, 2, 2, n]>>) -> tensor<1x3x2x2x?xf32, #relax.shape<[1, 3, 2, 2, n]>>
  return
}
