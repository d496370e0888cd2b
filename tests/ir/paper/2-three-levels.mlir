// RUN: relax-opt %s --relax-verify | relax-opt --relax-verify | FileCheck %s

// A graph function calls a tensor program with the symbolic argument n, then a library, then another
// program. One symbol n goes through all three levels.
#rows = affine_map<(i, j, k) -> (i, k)>
#columns = affine_map<(i, j, k) -> (k, j)>
#out = affine_map<(i, j, k) -> (i, j)>
#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func private @matmul
// CHECK: relax.symbol_value <s0>
func.func private @matmul(%x: tensor<?x128xf32, #relax.shape<[s0, 128]>>, %w: tensor<128x256xf32>)
    -> tensor<?x256xf32, #relax.shape<[s0, 256]>> attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value <s0>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x256xf32, #relax.shape<[s0, 256]>>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x256xf32, #relax.shape<[s0, 256]>>) -> tensor<?x256xf32, #relax.shape<[s0, 256]>>
  %y = linalg.generic {indexing_maps = [#rows, #columns, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x128xf32, #relax.shape<[s0, 128]>>, tensor<128x256xf32>)
      outs(%i : tensor<?x256xf32, #relax.shape<[s0, 256]>>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x256xf32, #relax.shape<[s0, 256]>>
  return %y : tensor<?x256xf32, #relax.shape<[s0, 256]>>
}

func.func private @relu(%x: tensor<?x256xf32, #relax.shape<[s0, 256]>>) -> tensor<?x256xf32, #relax.shape<[s0, 256]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  %n = relax.symbol_value <s0>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x256xf32, #relax.shape<[s0, 256]>>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x256xf32, #relax.shape<[s0, 256]>>) outs(%e : tensor<?x256xf32, #relax.shape<[s0, 256]>>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<?x256xf32, #relax.shape<[s0, 256]>>
  return %y : tensor<?x256xf32, #relax.shape<[s0, 256]>>
}

// CHECK-LABEL: func.func @main
// CHECK: relax.call_kernel @matmul(%{{.*}}, %{{.*}}) {symbols = [#relax.expr<n>]}
// CHECK: relax.call_library "cblas.add_bias"
// CHECK: relax.call_kernel @relu(%{{.*}}) {symbols = [#relax.expr<n>]}
func.func @main(%x: tensor<?x128xf32, #relax.shape<[n, 128]>>, %w: tensor<128x256xf32>, %b: tensor<256xf32>)
    -> tensor<?x256xf32, #relax.shape<[n, 256]>> attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call_kernel @matmul(%x, %w) {symbols = [#relax.expr<n>]}
      : (tensor<?x128xf32, #relax.shape<[n, 128]>>, tensor<128x256xf32>) -> tensor<?x256xf32, #relax.shape<[n, 256]>>
  %1 = relax.call_library "cblas.add_bias"(%0, %b)
      : (tensor<?x256xf32, #relax.shape<[n, 256]>>, tensor<256xf32>) -> tensor<?x256xf32, #relax.shape<[n, 256]>>
  %2 = relax.call_kernel @relu(%1) {symbols = [#relax.expr<n>]}
      : (tensor<?x256xf32, #relax.shape<[n, 256]>>) -> tensor<?x256xf32, #relax.shape<[n, 256]>>
  return %2 : tensor<?x256xf32, #relax.shape<[n, 256]>>
}
