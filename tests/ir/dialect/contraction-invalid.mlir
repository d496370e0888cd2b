// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f() {
  // expected-error @+1 {{relax.constant: the weight "w" has 100 bytes, the type [576] of 4-byte elements has another size}}
  %r = relax.constant <"w", file = 0, offset = 0, size = 100, hash = ""> : tensor<576xf32>
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{relax.constant: a weight has a static shape}}
  %r = relax.constant <"w", file = 0, offset = 0, size = 100, hash = ""> : tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%b: tensor<40x37xi8>) {
  // expected-error @+2 {{relax.dequantize: a row of bytes [40, 37] must be a multiple of the 18 bytes of a block of q4_0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.dequantize %b {format = "q4_0"} : (tensor<40x37xi8>) -> tensor<?x576xf32, #relax.shape<[t, 576]>>
  return
}
// -----
func.func @f(%b: tensor<40x37xi8>) {
  // expected-error @+2 {{relax.dequantize: there is no format "q9_k"; expected one of bf16, f16, f32, iq4_nl, iq4_xs, q2_k, q3_k, q4_0, q4_1, q4_k, q5_0, q5_1, q5_k, q6_k, q8_0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.dequantize %b {format = "q9_k"} : (tensor<40x37xi8>) -> tensor<?x576xf32, #relax.shape<[t, 576]>>
  return
}
// -----
func.func @f(%b: tensor<40x?xi8, #relax.shape<[40, m]>>) {
  // expected-error @+2 {{relax.dequantize: dimension 1 of bytes [40, m] must be a constant}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.dequantize %b {format = "q4_0"} : (tensor<40x?xi8, #relax.shape<[40, m]>>) -> tensor<?x576xf32, #relax.shape<[t, 576]>>
  return
}
// -----
func.func @f(%b: tensor<40x40xi8>) {
  // expected-error @+2 {{relax.pack_weights: the 10 elements of a row of bytes [40, 40] must be a multiple of 32}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.pack_weights %b {format = "f32"} : (tensor<40x40xi8>) -> tensor<40x40xi8>
  return
}
// -----
func.func @f(%x: tensor<?x40xf32, #relax.shape<[t, 40]>>) {
  // expected-error @+2 {{relax.quantize_activations: dimension 1 of x [t, 40] must be a multiple of 32}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:3 = relax.quantize_activations %x {planes = 1 : i64} : (tensor<?x40xf32, #relax.shape<[t, 40]>>) -> (tensor<?x1x40xi8, #relax.shape<[t, 1, 40]>>, tensor<?x1x1xf32, #relax.shape<[t, 1, 1]>>, tensor<?x1x1xi32, #relax.shape<[t, 1, 1]>>)
  return
}
// -----
func.func @f(%x: tensor<?x576xf32, #relax.shape<[t, 576]>>) {
  // expected-error @+2 {{relax.quantize_activations: planes must be 1 or 2, found 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:3 = relax.quantize_activations %x {planes = 3 : i64} : (tensor<?x576xf32, #relax.shape<[t, 576]>>) -> (tensor<?x3x576xi8, #relax.shape<[t, 3, 576]>>, tensor<?x3x18xf32, #relax.shape<[t, 3, 18]>>, tensor<?x3x18xi32, #relax.shape<[t, 3, 18]>>)
  return
}
// -----
func.func @f(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %p: tensor<3x640xi8>) {
  // expected-error @+2 {{relax.packed_matmul: dimension 0 of packed [3, 640] must be 4 (50 rows of 64 elements in q4_1)}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.packed_matmul %x, %p {format = "q4_1", rows = 50 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x640xi8>) -> tensor<?x50xf32, #relax.shape<[t, 50]>>
  return
}
// -----
func.func @f(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %p: tensor<3x640xi8>) {
  // expected-error @+2 {{relax.packed_matmul: dimension 1 of packed [3, 640] must be 576 (40 rows of 64 elements in q4_0)}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.packed_matmul %x, %p {format = "q4_0", rows = 40 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<3x640xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
  return
}
// -----
func.func @f(%q: tensor<?x1x64xi8, #relax.shape<[t, 1, 64]>>, %d: tensor<?x1x2xf32, #relax.shape<[t, 1, 2]>>, %s: tensor<?x1x2xi32, #relax.shape<[u, 1, 2]>>, %p: tensor<3x640xi8>) {
  // expected-error @+2 {{relax.quantized_matmul: dimension 0 of values [t, 1, 64] must equal dimension 0 of sums [u, 1, 2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.quantized_matmul %q, %d, %s, %p {format = "q4_1", rows = 40 : i64} : (tensor<?x1x64xi8, #relax.shape<[t, 1, 64]>>, tensor<?x1x2xf32, #relax.shape<[t, 1, 2]>>, tensor<?x1x2xi32, #relax.shape<[u, 1, 2]>>, tensor<3x640xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
  return
}
// -----
func.func @f(%q: tensor<?x1x64xi8, #relax.shape<[t, 1, 64]>>, %d: tensor<?x1x3xf32, #relax.shape<[t, 1, 3]>>, %s: tensor<?x1x2xi32, #relax.shape<[t, 1, 2]>>, %p: tensor<3x640xi8>) {
  // expected-error @+2 {{relax.quantized_matmul: dimension 2 of scales [t, 1, 3] must be 2 (one for each 32 values)}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.quantized_matmul %q, %d, %s, %p {format = "q4_1", rows = 40 : i64} : (tensor<?x1x64xi8, #relax.shape<[t, 1, 64]>>, tensor<?x1x3xf32, #relax.shape<[t, 1, 3]>>, tensor<?x1x2xi32, #relax.shape<[t, 1, 2]>>, tensor<3x640xi8>) -> tensor<?x40xf32, #relax.shape<[t, 40]>>
  return
}
