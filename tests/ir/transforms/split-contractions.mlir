// RUN: relax-opt %s --relax-split-contractions --relax-verify --relax-plan-memory --relax-check-memory-plan --split-input-file | FileCheck %s

#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
!x = tensor<?x8192xf32, #relax.shape<[s0, 8192]>>
!y = tensor<?x64xf32, #relax.shape<[s0, 64]>>
func.func private @matmul(%x: !x, %w: tensor<8192x64xf32>, %bias: tensor<64xf32>) -> !y attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %m = relax.symbol_value <s0>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : !y
  %i = linalg.fill ins(%zero : f32) outs(%e : !y) -> !y
  %p = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : !x, tensor<8192x64xf32>) outs(%i : !y) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %q = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> !y
  %r = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : !y, tensor<64xf32>) outs(%e : !y) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> !y
  return %r : !y
}

// CHECK-LABEL: func.func private @matmul_partial
// CHECK-SAME:    (%[[X:.*]]: tensor<?x8192xf32, #relax.shape<[s0, 8192]>>, %[[W:.*]]: tensor<8192x64xf32>)
// CHECK-SAME:    -> tensor<8x?x64xf32, #relax.shape<[8, s0, 64]>>
// CHECK:         tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2]]
// CHECK:         tensor.expand_shape %[[W]] {{\[\[}}0, 1], [2]]
// CHECK:         iterator_types = ["parallel", "parallel", "parallel", "reduction"]

// CHECK-LABEL: func.func private @matmul_combine
// CHECK-SAME:    (%[[P:.*]]: tensor<8x?x64xf32, #relax.shape<[8, s0, 64]>>, %[[BIAS:.*]]: tensor<64xf32>)
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]{{.*}} ins(%[[P]]
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]

// The partial sums are in the caller's arena, with their symbolic size.
// CHECK-LABEL: func.func @few
// CHECK-SAME:    relax.arena_size = #relax.expr<2048 * m>
// CHECK:         %[[PARTS:.*]] = relax.call_kernel @matmul_partial({{.*}}) {storage = [#relax.storage<arena, 0>], symbols = [#relax.expr<m>]}
// CHECK:         relax.call_kernel @matmul_combine(%[[PARTS]], %{{.*}}) {storage = [#relax.storage<result, 0>]
func.func @few(%x: tensor<?x8192xf32, #relax.shape<[m, 8192]>>, %w: tensor<8192x64xf32>, %bias: tensor<64xf32>) -> tensor<?x64xf32, #relax.shape<[m, 64]>>
    attributes {relax.symbols = #relax.symbols<m = [0, 16]>} {
  %0 = relax.call_kernel @matmul(%x, %w, %bias) {symbols = [#relax.expr<m>]} : (tensor<?x8192xf32, #relax.shape<[m, 8192]>>, tensor<8192x64xf32>, tensor<64xf32>) -> tensor<?x64xf32, #relax.shape<[m, 64]>>
  return %0 : tensor<?x64xf32, #relax.shape<[m, 64]>>
}

// -----

// Where rows have no bound there may be many, and the order of additions must not depend on it. And
// few products are not worth it.
#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
!x = tensor<?x8192xf32, #relax.shape<[s0, 8192]>>
!y = tensor<?x64xf32, #relax.shape<[s0, 64]>>
func.func private @long(%x: !x, %w: tensor<8192x64xf32>) -> !y attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %m = relax.symbol_value <s0>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : !y
  %i = linalg.fill ins(%zero : f32) outs(%e : !y) -> !y
  %p = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : !x, tensor<8192x64xf32>) outs(%i : !y) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %q = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> !y
  return %p : !y
}
func.func private @short(%x: tensor<4x512xf32>, %w: tensor<512x64xf32>) -> tensor<4x64xf32> attributes {relax.kernel, relax.kernel_symbols = []} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  %p = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x512xf32>, tensor<512x64xf32>) outs(%i : tensor<4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %q = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x64xf32>
  return %p : tensor<4x64xf32>
}
// CHECK-LABEL: func.func @many
// CHECK:         relax.call_kernel @long(
// CHECK:         relax.call_kernel @short(
func.func @many(%x: tensor<?x8192xf32, #relax.shape<[m, 8192]>>, %w: tensor<8192x64xf32>, %a: tensor<4x512xf32>, %b: tensor<512x64xf32>) -> (tensor<?x64xf32, #relax.shape<[m, 64]>>, tensor<4x64xf32>)
    attributes {relax.symbols = #relax.symbols<m = [0, ?]>} {
  %0 = relax.call_kernel @long(%x, %w) {symbols = [#relax.expr<m>]} : (tensor<?x8192xf32, #relax.shape<[m, 8192]>>, tensor<8192x64xf32>) -> tensor<?x64xf32, #relax.shape<[m, 64]>>
  %1 = relax.call_kernel @short(%a, %b) {symbols = []} : (tensor<4x512xf32>, tensor<512x64xf32>) -> tensor<4x64xf32>
  return %0, %1 : tensor<?x64xf32, #relax.shape<[m, 64]>>, tensor<4x64xf32>
}
