// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

// CHECK-LABEL: @f34(
// CHECK: relax.softmax {{.*}} -> tensor<?x?x3xf32, #relax.shape<[n, m, 3]>>
func.func @f34(%a: tensor<?x?x3xf32, #relax.shape<[n, m, 3]>>) -> tensor<?x?x3xf32, #relax.shape<[n, m, 3]>> {
  %r = relax.softmax %a {axis = 1 : i64} : (tensor<?x?x3xf32, #relax.shape<[n, m, 3]>>) -> tensor<?x?x3xf32, #relax.shape<[n, m, 3]>>
  return %r : tensor<?x?x3xf32, #relax.shape<[n, m, 3]>>
}

// CHECK-LABEL: @f35(
// CHECK: relax.log_softmax {{.*}} -> tensor<?x?xf32, #relax.shape<[?, m]>>
func.func @f35(%a: tensor<?x?xf32, #relax.shape<[?, m]>>) -> tensor<?x?xf32, #relax.shape<[?, m]>> {
  %r = relax.log_softmax %a : (tensor<?x?xf32, #relax.shape<[?, m]>>) -> tensor<?x?xf32, #relax.shape<[?, m]>>
  return %r : tensor<?x?xf32, #relax.shape<[?, m]>>
}

// CHECK-LABEL: @f36(
// CHECK: relax.layer_norm {{.*}} -> tensor<?x?x3xf32, #relax.shape<[n, m, 3]>>
func.func @f36(%a: tensor<?x?x3xf32, #relax.shape<[n, m, 3]>>, %b: tensor<?x3xf32, #relax.shape<[m, 3]>>, %c: tensor<?x3xf32, #relax.shape<[m, 3]>>) -> tensor<?x?x3xf32, #relax.shape<[n, m, 3]>> {
  %r = relax.layer_norm %a, %b, %c {axis = 1 : i64} : (tensor<?x?x3xf32, #relax.shape<[n, m, 3]>>, tensor<?x3xf32, #relax.shape<[m, 3]>>, tensor<?x3xf32, #relax.shape<[m, 3]>>) -> tensor<?x?x3xf32, #relax.shape<[n, m, 3]>>
  return %r : tensor<?x?x3xf32, #relax.shape<[n, m, 3]>>
}

// CHECK-LABEL: @f37(
// CHECK: relax.layer_norm {{.*}} -> tensor<?x?xf32, #relax.shape<[n, m]>>
func.func @f37(%a: tensor<?x?xf32, #relax.shape<[n, m]>>, %b: tensor<?xf32, #relax.shape<[k]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>> {
  %r = relax.layer_norm %a, %b : (tensor<?x?xf32, #relax.shape<[n, m]>>, tensor<?xf32, #relax.shape<[k]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>>
  return %r : tensor<?x?xf32, #relax.shape<[n, m]>>
}

// CHECK-LABEL: @f38(
// CHECK: relax.group_norm {{.*}} -> tensor<?x6x?xf32, #relax.shape<[n, 6, h]>>
func.func @f38(%a: tensor<?x6x?xf32, #relax.shape<[n, 6, h]>>, %b: tensor<6xf32>, %c: tensor<6xf32>) -> tensor<?x6x?xf32, #relax.shape<[n, 6, h]>> {
  %r = relax.group_norm %a, %b, %c {num_groups = 3 : i64} : (tensor<?x6x?xf32, #relax.shape<[n, 6, h]>>, tensor<6xf32>, tensor<6xf32>) -> tensor<?x6x?xf32, #relax.shape<[n, 6, h]>>
  return %r : tensor<?x6x?xf32, #relax.shape<[n, 6, h]>>
}

// CHECK-LABEL: @f39(
// CHECK: relax.group_norm {{.*}} -> tensor<?x?x?xf32, #relax.shape<[n, c, h]>>
func.func @f39(%a: tensor<?x?x?xf32, #relax.shape<[n, c, h]>>) -> tensor<?x?x?xf32, #relax.shape<[n, c, h]>> {
  %r = relax.group_norm %a {num_groups = 3 : i64} : (tensor<?x?x?xf32, #relax.shape<[n, c, h]>>) -> tensor<?x?x?xf32, #relax.shape<[n, c, h]>>
  return %r : tensor<?x?x?xf32, #relax.shape<[n, c, h]>>
}

// CHECK-LABEL: @f40(
// CHECK: relax.instance_norm {{.*}} -> tensor<?x?x?xf32, #relax.shape<[n, c, h]>>
func.func @f40(%a: tensor<?x?x?xf32, #relax.shape<[n, c, h]>>, %b: tensor<?xf32, #relax.shape<[c]>>) -> tensor<?x?x?xf32, #relax.shape<[n, c, h]>> {
  %r = relax.instance_norm %a, %b : (tensor<?x?x?xf32, #relax.shape<[n, c, h]>>, tensor<?xf32, #relax.shape<[c]>>) -> tensor<?x?x?xf32, #relax.shape<[n, c, h]>>
  return %r : tensor<?x?x?xf32, #relax.shape<[n, c, h]>>
}

// CHECK-LABEL: @f41(
// CHECK: relax.batch_norm {{.*}} -> tensor<?x?x?xf32, #relax.shape<[n, c, h]>>
func.func @f41(%a: tensor<?x?x?xf32, #relax.shape<[n, c, h]>>, %b: tensor<?xf32, #relax.shape<[c]>>, %c: tensor<?xf32, #relax.shape<[c]>>, %d: tensor<?xf32, #relax.shape<[c]>>, %e: tensor<?xf32, #relax.shape<[c]>>) -> tensor<?x?x?xf32, #relax.shape<[n, c, h]>> {
  %r = relax.batch_norm %a, %b, %c, %d, %e : (tensor<?x?x?xf32, #relax.shape<[n, c, h]>>, tensor<?xf32, #relax.shape<[c]>>, tensor<?xf32, #relax.shape<[c]>>, tensor<?xf32, #relax.shape<[c]>>, tensor<?xf32, #relax.shape<[c]>>) -> tensor<?x?x?xf32, #relax.shape<[n, c, h]>>
  return %r : tensor<?x?x?xf32, #relax.shape<[n, c, h]>>
}

// CHECK-LABEL: @f42(
// CHECK: relax.lp_norm {{.*}} -> tensor<?x?xf32, #relax.shape<[n, m]>>
func.func @f42(%a: tensor<?x?xf32, #relax.shape<[n, m]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>> {
  %r = relax.lp_norm %a {p = 1 : i64} : (tensor<?x?xf32, #relax.shape<[n, m]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>>
  return %r : tensor<?x?xf32, #relax.shape<[n, m]>>
}
