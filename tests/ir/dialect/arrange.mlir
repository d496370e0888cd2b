// RUN: relax-opt %s | relax-opt | FileCheck %s
// Deduced shapes as precise as they can be: with symbols, and with unknown dimensions.

// CHECK-LABEL: func.func @symbolic
func.func @symbolic(%x: tensor<?x12xf32, #relax.shape<[n, 12]>>, %y: tensor<?x12xf32, #relax.shape<[m, 12]>>) {
  // CHECK: relax.view {{.*}} -> tensor<?x3x4xf32, #relax.shape<[n, 3, 4]>>
  %0 = relax.view %x {shape = #relax.shape<[0, -1, 4]>} : (tensor<?x12xf32, #relax.shape<[n, 12]>>) -> tensor<?x3x4xf32, #relax.shape<[n, 3, 4]>>
  // CHECK: relax.view {{.*}} -> tensor<?x4xf32, #relax.shape<[3 * n, 4]>>
  %1 = relax.view %x {shape = #relax.shape<[-1, 4]>} : (tensor<?x12xf32, #relax.shape<[n, 12]>>) -> tensor<?x4xf32, #relax.shape<[3 * n, 4]>>
  // CHECK: relax.flatten {{.*}} -> tensor<?xf32, #relax.shape<[12 * n]>>
  %2 = relax.flatten %x : (tensor<?x12xf32, #relax.shape<[n, 12]>>) -> tensor<?xf32, #relax.shape<[12 * n]>>
  // CHECK: relax.concat {{.*}} -> tensor<?x12xf32, #relax.shape<[m + n, 12]>>
  %3 = relax.concat %x, %y : (tensor<?x12xf32, #relax.shape<[n, 12]>>, tensor<?x12xf32, #relax.shape<[m, 12]>>) -> tensor<?x12xf32, #relax.shape<[n + m, 12]>>
  // n against m: accepted, and checked when it runs.
  // CHECK: relax.stack {{.*}} -> tensor<2x?x12xf32, #relax.shape<[2, n, 12]>>
  %4 = relax.stack %x, %y : (tensor<?x12xf32, #relax.shape<[n, 12]>>, tensor<?x12xf32, #relax.shape<[m, 12]>>) -> tensor<2x?x12xf32, #relax.shape<[2, n, 12]>>
  // CHECK: relax.slice {{.*}} -> tensor<?x4xf32, #relax.shape<[max(n - 2, 0), 4]>>
  %5 = relax.slice %x {axes = array<i64: 0, 1>, starts = #relax.shape<[1, 11]>, ends = #relax.shape<[-1, -9223372036854775807]>, steps = array<i64: 1, -3>} : (tensor<?x12xf32, #relax.shape<[n, 12]>>) -> tensor<?x4xf32, #relax.shape<[max(n - 2, 0), 4]>>
  // CHECK: relax.slice {{.*}} -> tensor<?x12xf32, #relax.shape<[min(n, 4), 12]>>
  %6 = relax.slice %x {axes = array<i64: 0>, starts = #relax.shape<[-4]>, ends = #relax.shape<[9223372036854775807]>} : (tensor<?x12xf32, #relax.shape<[n, 12]>>) -> tensor<?x12xf32, #relax.shape<[min(n, 4), 12]>>
  // CHECK: relax.split {{.*}} -> (tensor<?x12xf32, #relax.shape<[m, 12]>>, tensor<?x12xf32, #relax.shape<[n - m, 12]>>)
  %7:2 = relax.split %x {sizes = #relax.shape<[m, n - m]>} : (tensor<?x12xf32, #relax.shape<[n, 12]>>) -> (tensor<?x12xf32, #relax.shape<[m, 12]>>, tensor<?x12xf32, #relax.shape<[n - m, 12]>>)
  // CHECK: relax.pad {{.*}} -> tensor<?x12xf32, #relax.shape<[m + n + 1, 12]>>
  %8 = relax.pad %x {low = #relax.shape<[1, 0]>, high = #relax.shape<[m, 0]>} : (tensor<?x12xf32, #relax.shape<[n, 12]>>) -> tensor<?x12xf32, #relax.shape<[n + m + 1, 12]>>
  // CHECK: relax.tile {{.*}} -> tensor<?x?xf32, #relax.shape<[2 * n, 12 * m]>>
  %9 = relax.tile %x {repeats = #relax.shape<[2, m]>} : (tensor<?x12xf32, #relax.shape<[n, 12]>>) -> tensor<?x?xf32, #relax.shape<[2 * n, 12 * m]>>
  return
}

// CHECK-LABEL: func.func @unknown
func.func @unknown(%x: tensor<?x4xf32>, %s: tensor<1xi64>) {
  // CHECK: relax.squeeze {{.*}} -> tensor<4xf32>
  %0 = relax.squeeze %x {axes = array<i64: 0>} : (tensor<?x4xf32>) -> tensor<4xf32>
  // CHECK: relax.concat {{.*}} -> tensor<?x8xf32>
  %1 = relax.concat %x, %x {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
  // CHECK: relax.slice {{.*}} -> tensor<?x2xf32>
  %2 = relax.slice %x {axes = array<i64: 1>, starts = #relax.shape<[1]>, ends = #relax.shape<[3]>} : (tensor<?x4xf32>) -> tensor<?x2xf32>
  // CHECK: relax.view {{.*}} -> tensor<2x?xf32>
  %3 = relax.view %x {shape = #relax.shape<[2, -1]>} : (tensor<?x4xf32>) -> tensor<2x?xf32>
  // CHECK: relax.broadcast_to {{.*}} -> tensor<3x5x4xf32>
  %4 = relax.broadcast_to %x {shape = #relax.shape<[3, 5, 4]>} : (tensor<?x4xf32>) -> tensor<3x5x4xf32>
  // CHECK: relax.dynamic_strided_slice {{.*}} -> tensor<?x4xf32, #relax.shape<[u, 4]>>
  %5 = relax.dynamic_strided_slice %x, %s, %s {axes = array<i64: 0>, symbols = ["u"]} : (tensor<?x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xf32, #relax.shape<[u, 4]>>
  // CHECK: relax.pad {{.*}} -> tensor<?x5xf32>
  %6 = relax.pad %x {low = #relax.shape<[1, 0]>, high = #relax.shape<[0, 1]>} : (tensor<?x4xf32>) -> tensor<?x5xf32>
  // CHECK: relax.repeat {{.*}} -> tensor<?x8xf32>
  %7 = relax.repeat %x {repeats = #relax.expr<2>, axis = 1 : i64} : (tensor<?x4xf32>) -> tensor<?x8xf32>
  return
}

// CHECK-LABEL: func.func @index
func.func @index(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>, %i: tensor<?x2xi64, #relax.shape<[m, 2]>>, %u: tensor<?xf32, #relax.shape<[m]>>) {
  // CHECK: relax.take {{.*}} -> tensor<?x?x2xf32, #relax.shape<[n, m, 2]>>
  %0 = relax.take %x, %i {axis = -1 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x2xi64, #relax.shape<[m, 2]>>) -> tensor<?x?x2xf32, #relax.shape<[n, m, 2]>>
  // CHECK: relax.gather_elements {{.*}} -> tensor<?x2xf32, #relax.shape<[m, 2]>>
  %1 = relax.gather_elements %x, %i : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x2xi64, #relax.shape<[m, 2]>>) -> tensor<?x2xf32, #relax.shape<[m, 2]>>
  // CHECK: relax.gather_nd {{.*}} -> tensor<?xf32, #relax.shape<[m]>>
  %2 = relax.gather_nd %x, %i : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x2xi64, #relax.shape<[m, 2]>>) -> tensor<?xf32, #relax.shape<[m]>>
  // CHECK: relax.scatter_nd {{.*}} -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  %3 = relax.scatter_nd %x, %i, %u {reduction = "add"} : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x2xi64, #relax.shape<[m, 2]>>, tensor<?xf32, #relax.shape<[m]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
