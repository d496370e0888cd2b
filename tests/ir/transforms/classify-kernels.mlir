// RUN: relax-opt %s --relax-legalize --relax-classify-kernels | FileCheck %s --check-prefixes=CHECK,OURS
// RUN: relax-opt %s --relax-classify-kernels | FileCheck %s
// Kinds follow from indexing maps, iterators and bodies; user-written programs are classified alike.

func.func @graph(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %v: tensor<64xf32>, %w: tensor<96x64xf32>, %b: tensor<96x40xi8>,
                 %i: tensor<?xi32, #relax.shape<[t]>>) attributes {relax.symbols = #relax.symbols<t = [0, 10]>} {
  %0 = relax.tanh %x : (tensor<?x64xf32, #relax.shape<[t, 64]>>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  %1 = relax.add %x, %v : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<64xf32>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  %2 = relax.permute %x {permutation = array<i64: 1, 0>} : (tensor<?x64xf32, #relax.shape<[t, 64]>>) -> tensor<64x?xf32, #relax.shape<[64, t]>>
  %3 = relax.take %w, %i : (tensor<96x64xf32>, tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  %4 = relax.dequantize %b {format = "q4_1"} : (tensor<96x40xi8>) -> tensor<96x64xf32>
  %5 = relax.softmax %x : (tensor<?x64xf32, #relax.shape<[t, 64]>>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  %6 = relax.matmul %x, %w {transpose_b} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<96x64xf32>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  %p = relax.pack_weights %b {format = "q4_1"} : (tensor<96x40xi8>) -> tensor<6x640xi8>
  %7 = relax.packed_matmul %x, %p {format = "q4_1", rows = 96 : i64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<6x640xi8>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  return
}

#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>

// A transposed operand added: injective, by its map.
// CHECK-LABEL: func.func private @user_injective
// CHECK-SAME: relax.kind = "injective"
func.func private @user_injective(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {relax.kernel, relax.kernel_symbols = []} {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #t, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A sum is no contraction.
// CHECK-LABEL: func.func private @user_reduction
// CHECK-SAME: relax.kind = "reduction"
func.func private @user_reduction(%x: tensor<4x4xf32>) -> tensor<4xf32> attributes {relax.kernel, relax.kernel_symbols = []} {
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x4xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A diagonal is no projected permutation of the result's dimensions.
// CHECK-LABEL: func.func private @user_opaque
// CHECK-SAME: relax.kind = "opaque"
func.func private @user_opaque(%x: tensor<4x4xf32>, %n: tensor<4xf32>) -> tensor<4xf32> attributes {relax.kernel, relax.kernel_symbols = []} {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// OURS-LABEL: func.func private @tanh
// OURS-SAME: relax.kind = "elementwise"
// OURS-LABEL: func.func private @add
// OURS-SAME: relax.kind = "broadcast"
// OURS-LABEL: func.func private @permute
// OURS-SAME: relax.kind = "injective"
// OURS-LABEL: func.func private @take
// OURS-SAME: relax.kind = "injective"
// OURS-LABEL: func.func private @dequantize
// OURS-SAME: relax.kind = "injective"
// OURS-LABEL: func.func private @softmax
// OURS-SAME: relax.kind = "reduction"
// OURS-LABEL: func.func private @matmul
// OURS-SAME: relax.kind = "output-fusible"
// OURS-LABEL: func.func private @pack_weights
// OURS-SAME: relax.kind = "opaque"
// OURS-LABEL: func.func private @packed_matmul
// OURS-SAME: relax.kind = "output-fusible"
