// RUN: relax-opt %s --relax-verify | relax-opt --relax-verify | FileCheck %s
// RUN: relax-opt %s --canonicalize --cse --relax-verify | FileCheck %s --check-prefix=CANONICAL
// MLIR's own ops take tensors with symbolic shapes, and its rewrites keep the shapes.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: @program
// CANONICAL-LABEL: @program
func.func private @program(%x: tensor<?x64xf32, #relax.shape<[s0, 64]>>, %i: tensor<?xi32, #relax.shape<[s0]>>,
                           %table: tensor<?x64xf32, #relax.shape<[s1, 64]>>)
    -> (tensor<?x64xf32, #relax.shape<[s0, 64]>>, tensor<?xf32, #relax.shape<[s0]>>,
        tensor<?x4x16xf32, #relax.shape<[s0, 4, 16]>>, tensor<?xf32, #relax.shape<[64 * s0]>>)
    attributes {relax.kernel, relax.kernel_symbols = ["s0", "s1"]} {
  %n = relax.symbol_value <s0>
  // CHECK: tensor.empty(%{{.*}}) : tensor<?x64xf32, #relax.shape<[s0, 64]>>
  // CANONICAL: tensor.empty(%{{.*}}) : tensor<?x64xf32, #relax.shape<[s0, 64]>>
  %e = tensor.empty(%n) : tensor<?x64xf32, #relax.shape<[s0, 64]>>
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?x64xf32, #relax.shape<[s0, 64]>>, tensor<?xi32, #relax.shape<[s0]>>)
  // CANONICAL: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x64xf32, #relax.shape<[s0, 64]>>)
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %i : tensor<?x64xf32, #relax.shape<[s0, 64]>>, tensor<?xi32, #relax.shape<[s0]>>)
      outs(%e : tensor<?x64xf32, #relax.shape<[s0, 64]>>) {
  ^bb0(%a: f32, %r: i32, %o: f32):
    %row = arith.index_cast %r : i32 to index
    %column = linalg.index 1 : index
    // CHECK: tensor.extract %{{.*}} : tensor<?x64xf32, #relax.shape<[s1, 64]>>
    %v = tensor.extract %table[%row, %column] : tensor<?x64xf32, #relax.shape<[s1, 64]>>
    %s = arith.addf %a, %v : f32
    linalg.yield %s : f32
  } -> tensor<?x64xf32, #relax.shape<[s0, 64]>>
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty(%n) : tensor<?xf32, #relax.shape<[s0]>>
  // CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<?xf32, #relax.shape<[s0]>>)
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
  %1 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<?x64xf32, #relax.shape<[s0, 64]>>) outs(%f : tensor<?xf32, #relax.shape<[s0]>>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<?xf32, #relax.shape<[s0]>>
  // CHECK: tensor.expand_shape %{{.*}} : tensor<?x64xf32, #relax.shape<[s0, 64]>> into tensor<?x4x16xf32, #relax.shape<[s0, 4, 16]>>
  // CANONICAL: tensor.expand_shape %{{.*}} : tensor<?x64xf32, #relax.shape<[s0, 64]>> into tensor<?x4x16xf32, #relax.shape<[s0, 4, 16]>>
  %2 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [%n, 4, 16]
      : tensor<?x64xf32, #relax.shape<[s0, 64]>> into tensor<?x4x16xf32, #relax.shape<[s0, 4, 16]>>
  // CHECK: tensor.collapse_shape %{{.*}} : tensor<?x64xf32, #relax.shape<[s0, 64]>> into tensor<?xf32, #relax.shape<[64 * s0]>>
  // CANONICAL: tensor.collapse_shape %{{.*}} : tensor<?x64xf32, #relax.shape<[s0, 64]>> into tensor<?xf32, #relax.shape<[64 * s0]>>
  %3 = tensor.collapse_shape %0 [[0, 1]] : tensor<?x64xf32, #relax.shape<[s0, 64]>> into tensor<?xf32, #relax.shape<[64 * s0]>>
  return %0, %1, %2, %3 : tensor<?x64xf32, #relax.shape<[s0, 64]>>, tensor<?xf32, #relax.shape<[s0]>>,
      tensor<?x4x16xf32, #relax.shape<[s0, 4, 16]>>, tensor<?xf32, #relax.shape<[64 * s0]>>
}
