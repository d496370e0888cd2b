// RUN: relax-opt %s --relax-verify \
// RUN:   --relax-claim-contractions=mode=int8 --relax-verify --cse --relax-verify \
// RUN:   --relax-lift-initialization --relax-verify --relax-legalize --relax-verify \
// RUN:   --relax-inline-dataflow --relax-verify --relax-classify-kernels --relax-verify \
// RUN:   --relax-fuse-kernels --relax-verify --relax-deduplicate-kernels --relax-verify \
// RUN:   --relax-plan-memory --relax-verify | FileCheck %s
// The rules hold after every pass of the pipeline, on the ops of one layer of a language model.

// CHECK-LABEL: func.func @initialize
// CHECK: relax.call_kernel @pack_weights
// CHECK-LABEL: func.func @step
// CHECK-NOT: relax.dequantize
// CHECK: relax.call_kernel @quantized_matmul
// CHECK-SAME: storage =
// CHECK: relax.call_kernel @update_slots
// CHECK-SAME: donates = array<i64: 0>
// CHECK: relax.call_kernel @paged_attention
// CHECK-NOT: relax.dataflow
func.func @step(
    %x: tensor<?x64xf32, #relax.shape<[t, 64]>> {relax.name = "x"},
    %positions: tensor<?xi32, #relax.shape<[t]>>,
    %starts: tensor<?xi32, #relax.shape<[b + 1]>>,
    %table: tensor<?x?xi32, #relax.shape<[b, p]>> {relax.values = #relax.values<0, g>},
    %cached: tensor<?xi32, #relax.shape<[b]>>,
    %keys: tensor<?x2x32x16xf32, #relax.shape<[g, 2, 32, 16]>> {relax.donated},
    %values: tensor<?x2x16x32xf32, #relax.shape<[g, 2, 16, 32]>> {relax.donated})
    -> (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<?x2x32x16xf32, #relax.shape<[g, 2, 32, 16]>>,
        tensor<?x2x16x32xf32, #relax.shape<[g, 2, 16, 32]>>)
    attributes {relax.symbols = #relax.symbols<t = [0, 100], b = [0, 8], p = [0, 4], g = [0, ?]>,
                relax.ragged = {starts = 2, cached = 4, limit = #relax.expr<16 * p>, total = #relax.expr<t>}} {
  %0:3 = relax.dataflow -> tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<?x2x32x16xf32, #relax.shape<[g, 2, 32, 16]>>, tensor<?x2x16x32xf32, #relax.shape<[g, 2, 16, 32]>> {
    %norm = relax.constant <"norm", file = 0, offset = 0, size = 256, hash = ""> : tensor<64xf32>
    %bytes = relax.constant <"wq", file = 0, offset = 256, size = 2560, hash = ""> : tensor<64x40xi8>
    %w = relax.dequantize %bytes {format = "q4_1"} : (tensor<64x40xi8>) -> tensor<64x64xf32>
    %h = relax.rms_norm %x, %norm {epsilon = 1.0e-5 : f64} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<64xf32>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
    %q = relax.matmul %h, %w {transpose_b} : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<64x64xf32>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
    %heads = relax.reshape %q : tensor<?x64xf32, #relax.shape<[t, 64]>> to tensor<?x2x32xf32, #relax.shape<[t, 2, 32]>>
    %angles = relax.rotary_table %positions {base = 1.0e4 : f64, dims = 32 : i64} : (tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x32xf32, #relax.shape<[t, 32]>>
    %rotated = relax.rotary %heads, %angles : (tensor<?x2x32xf32, #relax.shape<[t, 2, 32]>>, tensor<?x32xf32, #relax.shape<[t, 32]>>) -> tensor<?x2x32xf32, #relax.shape<[t, 2, 32]>>
    %k = relax.update_slots %keys, %rotated, %starts, %table, %cached {layout = "keys"}
        : (tensor<?x2x32x16xf32, #relax.shape<[g, 2, 32, 16]>>, tensor<?x2x32xf32, #relax.shape<[t, 2, 32]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>)
          -> tensor<?x2x32x16xf32, #relax.shape<[g, 2, 32, 16]>>
    %v = relax.update_slots %values, %heads, %starts, %table, %cached {layout = "values"}
        : (tensor<?x2x16x32xf32, #relax.shape<[g, 2, 16, 32]>>, tensor<?x2x32xf32, #relax.shape<[t, 2, 32]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>)
          -> tensor<?x2x16x32xf32, #relax.shape<[g, 2, 16, 32]>>
    %a = relax.paged_attention %rotated, %k, %v, %starts, %table, %cached {scale = 0.25 : f64}
        : (tensor<?x2x32xf32, #relax.shape<[t, 2, 32]>>, tensor<?x2x32x16xf32, #relax.shape<[g, 2, 32, 16]>>, tensor<?x2x16x32xf32, #relax.shape<[g, 2, 16, 32]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>)
          -> tensor<?x2x32xf32, #relax.shape<[t, 2, 32]>>
    %flat = relax.reshape %a : tensor<?x2x32xf32, #relax.shape<[t, 2, 32]>> to tensor<?x64xf32, #relax.shape<[t, 64]>>
    %gate = relax.silu %flat : (tensor<?x64xf32, #relax.shape<[t, 64]>>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
    %sum = relax.add %gate, %x : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<?x64xf32, #relax.shape<[t, 64]>>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
    relax.yield %sum, %k, %v : tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<?x2x32x16xf32, #relax.shape<[g, 2, 32, 16]>>, tensor<?x2x16x32xf32, #relax.shape<[g, 2, 16, 32]>>
  }
  return %0#0, %0#1, %0#2 : tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<?x2x32x16xf32, #relax.shape<[g, 2, 32, 16]>>, tensor<?x2x16x32xf32, #relax.shape<[g, 2, 16, 32]>>
}
