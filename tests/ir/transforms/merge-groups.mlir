// RUN: relax-opt %s --relax-legalize --relax-classify-kernels --relax-group-kernels --relax-merge-groups --relax-verify | FileCheck %s

// A group of a user: graph ops that fusion would leave apart (the product's operand is costly to
// compute) are one program, called with the symbols of each caller.
// CHECK-LABEL: func.func private @exp_matmul
// CHECK-SAME: relax.kernel_symbols = ["s0"]
// CHECK-LABEL: func.func @twice
// CHECK-NEXT: relax.call_kernel @exp_matmul(%arg0, %arg2) {symbols = [#relax.expr<n>]}
// CHECK-NEXT: relax.call_kernel @exp_matmul(%arg1, %arg2) {symbols = [#relax.expr<2 * n>]}
func.func private @mine(%x: tensor<?x64xf32, #relax.shape<[m, 64]>>, %w: tensor<96x64xf32>) -> tensor<?x96xf32, #relax.shape<[m, 96]>>
    attributes {relax.group, relax.symbols = #relax.symbols<m = [0, ?]>} {
  %0 = relax.exp %x : (tensor<?x64xf32, #relax.shape<[m, 64]>>) -> tensor<?x64xf32, #relax.shape<[m, 64]>>
  %1 = relax.matmul %0, %w {transpose_b} : (tensor<?x64xf32, #relax.shape<[m, 64]>>, tensor<96x64xf32>) -> tensor<?x96xf32, #relax.shape<[m, 96]>>
  return %1 : tensor<?x96xf32, #relax.shape<[m, 96]>>
}
func.func @twice(%x: tensor<?x64xf32, #relax.shape<[n, 64]>>, %y: tensor<?x64xf32, #relax.shape<[2 * n, 64]>>, %w: tensor<96x64xf32>)
    -> (tensor<?x96xf32, #relax.shape<[n, 96]>>, tensor<?x96xf32, #relax.shape<[2 * n, 96]>>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %0 = relax.call @mine(%x, %w) : (tensor<?x64xf32, #relax.shape<[n, 64]>>, tensor<96x64xf32>) -> tensor<?x96xf32, #relax.shape<[n, 96]>>
  %1 = relax.call @mine(%y, %w) : (tensor<?x64xf32, #relax.shape<[2 * n, 64]>>, tensor<96x64xf32>) -> tensor<?x96xf32, #relax.shape<[2 * n, 96]>>
  return %0, %1 : tensor<?x96xf32, #relax.shape<[n, 96]>>, tensor<?x96xf32, #relax.shape<[2 * n, 96]>>
}
