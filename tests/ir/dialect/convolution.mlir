// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

// CHECK-LABEL: @f22(
// CHECK: relax.convolution {{.*}} -> tensor<1x8x?x?xf32, #relax.shape<[1, 8, ceildiv(h, 2), ceildiv(w, 2)]>>
func.func @f22(%a: tensor<1x3x?x?xf32, #relax.shape<[1, 3, h, w]>>, %b: tensor<8x3x3x3xf32>, %c: tensor<8xf32>) -> tensor<1x8x?x?xf32, #relax.shape<[1, 8, ceildiv(h, 2), ceildiv(w, 2)]>> {
  %r = relax.convolution %a, %b, %c {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x3x?x?xf32, #relax.shape<[1, 3, h, w]>>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<1x8x?x?xf32, #relax.shape<[1, 8, ceildiv(h, 2), ceildiv(w, 2)]>>
  return %r : tensor<1x8x?x?xf32, #relax.shape<[1, 8, ceildiv(h, 2), ceildiv(w, 2)]>>
}

// CHECK-LABEL: @f23(
// CHECK: relax.convolution {{.*}} -> tensor<1x8x?x?xf32, #relax.shape<[1, 8, h, w]>>
func.func @f23(%a: tensor<1x3x?x?xf32, #relax.shape<[1, 3, h, w]>>, %b: tensor<8x3x3x3xf32>) -> tensor<1x8x?x?xf32, #relax.shape<[1, 8, h, w]>> {
  %r = relax.convolution %a, %b {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x?x?xf32, #relax.shape<[1, 3, h, w]>>, tensor<8x3x3x3xf32>) -> tensor<1x8x?x?xf32, #relax.shape<[1, 8, h, w]>>
  return %r : tensor<1x8x?x?xf32, #relax.shape<[1, 8, h, w]>>
}

// CHECK-LABEL: @f24(
// CHECK: relax.convolution {{.*}} -> tensor<?x8x?xf32, #relax.shape<[n, 8, ?]>>
func.func @f24(%a: tensor<?x4x?xf32, #relax.shape<[n, 4, ?]>>, %b: tensor<8x2x3xf32>) -> tensor<?x8x?xf32, #relax.shape<[n, 8, ?]>> {
  %r = relax.convolution %a, %b {groups = 2 : i64} : (tensor<?x4x?xf32, #relax.shape<[n, 4, ?]>>, tensor<8x2x3xf32>) -> tensor<?x8x?xf32, #relax.shape<[n, 8, ?]>>
  return %r : tensor<?x8x?xf32, #relax.shape<[n, 8, ?]>>
}

// CHECK-LABEL: @f25(
// CHECK: relax.convolution {{.*}} -> tensor<?x?x?xf32, #relax.shape<[n, m, h - 2]>>
func.func @f25(%a: tensor<?x?x?xf32, #relax.shape<[n, c, h]>>, %b: tensor<?x?x3xf32, #relax.shape<[m, d, 3]>>) -> tensor<?x?x?xf32, #relax.shape<[n, m, h - 2]>> {
  %r = relax.convolution %a, %b : (tensor<?x?x?xf32, #relax.shape<[n, c, h]>>, tensor<?x?x3xf32, #relax.shape<[m, d, 3]>>) -> tensor<?x?x?xf32, #relax.shape<[n, m, h - 2]>>
  return %r : tensor<?x?x?xf32, #relax.shape<[n, m, h - 2]>>
}

// CHECK-LABEL: @f26(
// CHECK: relax.convolution {{.*}} -> tensor<1x8x?xf32, #relax.shape<[1, 8, ceildiv(h, 2)]>>
func.func @f26(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, h]>>, %b: tensor<8x3x3xf32>) -> tensor<1x8x?xf32, #relax.shape<[1, 8, ceildiv(h, 2)]>> {
  %r = relax.convolution %a, %b {auto_pad = "same_lower", strides = array<i64: 2>} : (tensor<1x3x?xf32, #relax.shape<[1, 3, h]>>, tensor<8x3x3xf32>) -> tensor<1x8x?xf32, #relax.shape<[1, 8, ceildiv(h, 2)]>>
  return %r : tensor<1x8x?xf32, #relax.shape<[1, 8, ceildiv(h, 2)]>>
}

// CHECK-LABEL: @f27(
// CHECK: relax.transposed_convolution {{.*}} -> tensor<1x8x?xf32, #relax.shape<[1, 8, 2 * h]>>
func.func @f27(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, h]>>, %b: tensor<3x8x3xf32>) -> tensor<1x8x?xf32, #relax.shape<[1, 8, 2 * h]>> {
  %r = relax.transposed_convolution %a, %b {output_padding = array<i64: 1>, pads = array<i64: 1, 1>, strides = array<i64: 2>} : (tensor<1x3x?xf32, #relax.shape<[1, 3, h]>>, tensor<3x8x3xf32>) -> tensor<1x8x?xf32, #relax.shape<[1, 8, 2 * h]>>
  return %r : tensor<1x8x?xf32, #relax.shape<[1, 8, 2 * h]>>
}

// CHECK-LABEL: @f28(
// CHECK: relax.max_pool {{.*}} -> tensor<1x3x?xf32, #relax.shape<[1, 3, floordiv(h, 2)]>>
func.func @f28(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, h]>>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, floordiv(h, 2)]>> {
  %r = relax.max_pool %a {kernel = array<i64: 2>, strides = array<i64: 2>} : (tensor<1x3x?xf32, #relax.shape<[1, 3, h]>>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, floordiv(h, 2)]>>
  return %r : tensor<1x3x?xf32, #relax.shape<[1, 3, floordiv(h, 2)]>>
}

// CHECK-LABEL: @f29(
// CHECK: relax.max_pool {{.*}} -> (tensor<1x3x?xf32, #relax.shape<[1, 3, ceildiv(h, 2)]>>, tensor<1x3x?xi64, #relax.shape<[1, 3, ceildiv(h, 2)]>>)
func.func @f29(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, h]>>) -> (tensor<1x3x?xf32, #relax.shape<[1, 3, ceildiv(h, 2)]>>, tensor<1x3x?xi64, #relax.shape<[1, 3, ceildiv(h, 2)]>>) {
  %r:2 = relax.max_pool %a {ceil_mode, kernel = array<i64: 2>, strides = array<i64: 2>, with_indices} : (tensor<1x3x?xf32, #relax.shape<[1, 3, h]>>) -> (tensor<1x3x?xf32, #relax.shape<[1, 3, ceildiv(h, 2)]>>, tensor<1x3x?xi64, #relax.shape<[1, 3, ceildiv(h, 2)]>>)
  return %r#0, %r#1 : tensor<1x3x?xf32, #relax.shape<[1, 3, ceildiv(h, 2)]>>, tensor<1x3x?xi64, #relax.shape<[1, 3, ceildiv(h, 2)]>>
}

// CHECK-LABEL: @f30(
// CHECK: relax.average_pool {{.*}} -> tensor<1x3x?xf32, #relax.shape<[1, 3, h]>>
func.func @f30(%a: tensor<1x3x?xf32, #relax.shape<[1, 3, h]>>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, h]>> {
  %r = relax.average_pool %a {count_include_pad, kernel = array<i64: 3>, pads = array<i64: 1, 1>} : (tensor<1x3x?xf32, #relax.shape<[1, 3, h]>>) -> tensor<1x3x?xf32, #relax.shape<[1, 3, h]>>
  return %r : tensor<1x3x?xf32, #relax.shape<[1, 3, h]>>
}

// CHECK-LABEL: @f31(
// CHECK: relax.global_average_pool {{.*}} -> tensor<?x?x1x1xf32, #relax.shape<[n, c, 1, 1]>>
func.func @f31(%a: tensor<?x?x?x?xf32, #relax.shape<[n, c, h, w]>>) -> tensor<?x?x1x1xf32, #relax.shape<[n, c, 1, 1]>> {
  %r = relax.global_average_pool %a : (tensor<?x?x?x?xf32, #relax.shape<[n, c, h, w]>>) -> tensor<?x?x1x1xf32, #relax.shape<[n, c, 1, 1]>>
  return %r : tensor<?x?x1x1xf32, #relax.shape<[n, c, 1, 1]>>
}

// CHECK-LABEL: @f32(
// CHECK: relax.interpolate {{.*}} -> tensor<?x3x?x?xf32, #relax.shape<[n, 3, 2 * h, floordiv(w, 2)]>>
func.func @f32(%a: tensor<?x3x?x?xf32, #relax.shape<[n, 3, h, w]>>) -> tensor<?x3x?x?xf32, #relax.shape<[n, 3, 2 * h, floordiv(w, 2)]>> {
  %r = relax.interpolate %a {scales = array<f64: 2.0, 0.5>} : (tensor<?x3x?x?xf32, #relax.shape<[n, 3, h, w]>>) -> tensor<?x3x?x?xf32, #relax.shape<[n, 3, 2 * h, floordiv(w, 2)]>>
  return %r : tensor<?x3x?x?xf32, #relax.shape<[n, 3, 2 * h, floordiv(w, 2)]>>
}

// CHECK-LABEL: @f33(
// CHECK: relax.interpolate {{.*}} -> tensor<?x3x?x7xf32, #relax.shape<[n, 3, 2 * w, 7]>>
func.func @f33(%a: tensor<?x3x?x?xf32, #relax.shape<[n, 3, h, w]>>) -> tensor<?x3x?x7xf32, #relax.shape<[n, 3, 2 * w, 7]>> {
  %r = relax.interpolate %a {mode = "cubic", sizes = #relax.shape<[2 * w, 7]>} : (tensor<?x3x?x?xf32, #relax.shape<[n, 3, h, w]>>) -> tensor<?x3x?x7xf32, #relax.shape<[n, 3, 2 * w, 7]>>
  return %r : tensor<?x3x?x7xf32, #relax.shape<[n, 3, 2 * w, 7]>>
}
