// RUN: relax-opt %s --relax-schedule-kernels --canonicalize --cse --split-input-file | FileCheck %s

// Every access is in place: the tensors are one row, 1024 elements a unit, and the tail repeats the
// vector's operations on scalars.
// CHECK-LABEL: func.func private @negate(
// CHECK-SAME:    %{{.*}}: memref<?x?xf32>, %{{.*}}: memref<?x?xf32>, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index)
// CHECK-SAME:    relax.arg_shapes = [#relax.shape<[s0, s1]>, #relax.shape<[s0, s1]>]
// CHECK-SAME:    relax.parallel_extent = #relax.expr<ceildiv(s0 * s1, 1024)>
// CHECK-SAME:    relax.scheduled_kernel
// CHECK-SAME:    relax.strategy = "elementwise"
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} step %c8
// CHECK:             vector.load {{.*}} vector<8xf32>
// CHECK-NEXT:        arith.negf {{.*}} : vector<8xf32>
// CHECK-NEXT:        vector.store
// CHECK:           scf.for
// CHECK:             memref.load
// CHECK-NEXT:        arith.negf {{.*}} : f32
// CHECK-NEXT:        memref.store
module attributes {relax.target = #relax.target<"x86-64-v3", features = ["avx2", "fma", "f16c"], vector_bits = 256>} {
func.func private @negate(%x: tensor<?x?xf32, #relax.shape<[s0, s1]>>) -> tensor<?x?xf32, #relax.shape<[s0, s1]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0", "s1"]} {
  %n = relax.symbol_value #relax.expr<s0>
  %m = relax.symbol_value #relax.expr<s1>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32, #relax.shape<[s0, s1]>>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32, #relax.shape<[s0, s1]>>) outs(%e : tensor<?x?xf32, #relax.shape<[s0, s1]>>) {
    ^bb0(%a: f32, %o: f32):
      %v = arith.negf %a : f32
      linalg.yield %v : f32
  } -> tensor<?x?xf32, #relax.shape<[s0, s1]>>
  return %y : tensor<?x?xf32, #relax.shape<[s0, s1]>>
}
}

// -----

// A row is broadcast, so the rows stay: one unit each. 64 is whole vectors, so no tail is left.
// CHECK-LABEL: func.func private @add_row(
// CHECK-SAME:    relax.parallel_extent = #relax.expr<s0>
// CHECK:         scf.for
// CHECK-NEXT:      scf.for {{.*}} step %c4
// CHECK-NEXT:        vector.load
// CHECK-NEXT:        vector.load
// CHECK-NEXT:        arith.addf {{.*}} : vector<4xf32>
// CHECK-NEXT:        vector.store
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func private @add_row(%x: tensor<?x64xf32, #relax.shape<[s0, 64]>>, %b: tensor<64xf32>) -> tensor<?x64xf32, #relax.shape<[s0, 64]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value #relax.expr<s0>
  %e = tensor.empty(%n) : tensor<?x64xf32, #relax.shape<[s0, 64]>>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<?x64xf32, #relax.shape<[s0, 64]>>, tensor<64xf32>) outs(%e : tensor<?x64xf32, #relax.shape<[s0, 64]>>) {
    ^bb0(%a: f32, %c: f32, %o: f32):
      %v = arith.addf %a, %c : f32
      linalg.yield %v : f32
  } -> tensor<?x64xf32, #relax.shape<[s0, 64]>>
  return %y : tensor<?x64xf32, #relax.shape<[s0, 64]>>
}

// -----

// Blocks of 32 numbers in 34 bytes: quotient and remainder of the position are the same block and
// neighbouring bytes in all lanes, so the bytes are one vector load and the scale one scalar.
// CHECK-LABEL: func.func private @decode(
// CHECK:         %[[BLOCK:.*]] = arith.shrsi %[[J:.*]], %c5
// CHECK:         %[[BASE:.*]] = arith.muli %[[BLOCK]], %c34
// CHECK:         %[[IN:.*]] = arith.andi %[[J]], %c31
// CHECK:         vector.load {{.*}} : memref<?x68xi8>, vector<4xi8>
// CHECK:         memref.load %{{.*}}[%{{.*}}, %[[BASE]]] : memref<?x68xi8>
// CHECK-NOT:     vector.from_elements
// CHECK:         vector.store
func.func private @decode(%x: tensor<?x68xi8, #relax.shape<[s0, 68]>>) -> tensor<?x64xf32, #relax.shape<[s0, 64]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value #relax.expr<s0>
  %c32 = arith.constant 32 : index
  %c34 = arith.constant 34 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty(%n) : tensor<?x64xf32, #relax.shape<[s0, 64]>>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<?x64xf32, #relax.shape<[s0, 64]>>) {
    ^bb0(%o: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %block = arith.divui %j, %c32 : index
      %base = arith.muli %block, %c34 : index
      %in = arith.remui %j, %c32 : index
      %first = arith.addi %base, %c2 : index
      %at = arith.addi %first, %in : index
      %d = tensor.extract %x[%i, %base] : tensor<?x68xi8, #relax.shape<[s0, 68]>>
      %q = tensor.extract %x[%i, %at] : tensor<?x68xi8, #relax.shape<[s0, 68]>>
      %df = arith.sitofp %d : i8 to f32
      %qf = arith.sitofp %q : i8 to f32
      %v = arith.mulf %qf, %df : f32
      linalg.yield %v : f32
  } -> tensor<?x64xf32, #relax.shape<[s0, 64]>>
  return %y : tensor<?x64xf32, #relax.shape<[s0, 64]>>
}

// -----

// Neighbouring elements are far apart in memory: each lane is loaded by itself.
// CHECK-LABEL: func.func private @transpose(
// CHECK:         memref.load
// CHECK:         memref.load
// CHECK:         memref.load
// CHECK:         memref.load
// CHECK:         vector.from_elements
// CHECK:         vector.store
func.func private @transpose(%x: tensor<64x?xf32, #relax.shape<[64, s0]>>) -> tensor<?x64xf32, #relax.shape<[s0, 64]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value #relax.expr<s0>
  %e = tensor.empty(%n) : tensor<?x64xf32, #relax.shape<[s0, 64]>>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x?xf32, #relax.shape<[64, s0]>>) outs(%e : tensor<?x64xf32, #relax.shape<[s0, 64]>>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
  } -> tensor<?x64xf32, #relax.shape<[s0, 64]>>
  return %y : tensor<?x64xf32, #relax.shape<[s0, 64]>>
}
