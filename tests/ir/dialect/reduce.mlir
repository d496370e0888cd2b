// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

// CHECK-LABEL: @f14(
// CHECK: relax.sum {{.*}} -> tensor<?x?xf32, #relax.shape<[n, m]>>
func.func @f14(%a: tensor<?x3x?xf32, #relax.shape<[n, 3, m]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>> {
  %r = relax.sum %a {axes = array<i64: 1>} : (tensor<?x3x?xf32, #relax.shape<[n, 3, m]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>>
  return %r : tensor<?x?xf32, #relax.shape<[n, m]>>
}

// CHECK-LABEL: @f15(
// CHECK: relax.sum {{.*}} -> tensor<1x3x1xf32>
func.func @f15(%a: tensor<?x3x?xf32, #relax.shape<[n, 3, m]>>) -> tensor<1x3x1xf32> {
  %r = relax.sum %a {axes = array<i64: 0, -1>, keep_dims} : (tensor<?x3x?xf32, #relax.shape<[n, 3, m]>>) -> tensor<1x3x1xf32>
  return %r : tensor<1x3x1xf32>
}

// CHECK-LABEL: @f16(
// CHECK: relax.mean {{.*}} -> tensor<f32>
func.func @f16(%a: tensor<?x3xf32, #relax.shape<[n, 3]>>) -> tensor<f32> {
  %r = relax.mean %a : (tensor<?x3xf32, #relax.shape<[n, 3]>>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: @f17(
// CHECK: relax.max {{.*}} -> tensor<?x3xui8, #relax.shape<[n, 3]>>
func.func @f17(%a: tensor<?x3xui8, #relax.shape<[n, 3]>>) -> tensor<?x3xui8, #relax.shape<[n, 3]>> {
  %r = relax.max %a {axes = array<i64>} : (tensor<?x3xui8, #relax.shape<[n, 3]>>) -> tensor<?x3xui8, #relax.shape<[n, 3]>>
  return %r : tensor<?x3xui8, #relax.shape<[n, 3]>>
}

// CHECK-LABEL: @f18(
// CHECK: relax.any {{.*}} -> tensor<?xi1>
func.func @f18(%a: tensor<?x3xi1>) -> tensor<?xi1> {
  %r = relax.any %a {axes = array<i64: 1>} : (tensor<?x3xi1>) -> tensor<?xi1>
  return %r : tensor<?xi1>
}

// CHECK-LABEL: @f19(
// CHECK: relax.variance {{.*}} -> tensor<?xf32, #relax.shape<[n]>>
func.func @f19(%a: tensor<?x3xf32, #relax.shape<[n, 3]>>) -> tensor<?xf32, #relax.shape<[n]>> {
  %r = relax.variance %a {axes = array<i64: 1>, correction = 1 : i64} : (tensor<?x3xf32, #relax.shape<[n, 3]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return %r : tensor<?xf32, #relax.shape<[n]>>
}

// CHECK-LABEL: @f20(
// CHECK: relax.argmax {{.*}} -> tensor<?x1xi64, #relax.shape<[n, 1]>>
func.func @f20(%a: tensor<?x3xf16, #relax.shape<[n, 3]>>) -> tensor<?x1xi64, #relax.shape<[n, 1]>> {
  %r = relax.argmax %a {axis = 1 : i64, keep_dims} : (tensor<?x3xf16, #relax.shape<[n, 3]>>) -> tensor<?x1xi64, #relax.shape<[n, 1]>>
  return %r : tensor<?x1xi64, #relax.shape<[n, 1]>>
}

// CHECK-LABEL: @f21(
// CHECK: relax.cumsum {{.*}} -> tensor<?x?xi32, #relax.shape<[n, m]>>
func.func @f21(%a: tensor<?x?xi32, #relax.shape<[n, m]>>) -> tensor<?x?xi32, #relax.shape<[n, m]>> {
  %r = relax.cumsum %a {axis = -1 : i64, exclusive, reverse} : (tensor<?x?xi32, #relax.shape<[n, m]>>) -> tensor<?x?xi32, #relax.shape<[n, m]>>
  return %r : tensor<?x?xi32, #relax.shape<[n, m]>>
}
