// RUN: relax-opt %s --relax-pipeline | FileCheck %s

// The whole compiler on one layer: weights are packed at load, each call has its storage, and every
// kernel is scheduled. The rules are checked after each pass.

// CHECK-LABEL: func.func @initialize() -> tensor<6x640xi8>
// CHECK:         call_kernel @pack_weights({{.*}}storage = [#relax.storage<result, 0>]
// CHECK-LABEL: func.func @main
// CHECK-SAME:    relax.arena_size = #relax.expr<
// CHECK:         relax.state 0 "w"
// CHECK:         call_kernel @rms_norm_quantize_activations
// CHECK:         call_kernel @quantized_matmul_silu_add({{.*}}storage = [#relax.storage<result, 0>]
// CHECK-DAG:   func.func {{.*}}@pack_weights{{.*}}relax.strategy = "pack-weights"
// CHECK-DAG:   func.func {{.*}}@rms_norm_quantize_activations{{.*}}relax.strategy = "quantize-activations"
// CHECK-DAG:   func.func {{.*}}@quantized_matmul_silu_add{{.*}}relax.strategy = "quantized-matmul"
// CHECK-NOT:   linalg.generic
func.func @main(%x: tensor<?x64xf32, #relax.shape<[t, 64]>>, %r: tensor<?x96xf32, #relax.shape<[t, 96]>>, %s: tensor<64xf32>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
    attributes {relax.symbols = #relax.symbols<t = [0, 100]>} {
  %b = relax.constant <"w", file = 0, offset = 0, size = 3840, hash = "00"> : tensor<96x40xi8>
  %n = relax.rms_norm %x, %s {epsilon = 1.0e-5 : f64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<64xf32>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  %w = relax.dequantize %b {format = "q4_1"} : (tensor<96x40xi8>) -> tensor<96x64xf32>
  %y = relax.matmul %n, %w {transpose_b} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<96x64xf32>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  %a = relax.silu %y : (tensor<?x96xf32, #relax.shape<[t, 96]>>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  %z = relax.add %a, %r : (tensor<?x96xf32, #relax.shape<[t, 96]>>, tensor<?x96xf32, #relax.shape<[t, 96]>>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  return %z : tensor<?x96xf32, #relax.shape<[t, 96]>>
}
