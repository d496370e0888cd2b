// RUN: relax-opt %s --relax-materialize-guards --relax-legalize --relax-verify | FileCheck %s

// Extents that only a guard knows to be equal are one in the program: operands are viewed so.
// CHECK-LABEL: func.func @matmul
// CHECK: relax.guard <equal, k, l>
// CHECK-NEXT: %[[Y:.*]] = relax.reshape %arg1 : tensor<?x3xf32, #relax.shape<[l, 3]>> to tensor<?x3xf32, #relax.shape<[k, 3]>>
// CHECK-NEXT: relax.call_kernel @{{.*}}(%arg0, %[[Y]])
func.func @matmul(%x: tensor<2x?xf32, #relax.shape<[2, k]>>, %y: tensor<?x3xf32, #relax.shape<[l, 3]>>) -> tensor<2x3xf32> attributes {relax.symbols = #relax.symbols<k = [0, ?], l = [0, ?]>} {
  %0 = relax.matmul %x, %y : (tensor<2x?xf32, #relax.shape<[2, k]>>, tensor<?x3xf32, #relax.shape<[l, 3]>>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A constant stands for both, in the result as well.
// CHECK-LABEL: func.func @bytes
// CHECK: relax.guard <equal, 4, m * m>
// CHECK: relax.reshape %arg0 : {{.*}} to tensor<?x4x4xui8, #relax.shape<[m, 4, 4]>>
// CHECK: relax.call_kernel
// CHECK: relax.reshape {{.*}} to tensor<?x?x4xi32, #relax.shape<[m, m * m, 4]>>
func.func @bytes(%x: tensor<?x4x?xui8, #relax.shape<[m, 4, m * m]>>) -> tensor<?x?x4xi32, #relax.shape<[m, m * m, 4]>> attributes {relax.symbols = #relax.symbols<m = [0, 24]>} {
  %0 = relax.matmul %x, %x {transpose_a, transpose_b} : (tensor<?x4x?xui8, #relax.shape<[m, 4, m * m]>>, tensor<?x4x?xui8, #relax.shape<[m, 4, m * m]>>) -> tensor<?x?x4xi32, #relax.shape<[m, m * m, 4]>>
  return %0 : tensor<?x?x4xi32, #relax.shape<[m, m * m, 4]>>
}
