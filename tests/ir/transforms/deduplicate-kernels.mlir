// RUN: relax-opt %s --relax-legalize --relax-deduplicate-kernels --relax-verify | FileCheck %s

// Equal programs are one, whatever their callers call the symbols and whatever size they pass.
// CHECK-LABEL: func.func @same
// CHECK-NEXT: %[[A:.*]] = relax.call_kernel @exp(%arg0) {symbols = [#relax.expr<n>]}
// CHECK-NEXT: %[[B:.*]] = relax.call_kernel @exp(%arg1) {symbols = [#relax.expr<m>]}
func.func @same(%x: tensor<?xf32, #relax.shape<[n]>>, %y: tensor<?xf32, #relax.shape<[m]>>)
    -> (tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[m]>>)
    attributes {relax.symbols = #relax.symbols<n = [0, 10], m = [0, ?]>} {
  %0 = relax.exp %x : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  %1 = relax.exp %y : (tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[m]>>
  return %0, %1 : tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[m]>>
}

// Programs of other attributes, types or bodies stay apart.
// CHECK-LABEL: func.func @different
// CHECK-NEXT: relax.call_kernel @[[F:rms_norm.*]](%arg0, %arg1)
// CHECK-NOT:  relax.call_kernel @[[F]](
// CHECK:      relax.call_kernel @{{exp.+}}(%{{.*}}) : (tensor<4x4xf32>)
func.func @different(%x: tensor<4x4xf32>, %w: tensor<4xf32>) -> tensor<4x4xf32> {
  %0 = relax.rms_norm %x, %w {epsilon = 1.0e-5 : f64} : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %1 = relax.rms_norm %0, %w {epsilon = 1.0e-6 : f64} : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %2 = relax.exp %1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// CHECK: func.func private @exp
// CHECK: func.func private @rms_norm
// CHECK: func.func private @rms_norm
// CHECK: func.func private @exp
// CHECK-NOT: func.func private @
