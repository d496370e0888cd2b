// RUN: relax-opt %s --relax-name-unknown-dims --relax-legalize | FileCheck %s
// RUN: relax-opt %s --relax-pipeline -o /dev/null

// Ops that are other graph ops become those, and their programs. The second run checks the rules
// after every pass of the pipeline.

// Kept dimensions and neighbouring axes are reshapes around one reduction of the last axis.
// CHECK-LABEL: func.func @reduction
// CHECK-NEXT:    %[[X:.*]] = relax.reshape %arg0 : {{.*}} to tensor<?x12xf32, #relax.shape<[n, 12]>>
// CHECK-NEXT:    %[[S:.*]] = relax.call_kernel @sum(%[[X]])
// CHECK-NEXT:    relax.reshape %[[S]] : {{.*}} to tensor<?x1x1xf32, #relax.shape<[n, 1, 1]>>
func.func @reduction(%x: tensor<?x3x4xf32, #relax.shape<[n, 3, 4]>>) -> tensor<?x1x1xf32, #relax.shape<[n, 1, 1]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %r = relax.sum %x {axes = array<i64: 1, 2>, keep_dims} : (tensor<?x3x4xf32, #relax.shape<[n, 3, 4]>>) -> tensor<?x1x1xf32, #relax.shape<[n, 1, 1]>>
  return %r : tensor<?x1x1xf32, #relax.shape<[n, 1, 1]>>
}

// Another axis is the last one between two permutations; unknown sizes have names by then.
// CHECK-LABEL: func.func @softmax
// CHECK:         call_kernel @permute
// CHECK-NEXT:    call_kernel @softmax
// CHECK-NEXT:    call_kernel @permute
func.func @softmax(%x: tensor<?x?xf32, #relax.shape<[n, m]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %r = relax.softmax %x {axis = 0 : i64} : (tensor<?x?xf32, #relax.shape<[n, m]>>) -> tensor<?x?xf32, #relax.shape<[n, m]>>
  return %r : tensor<?x?xf32, #relax.shape<[n, m]>>
}

// Padding is an op of its own; where there is none, there is none.
// CHECK-LABEL: func.func @padded
// CHECK-NEXT:    %[[P:.*]] = relax.call_kernel @pad(%arg0) {{.*}} -> tensor<1x3x?xf32, #relax.shape<[1, 3, n + 2]>>
// CHECK-NEXT:    relax.call_kernel @convolution(%[[P]], %arg1)
func.func @padded(%x: tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, %w: tensor<4x3x3xf32>) -> tensor<1x4x?xf32, #relax.shape<[1, 4, n]>>
    attributes {relax.symbols = #relax.symbols<n = [1, ?]>} {
  %r = relax.convolution %x, %w {pads = array<i64: 1, 1>} : (tensor<1x3x?xf32, #relax.shape<[1, 3, n]>>, tensor<4x3x3xf32>) -> tensor<1x4x?xf32, #relax.shape<[1, 4, n]>>
  return %r : tensor<1x4x?xf32, #relax.shape<[1, 4, n]>>
}
// CHECK-LABEL: func.func @plain
// CHECK-NEXT:    relax.call_kernel @convolution{{.*}}(%arg0, %arg1)
func.func @plain(%x: tensor<1x3x?xf32, #relax.shape<[1, 3, n + 2]>>, %w: tensor<4x3x3xf32>, %n: tensor<?xi8, #relax.shape<[n]>>) -> tensor<1x4x?xf32, #relax.shape<[1, 4, n]>>
    attributes {relax.symbols = #relax.symbols<n = [1, ?]>} {
  %r = relax.convolution %x, %w : (tensor<1x3x?xf32, #relax.shape<[1, 3, n + 2]>>, tensor<4x3x3xf32>) -> tensor<1x4x?xf32, #relax.shape<[1, 4, n]>>
  return %r : tensor<1x4x?xf32, #relax.shape<[1, 4, n]>>
}

// Attention has a kernel of its own, which holds no matrix of scores.
// CHECK-LABEL: func.func @attention
// CHECK-NEXT:    relax.call_kernel @attention{{.*}}(%arg0, %arg1, %arg1) {symbols = [#relax.expr<t>, #relax.expr<s>]}
// CHECK-NEXT:    return
func.func @attention(%q: tensor<1x6x?x8xf32, #relax.shape<[1, 6, t, 8]>>, %k: tensor<1x2x?x8xf32, #relax.shape<[1, 2, s, 8]>>) -> tensor<1x6x?x8xf32, #relax.shape<[1, 6, t, 8]>>
    attributes {relax.symbols = #relax.symbols<t = [0, ?], s = [0, ?]>} {
  %r = relax.attention %q, %k, %k {causal} : (tensor<1x6x?x8xf32, #relax.shape<[1, 6, t, 8]>>, tensor<1x2x?x8xf32, #relax.shape<[1, 2, s, 8]>>, tensor<1x2x?x8xf32, #relax.shape<[1, 2, s, 8]>>) -> tensor<1x6x?x8xf32, #relax.shape<[1, 6, t, 8]>>
  return %r : tensor<1x6x?x8xf32, #relax.shape<[1, 6, t, 8]>>
}

// Heads that are too large for it are products and a softmax; those that share keys are a dimension
// of their own.
// CHECK-LABEL: func.func @large_heads
// CHECK-NEXT:    %[[Q:.*]] = relax.reshape %arg0 : {{.*}} to tensor<1x2x3x?x512xf32, #relax.shape<[1, 2, 3, t, 512]>>
// CHECK-NEXT:    %[[S:.*]] = relax.call_kernel @einsum(%[[Q]], %arg1)
// CHECK-NEXT:    %[[R:.*]] = relax.reshape %[[S]]
// CHECK-NEXT:    %[[W:.*]] = relax.call_kernel @attention_weights(%[[R]])
// CHECK-NEXT:    %[[G:.*]] = relax.reshape %[[W]]
// CHECK-NEXT:    %[[O:.*]] = relax.call_kernel @einsum_{{.*}}(%[[G]], %arg1)
// CHECK-NEXT:    relax.reshape %[[O]]
func.func @large_heads(%q: tensor<1x6x?x512xf32, #relax.shape<[1, 6, t, 512]>>, %k: tensor<1x2x?x512xf32, #relax.shape<[1, 2, s, 512]>>) -> tensor<1x6x?x512xf32, #relax.shape<[1, 6, t, 512]>>
    attributes {relax.symbols = #relax.symbols<t = [0, ?], s = [0, ?]>} {
  %r = relax.attention %q, %k, %k {causal} : (tensor<1x6x?x512xf32, #relax.shape<[1, 6, t, 512]>>, tensor<1x2x?x512xf32, #relax.shape<[1, 2, s, 512]>>, tensor<1x2x?x512xf32, #relax.shape<[1, 2, s, 512]>>) -> tensor<1x6x?x512xf32, #relax.shape<[1, 6, t, 512]>>
  return %r : tensor<1x6x?x512xf32, #relax.shape<[1, 6, t, 512]>>
}

// The arena's size may name what a cast at the door has named.
func.func @unknown(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = relax.softmax %x {axis = 0 : i64} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
