// RUN: relax-opt %s --relax-schedule-kernels --canonicalize --cse --split-input-file | FileCheck %s

// The residual sum is computed in both loops of a row and stored in the last; a row is one unit.
// CHECK-LABEL: func.func private @add_norm(
// CHECK-SAME:    relax.parallel_extent = #relax.expr<s0>
// CHECK-SAME:    relax.strategy = "row-reduction"
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} step %c16 iter_args({{.*}}) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK:           vector.shuffle
// CHECK:           math.sqrt
// CHECK:           scf.for
// CHECK:             arith.addf {{.*}} : vector<4xf32>
// CHECK-NOT:         math.sqrt
// CHECK:             vector.store
// CHECK:           }
// CHECK-NEXT:    }
func.func private @add_norm(%x: tensor<?x64xf32, #relax.shape<[s0, 64]>>, %r: tensor<?x64xf32, #relax.shape<[s0, 64]>>) -> tensor<?x64xf32, #relax.shape<[s0, 64]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value #relax.expr<s0>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x64xf32, #relax.shape<[s0, 64]>>
  %er = tensor.empty(%n) : tensor<?xf32, #relax.shape<[s0]>>
  %init = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : tensor<?x64xf32, #relax.shape<[s0, 64]>>, tensor<?x64xf32, #relax.shape<[s0, 64]>>) outs(%e : tensor<?x64xf32, #relax.shape<[s0, 64]>>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %v = arith.addf %a, %b : f32
      linalg.yield %v : f32
  } -> tensor<?x64xf32, #relax.shape<[s0, 64]>>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%h : tensor<?x64xf32, #relax.shape<[s0, 64]>>) outs(%init : tensor<?xf32, #relax.shape<[s0]>>) {
    ^bb0(%a: f32, %acc: f32):
      %q = arith.mulf %a, %a : f32
      %v = arith.addf %acc, %q : f32
      linalg.yield %v : f32
  } -> tensor<?xf32, #relax.shape<[s0]>>
  %root = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s : tensor<?xf32, #relax.shape<[s0]>>) outs(%er : tensor<?xf32, #relax.shape<[s0]>>) {
    ^bb0(%a: f32, %o: f32):
      %v = math.sqrt %a : f32
      linalg.yield %v : f32
  } -> tensor<?xf32, #relax.shape<[s0]>>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%h, %root : tensor<?x64xf32, #relax.shape<[s0, 64]>>, tensor<?xf32, #relax.shape<[s0]>>) outs(%e : tensor<?x64xf32, #relax.shape<[s0, 64]>>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %v = arith.divf %a, %b : f32
      linalg.yield %v : f32
  } -> tensor<?x64xf32, #relax.shape<[s0, 64]>>
  return %y : tensor<?x64xf32, #relax.shape<[s0, 64]>>
}

// -----

// Not for a reduction along another dimension: lanes along the kept dimension are better.
// CHECK-LABEL: func.func private @column_sums(
// CHECK-SAME:    relax.strategy = "fallback"
// CHECK:         vector.load {{.*}} : memref<?x64xf32>, vector<4xf32>
func.func private @column_sums(%x: tensor<?x64xf32, #relax.shape<[s0, 64]>>) -> tensor<64xf32>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x64xf32, #relax.shape<[s0, 64]>>) outs(%init : tensor<64xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %v = arith.addf %acc, %a : f32
      linalg.yield %v : f32
  } -> tensor<64xf32>
  return %s : tensor<64xf32>
}

// -----

// Not where the reduction's result is read at another row than it was computed for.
// CHECK-LABEL: func.func private @other_row(
// CHECK-SAME:    relax.strategy = "fallback"
func.func private @other_row(%x: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {relax.kernel, relax.kernel_symbols = []} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %er = tensor.empty() : tensor<64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x64xf32>) outs(%init : tensor<64xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %v = arith.addf %acc, %a : f32
      linalg.yield %v : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %v = arith.divf %a, %b : f32
      linalg.yield %v : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
