// RUN: relax-opt %s --relax-legalize --relax-classify-kernels --relax-fuse-kernels --relax-verify | FileCheck %s
// Ops that read by index, fused with what makes their table, what makes their indices, and what
// reads their result. Indices are checked between kernels, unless they are known to be in range.

// The range of the argument is known; the table's sign is changed for the rows that are taken.
// CHECK-LABEL: func.func @known
// CHECK-NEXT: relax.call_kernel @[[$KNOWN:.*]](%arg0, %arg1)
// CHECK-NEXT: return
func.func @known(%t: tensor<8x4xf32>, %i: tensor<?xi32, #relax.shape<[n]>> {relax.values = #relax.values<0, 8>})
    -> tensor<?x4xf32, #relax.shape<[n, 4]>> attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.negate %t : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = relax.take %0, %i : (tensor<8x4xf32>, tensor<?xi32, #relax.shape<[n]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  %2 = relax.negate %1 : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %2 : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// A range that doesn't fit is checked, and so is one of which nothing is known; once is enough.
// CHECK-LABEL: func.func @unknown
// CHECK-NEXT: relax.check_values %arg1 <-8, 8> {what = "take"} : tensor<?xi32
// CHECK-NEXT: relax.call_kernel @take
// CHECK-NEXT: relax.call_kernel @take
// CHECK-NEXT: relax.check_values %arg1 <-4, 4> {what = "take"}
// CHECK-NEXT: relax.call_kernel @take
func.func @unknown(%t: tensor<8x4xf32>, %i: tensor<?xi32, #relax.shape<[n]>> {relax.values = #relax.values<0, 9>})
    -> (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<8x?xf32, #relax.shape<[8, n]>>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.take %t, %i : (tensor<8x4xf32>, tensor<?xi32, #relax.shape<[n]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  %1 = relax.take %t, %i : (tensor<8x4xf32>, tensor<?xi32, #relax.shape<[n]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  %2 = relax.take %t, %i {axis = 1 : i64} : (tensor<8x4xf32>, tensor<?xi32, #relax.shape<[n]>>) -> tensor<8x?xf32, #relax.shape<[8, n]>>
  return %0, %1, %2 : tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<8x?xf32, #relax.shape<[8, n]>>
}

// Computed indices are in memory when they are checked: the kernel that makes them stays alone.
// CHECK-LABEL: func.func @computed_indices
// CHECK-NEXT: %[[I:.*]] = relax.call_kernel @add
// CHECK-NEXT: relax.check_values %[[I]] <-8, 8> {what = "take"}
// CHECK-NEXT: relax.call_kernel @take{{.*}}(%arg0, %[[I]])
func.func @computed_indices(%t: tensor<8x4xf32>, %i: tensor<5xi32>) -> tensor<5x4xf32> {
  %0 = relax.add %i, %i : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  %1 = relax.take %t, %0 : (tensor<8x4xf32>, tensor<5xi32>) -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}

// A range of positions is inside: no check, and the indices are computed where they are used.
// CHECK-LABEL: func.func @arange
// CHECK-NEXT: relax.call_kernel @[[$ARANGE:.*]](%arg0)
// CHECK-NEXT: return
func.func @arange(%t: tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.arange {limit = #relax.expr<n>, dtype = i64} : () -> tensor<?xi64, #relax.shape<[n]>>
  %1 = relax.take %t, %0 : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?xi64, #relax.shape<[n]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return %1 : tensor<?x4xf32, #relax.shape<[n, 4]>>
}

// What is known of the elements: positions of a sort, what was clipped, what was checked before.
// CHECK-LABEL: func.func @ranges
// CHECK-NOT: relax.check_values
// CHECK: relax.check_values %arg1 <0, 4>
// CHECK-NOT: relax.check_values
// CHECK: return
func.func @ranges(%t: tensor<?xf32, #relax.shape<[n]>>, %i: tensor<5xi32>, %k: tensor<7xf32>)
    -> (tensor<?xf32, #relax.shape<[n]>>, tensor<5xf32>, tensor<5xf32>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.argsort %t : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xi64, #relax.shape<[n]>>
  %1 = relax.take %t, %0 : (tensor<?xf32, #relax.shape<[n]>>, tensor<?xi64, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  %2 = relax.clip %i {min = -7 : i64, max = 6 : i64} : (tensor<5xi32>) -> tensor<5xi32>
  %3 = relax.flip %2 {axes = array<i64: 0>} : (tensor<5xi32>) -> tensor<5xi32>
  %4 = relax.take %k, %3 : (tensor<7xf32>, tensor<5xi32>) -> tensor<5xf32>
  relax.check_values %i <0, 4> {what = "own"} : tensor<5xi32>
  %5 = relax.take %k, %i : (tensor<7xf32>, tensor<5xi32>) -> tensor<5xf32>
  return %1, %4, %5 : tensor<?xf32, #relax.shape<[n]>>, tensor<5xf32>, tensor<5xf32>
}

// A reduction would be done again for each row that is taken.
// CHECK-LABEL: func.func @of_reduction
// CHECK-NEXT: relax.call_kernel @softmax
// CHECK-NEXT: relax.call_kernel @take
func.func @of_reduction(%t: tensor<8x4xf32>, %i: tensor<5xi32> {relax.values = #relax.values<0, 8>}) -> tensor<5x4xf32> {
  %0 = relax.softmax %t : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = relax.take %0, %i : (tensor<8x4xf32>, tensor<5xi32>) -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}

// Arrangements fuse with what is around them; operands that are computed stay in their branch.
// CHECK-LABEL: func.func @arrangements
// CHECK-NEXT: relax.call_kernel @[[$ARRANGE:.*]](%arg0, %arg1)
// CHECK-NEXT: return
func.func @arrangements(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>, %y: tensor<2x4xf32>) -> tensor<?x4xf32, #relax.shape<[n + 1, 4]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.exp %x : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  %1 = relax.concat %0, %y : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<2x4xf32>) -> tensor<?x4xf32, #relax.shape<[n + 2, 4]>>
  %2 = relax.narrow %1 {start = #relax.expr<1>, length = #relax.expr<n + 1>} : (tensor<?x4xf32, #relax.shape<[n + 2, 4]>>) -> tensor<?x4xf32, #relax.shape<[n + 1, 4]>>
  %3 = relax.flip %2 {axes = array<i64: 0>} : (tensor<?x4xf32, #relax.shape<[n + 1, 4]>>) -> tensor<?x4xf32, #relax.shape<[n + 1, 4]>>
  return %3 : tensor<?x4xf32, #relax.shape<[n + 1, 4]>>
}

// A scatter has an order of its own: nothing is fused with it.
// CHECK-LABEL: func.func @scatter
// CHECK-NEXT: %[[E:.*]] = relax.call_kernel @exp
// CHECK-NEXT: relax.check_values %arg1 <-8, 8> {what = "scatter_elements"}
// CHECK-NEXT: %[[S:.*]] = relax.call_kernel @scatter_elements(%[[E]], %arg1, %arg2)
// CHECK-NEXT: relax.call_kernel @tanh(%[[S]])
func.func @scatter(%x: tensor<8xf32>, %i: tensor<5xi64>, %u: tensor<5xf32>) -> tensor<8xf32> {
  %0 = relax.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = relax.scatter_elements %0, %i, %u {reduction = "add"} : (tensor<8xf32>, tensor<5xi64>, tensor<5xf32>) -> tensor<8xf32>
  %2 = relax.tanh %1 : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// Each position of an index vector has its own bound.
// CHECK-LABEL: func.func @vectors
// CHECK-NEXT: %[[P:.*]] = relax.call_kernel @narrow{{.*}}(%arg1)
// CHECK-NEXT: relax.check_values %[[P]] <-8, 8> {what = "gather_nd, position 0"}
// CHECK-NEXT: %[[Q:.*]] = relax.call_kernel @narrow{{.*}}(%arg1)
// CHECK-NEXT: relax.check_values %[[Q]] <-4, 4> {what = "gather_nd, position 1"}
// CHECK-NEXT: relax.call_kernel @gather_nd(%arg0, %arg1)
func.func @vectors(%x: tensor<8x4xf32>, %i: tensor<5x2xi64>) -> tensor<5xf32> {
  %0 = relax.gather_nd %x, %i : (tensor<8x4xf32>, tensor<5x2xi64>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// The merged programs still read by the index, from what is computed there.
// CHECK-DAG: func.func private @[[$KNOWN]](%arg0: tensor<8x4xf32>, %arg1: tensor<?xi32, #relax.shape<[s0]>>){{.*}}relax.kind = "injective"
// CHECK-DAG: func.func private @[[$ARANGE]](%arg0: tensor<?x4xf32, #relax.shape<[s0, 4]>>){{.*}}relax.kind = "injective"
// CHECK-DAG: func.func private @[[$ARRANGE]]{{.*}}relax.kind = "injective"
