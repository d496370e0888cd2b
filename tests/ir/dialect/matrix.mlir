// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

// CHECK-LABEL: @f1(
// CHECK: relax.matmul {{.*}} -> tensor<?x?xf32, #relax.shape<[n, m]>>
func.func @f1(%a: tensor<?x5xf32, #relax.shape<[n, 5]>>, %b: tensor<5x?xf32, #relax.shape<[5, m]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>> {
  %r = relax.matmul %a, %b : (tensor<?x5xf32, #relax.shape<[n, 5]>>, tensor<5x?xf32, #relax.shape<[5, m]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>>
  return %r : tensor<?x?xf32, #relax.shape<[n, m]>>
}

// CHECK-LABEL: @f2(
// CHECK: relax.matmul {{.*}} -> tensor<?x?xf32, #relax.shape<[n, m]>>
func.func @f2(%a: tensor<?x?xf32, #relax.shape<[n, k]>>, %b: tensor<?x?xf32, #relax.shape<[j, m]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>> {
  %r = relax.matmul %a, %b : (tensor<?x?xf32, #relax.shape<[n, k]>>, tensor<?x?xf32, #relax.shape<[j, m]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>>
  return %r : tensor<?x?xf32, #relax.shape<[n, m]>>
}

// CHECK-LABEL: @f3(
// CHECK: relax.matmul {{.*}} -> tensor<?x4xf32>
func.func @f3(%a: tensor<?x?xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = relax.matmul %a, %b : (tensor<?x?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// CHECK-LABEL: @f4(
// CHECK: relax.matmul {{.*}} -> tensor<?x3x?x4xf32, #relax.shape<[b, 3, n, 4]>>
func.func @f4(%a: tensor<?x1x?x5xf32, #relax.shape<[b, 1, n, 5]>>, %b: tensor<3x5x4xf32>) -> tensor<?x3x?x4xf32, #relax.shape<[b, 3, n, 4]>> {
  %r = relax.matmul %a, %b : (tensor<?x1x?x5xf32, #relax.shape<[b, 1, n, 5]>>, tensor<3x5x4xf32>) -> tensor<?x3x?x4xf32, #relax.shape<[b, 3, n, 4]>>
  return %r : tensor<?x3x?x4xf32, #relax.shape<[b, 3, n, 4]>>
}

// CHECK-LABEL: @f5(
// CHECK: relax.matmul {{.*}} -> tensor<?x?x4xf32, #relax.shape<[min(b, c, 1) - min(max(b, c), 1) + max(b, c), n, 4]>>
func.func @f5(%a: tensor<?x?x5xf32, #relax.shape<[b, n, 5]>>, %b: tensor<?x5x4xf32, #relax.shape<[c, 5, 4]>>) -> tensor<?x?x4xf32, #relax.shape<[min(b, c, 1) - min(max(b, c), 1) + max(b, c), n, 4]>> {
  %r = relax.matmul %a, %b : (tensor<?x?x5xf32, #relax.shape<[b, n, 5]>>, tensor<?x5x4xf32, #relax.shape<[c, 5, 4]>>) -> tensor<?x?x4xf32, #relax.shape<[min(b, c, 1) - min(max(b, c), 1) + max(b, c), n, 4]>>
  return %r : tensor<?x?x4xf32, #relax.shape<[min(b, c, 1) - min(max(b, c), 1) + max(b, c), n, 4]>>
}

// CHECK-LABEL: @f6(
// CHECK: relax.matmul {{.*}} -> tensor<f32>
func.func @f6(%a: tensor<?xf32, #relax.shape<[n]>>, %b: tensor<?xf32, #relax.shape<[n]>>) -> tensor<f32> {
  %r = relax.matmul %a, %b : (tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[n]>>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: @f7(
// CHECK: relax.matmul {{.*}} -> tensor<?x4xf32, #relax.shape<[b, 4]>>
func.func @f7(%a: tensor<?xf32, #relax.shape<[n]>>, %b: tensor<?x?x4xf32, #relax.shape<[b, n, 4]>>) -> tensor<?x4xf32, #relax.shape<[b, 4]>> {
  %r = relax.matmul %a, %b : (tensor<?xf32, #relax.shape<[n]>>, tensor<?x?x4xf32, #relax.shape<[b, n, 4]>>) -> tensor<?x4xf32, #relax.shape<[b, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[b, 4]>>
}

// CHECK-LABEL: @f8(
// CHECK: relax.matmul {{.*}} -> tensor<?x4xi32, #relax.shape<[n, 4]>>
func.func @f8(%a: tensor<?x5xi8, #relax.shape<[n, 5]>>, %b: tensor<5x4xui8>) -> tensor<?x4xi32, #relax.shape<[n, 4]>> {
  %r = relax.matmul %a, %b : (tensor<?x5xi8, #relax.shape<[n, 5]>>, tensor<5x4xui8>) -> tensor<?x4xi32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xi32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @f9(
// CHECK: relax.matmul {{.*}} -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @f9(%a: tensor<?x5xf16, #relax.shape<[n, 5]>>, %b: tensor<5x4xf16>) -> tensor<?x4xf32, #relax.shape<[n, 4]>> {
  %r = relax.matmul %a, %b {result_type = f32} : (tensor<?x5xf16, #relax.shape<[n, 5]>>, tensor<5x4xf16>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @f10(
// CHECK: relax.einsum {{.*}} -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @f10(%a: tensor<?x5xf32, #relax.shape<[n, 5]>>, %b: tensor<5x4xf32>) -> tensor<?x4xf32, #relax.shape<[n, 4]>> {
  %r = relax.einsum %a, %b {equation = "ij,jk->ik"} : (tensor<?x5xf32, #relax.shape<[n, 5]>>, tensor<5x4xf32>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @f11(
// CHECK: relax.einsum {{.*}} -> tensor<?x4xf32, #relax.shape<[n, 4]>>
func.func @f11(%a: tensor<?x5xf32, #relax.shape<[n, 5]>>, %b: tensor<5x4xf32>) -> tensor<?x4xf32, #relax.shape<[n, 4]>> {
  %r = relax.einsum %a, %b {equation = "ij,jk"} : (tensor<?x5xf32, #relax.shape<[n, 5]>>, tensor<5x4xf32>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// CHECK-LABEL: @f12(
// CHECK: relax.einsum {{.*}} -> tensor<?x?x4xf32, #relax.shape<[b, n, 4]>>
func.func @f12(%a: tensor<?x?x3xf32, #relax.shape<[b, n, 3]>>, %b: tensor<3x4xf32>) -> tensor<?x?x4xf32, #relax.shape<[b, n, 4]>> {
  %r = relax.einsum %a, %b {equation = "...ij,jk->...ik"} : (tensor<?x?x3xf32, #relax.shape<[b, n, 3]>>, tensor<3x4xf32>) -> tensor<?x?x4xf32, #relax.shape<[b, n, 4]>>
  return %r : tensor<?x?x4xf32, #relax.shape<[b, n, 4]>>
}

// CHECK-LABEL: @f13(
// CHECK: relax.einsum {{.*}} -> tensor<4x?x?xf32, #relax.shape<[4, m, n]>>
func.func @f13(%a: tensor<?x?xf32, #relax.shape<[n, ?]>>, %b: tensor<?x4xf32, #relax.shape<[m, 4]>>) -> tensor<4x?x?xf32, #relax.shape<[4, m, n]>> {
  %r = relax.einsum %a, %b {equation = "ij,jk->kji"} : (tensor<?x?xf32, #relax.shape<[n, ?]>>, tensor<?x4xf32, #relax.shape<[m, 4]>>) -> tensor<4x?x?xf32, #relax.shape<[4, m, n]>>
  return %r : tensor<4x?x?xf32, #relax.shape<[4, m, n]>>
}
