// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

// CHECK-LABEL: @reshape
// CHECK: relax.reshape %arg0 : tensor<?x576xf32, #relax.shape<[n, 576]>> to tensor<?x9x64xf32, #relax.shape<[n, 9, 64]>>
func.func @reshape(%x: tensor<?x576xf32, #relax.shape<[n, 576]>>) -> (tensor<?x9x64xf32, #relax.shape<[n, 9, 64]>>) {
  %r = relax.reshape %x : tensor<?x576xf32, #relax.shape<[n, 576]>> to tensor<?x9x64xf32, #relax.shape<[n, 9, 64]>>
  return %r : tensor<?x9x64xf32, #relax.shape<[n, 9, 64]>>
}

// CHECK-LABEL: @reshape_expr
// CHECK: relax.reshape %arg0 : tensor<?x8xf32, #relax.shape<[2 * n, 8]>> to tensor<?x16xf32, #relax.shape<[n, 16]>>
func.func @reshape_expr(%x: tensor<?x8xf32, #relax.shape<[2 * n, 8]>>) -> (tensor<?x16xf32, #relax.shape<[n, 16]>>) {
  %r = relax.reshape %x : tensor<?x8xf32, #relax.shape<[2 * n, 8]>> to tensor<?x16xf32, #relax.shape<[n, 16]>>
  return %r : tensor<?x16xf32, #relax.shape<[n, 16]>>
}

// CHECK-LABEL: @permute
// CHECK: relax.permute %arg0 {permutation = array<i64: 2, 0, 1>} : (tensor<?x?x4xf32, #relax.shape<[n, m, 4]>>) -> tensor<4x?x?xf32, #relax.shape<[4, n, m]>>
func.func @permute(%x: tensor<?x?x4xf32, #relax.shape<[n, m, 4]>>) -> (tensor<4x?x?xf32, #relax.shape<[4, n, m]>>) {
  %r = relax.permute %x {permutation = array<i64: 2, 0, 1>} : (tensor<?x?x4xf32, #relax.shape<[n, m, 4]>>) -> tensor<4x?x?xf32, #relax.shape<[4, n, m]>>
  return %r : tensor<4x?x?xf32, #relax.shape<[4, n, m]>>
}

// CHECK-LABEL: @take
// CHECK: relax.take %arg0, %arg1 : (tensor<100x64xf32>, tensor<?xi32, #relax.shape<[n]>>) -> tensor<?x64xf32, #relax.shape<[n, 64]>>
func.func @take(%t: tensor<100x64xf32>, %i: tensor<?xi32, #relax.shape<[n]>>) -> (tensor<?x64xf32, #relax.shape<[n, 64]>>) {
  %r = relax.take %t, %i : (tensor<100x64xf32>, tensor<?xi32, #relax.shape<[n]>>) -> tensor<?x64xf32, #relax.shape<[n, 64]>>
  return %r : tensor<?x64xf32, #relax.shape<[n, 64]>>
}

// CHECK-LABEL: @match_cast
// CHECK: relax.match_cast %arg0 : tensor<?x?xf32> to tensor<?x4xf32, #relax.shape<[m, 4]>>
func.func @match_cast(%x: tensor<?x?xf32>) -> (tensor<?x4xf32, #relax.shape<[m, 4]>>) {
  %r = relax.match_cast %x : tensor<?x?xf32> to tensor<?x4xf32, #relax.shape<[m, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[m, 4]>>
}

// CHECK-LABEL: @match_cast_unranked
// CHECK: relax.match_cast %arg0 : tensor<*xf32> to tensor<?x4xf32, #relax.shape<[m, 4]>>
func.func @match_cast_unranked(%x: tensor<*xf32>) -> (tensor<?x4xf32, #relax.shape<[m, 4]>>) {
  %r = relax.match_cast %x : tensor<*xf32> to tensor<?x4xf32, #relax.shape<[m, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[m, 4]>>
}

// CHECK-LABEL: @match_cast_shape
// CHECK: relax.match_cast %arg0 : !relax.shape<rank 2> to !relax.shape<[n, 4]>
func.func @match_cast_shape(%x: !relax.shape<rank 2>) -> (!relax.shape<[n, 4]>) {
  %r = relax.match_cast %x : !relax.shape<rank 2> to !relax.shape<[n, 4]>
  return %r : !relax.shape<[n, 4]>
}

// CHECK-LABEL: @match_cast_object
// CHECK: relax.match_cast %arg0 : !relax.object to tensor<?x4xf32, #relax.shape<[m, 4]>>
func.func @match_cast_object(%x: !relax.object) -> (tensor<?x4xf32, #relax.shape<[m, 4]>>) {
  %r = relax.match_cast %x : !relax.object to tensor<?x4xf32, #relax.shape<[m, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[m, 4]>>
}

// CHECK-LABEL: @shape_of
// CHECK: relax.shape_of %arg0 : (tensor<?x4xf32, #relax.shape<[m, 4]>>) -> !relax.shape<[m, 4]>
func.func @shape_of(%x: tensor<?x4xf32, #relax.shape<[m, 4]>>) -> (!relax.shape<[m, 4]>) {
  %r = relax.shape_of %x : (tensor<?x4xf32, #relax.shape<[m, 4]>>) -> !relax.shape<[m, 4]>
  return %r : !relax.shape<[m, 4]>
}

// CHECK-LABEL: @shape_of_unknown
// CHECK: relax.shape_of %arg0 : (tensor<?x?xf32>) -> !relax.shape<rank 2>
func.func @shape_of_unknown(%x: tensor<?x?xf32>) -> (!relax.shape<rank 2>) {
  %r = relax.shape_of %x : (tensor<?x?xf32>) -> !relax.shape<rank 2>
  return %r : !relax.shape<rank 2>
}

// CHECK-LABEL: @symbol_value
// CHECK: relax.symbol_value <2 * n>
func.func @symbol_value() -> (index) {
  %r = relax.symbol_value #relax.expr<2 * n>
  return %r : index
}
