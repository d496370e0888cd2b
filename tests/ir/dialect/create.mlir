// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

// CHECK-LABEL: @full
// CHECK: relax.full {shape = #relax.shape<[n, 4]>, value = 1.500000e+00 : f32} : () -> tensor<?x4xf32, #relax.shape<[n, 4]>>
// CHECK: relax.full {shape = #relax.shape<[2, 3]>, value = true} : () -> tensor<2x3xi1>
// CHECK: relax.full_like %{{.*}} {value = 7 : ui8} : (tensor<?x4xf32>) -> tensor<?x4xui8>
func.func @full(%x: tensor<?x4xf32>) {
  %0 = relax.full {shape = #relax.shape<[n, 4]>, value = 1.5 : f32} : () -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  %1 = relax.full {shape = #relax.shape<[2, 3]>, value = true} : () -> tensor<2x3xi1>
  %2 = relax.full_like %x {value = 7 : ui8} : (tensor<?x4xf32>) -> tensor<?x4xui8>
  return
}

// The number of elements is an expression.
// CHECK-LABEL: @arange
// CHECK: relax.arange {{.*}} -> tensor<?xi64, #relax.shape<[n]>>
// CHECK: relax.arange {{.*}} -> tensor<?xi32, #relax.shape<[floordiv(n, 2) + 1]>>
// CHECK: relax.arange {{.*}} -> tensor<5xf32>
func.func @arange() {
  %0 = relax.arange {limit = #relax.expr<n>, dtype = i64} : () -> tensor<?xi64, #relax.shape<[n]>>
  %1 = relax.arange {start = #relax.expr<n>, limit = #relax.expr<-1>, step = #relax.expr<-2>, dtype = i32} : () -> tensor<?xi32, #relax.shape<[floordiv(n, 2) + 1]>>
  %2 = relax.arange {limit = 1.0, step = 0.2, dtype = f32} : () -> tensor<5xf32>
  return
}

// CHECK-LABEL: @masks
// CHECK: relax.causal_mask {{.*}} -> tensor<?x?xi1, #relax.shape<[t, s]>>
// CHECK: relax.one_hot {{.*}} -> tensor<?x?x8xf32, #relax.shape<[t, n, 8]>>
// CHECK: relax.one_hot {{.*}} -> tensor<8x?x8xf32, #relax.shape<[8, t, 8]>>
// CHECK: relax.tril {{.*}} -> tensor<?x3x3xf32, #relax.shape<[n, 3, 3]>>
func.func @masks(%i: tensor<?x8xi64, #relax.shape<[t, 8]>>, %x: tensor<?x3x3xf32, #relax.shape<[n, 3, 3]>>) {
  %0 = relax.causal_mask {rows = #relax.expr<t>, columns = #relax.expr<s>} : () -> tensor<?x?xi1, #relax.shape<[t, s]>>
  %1 = relax.one_hot %i {depth = #relax.expr<n>, axis = 1 : i64, on = 1.0 : f32, off = 0.0 : f32} : (tensor<?x8xi64, #relax.shape<[t, 8]>>) -> tensor<?x?x8xf32, #relax.shape<[t, n, 8]>>
  %2 = relax.one_hot %i {depth = #relax.expr<8>, axis = -3 : i64, on = 1.0 : f32, off = 0.0 : f32} : (tensor<?x8xi64, #relax.shape<[t, 8]>>) -> tensor<8x?x8xf32, #relax.shape<[8, t, 8]>>
  %3 = relax.tril %x {diagonal = #relax.expr<n - 1>} : (tensor<?x3x3xf32, #relax.shape<[n, 3, 3]>>) -> tensor<?x3x3xf32, #relax.shape<[n, 3, 3]>>
  return
}
