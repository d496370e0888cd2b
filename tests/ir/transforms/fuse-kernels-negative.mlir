// RUN: relax-opt %s --relax-legalize --relax-classify-kernels --relax-fuse-kernels --relax-verify | FileCheck %s

// A value with another use, read at other places than its own, would be computed twice.
// CHECK-LABEL: func.func @two_uses
// CHECK-NEXT: %[[A:.*]] = relax.call_kernel @tanh{{.*}}(%arg0)
// CHECK-NEXT: %[[B:.*]] = relax.call_kernel @permute{{.*}}(%[[A]])
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @two_uses(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3x4xf32>) {
  %0 = relax.tanh %x : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = relax.permute %0 {permutation = array<i64: 1, 0>} : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<3x4xf32>
}

// A costly function of few elements, read for many.
// CHECK-LABEL: func.func @recomputed
// CHECK-NEXT: relax.call_kernel @exp
// CHECK-NEXT: relax.call_kernel @add
// CHECK-NEXT: relax.call_kernel @tanh
// CHECK-NEXT: relax.call_kernel @matmul
func.func @recomputed(%x: tensor<64xf32>, %y: tensor<100x64xf32>, %w: tensor<96x64xf32>) -> (tensor<100x64xf32>, tensor<100x96xf32>) {
  %0 = relax.exp %x : (tensor<64xf32>) -> tensor<64xf32>
  %1 = relax.add %y, %0 : (tensor<100x64xf32>, tensor<64xf32>) -> tensor<100x64xf32>
  %2 = relax.tanh %y : (tensor<100x64xf32>) -> tensor<100x64xf32>
  %3 = relax.matmul %2, %w {transpose_b} : (tensor<100x64xf32>, tensor<96x64xf32>) -> tensor<100x96xf32>
  return %1, %3 : tensor<100x64xf32>, tensor<100x96xf32>
}

// A reduction's result would be computed once for each element that reads it.
// CHECK-LABEL: func.func @reduction_into_matmul
// CHECK-NEXT: relax.call_kernel @softmax
// CHECK-NEXT: relax.call_kernel @matmul
func.func @reduction_into_matmul(%x: tensor<8x64xf32>, %w: tensor<96x64xf32>) -> tensor<8x96xf32> {
  %0 = relax.softmax %x : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %1 = relax.matmul %0, %w {transpose_b} : (tensor<8x64xf32>, tensor<96x64xf32>) -> tensor<8x96xf32>
  return %1 : tensor<8x96xf32>
}

// A convolution reads each element of its input many times; its bias is computed on its sums.
// CHECK-LABEL: func.func @into_convolution
// CHECK-NEXT: relax.call_kernel @relu_pad
// CHECK-NEXT: relax.call_kernel @convolution_add
func.func @into_convolution(%x: tensor<1x3x9xf32>, %w: tensor<4x3x3xf32>, %b: tensor<4x1xf32>) -> tensor<1x4x9xf32> {
  %0 = relax.relu %x : (tensor<1x3x9xf32>) -> tensor<1x3x9xf32>
  %1 = relax.convolution %0, %w {pads = array<i64: 1, 1>} : (tensor<1x3x9xf32>, tensor<4x3x3xf32>) -> tensor<1x4x9xf32>
  %2 = relax.add %1, %b : (tensor<1x4x9xf32>, tensor<4x1xf32>) -> tensor<1x4x9xf32>
  return %2 : tensor<1x4x9xf32>
}

// Reductions along different dimensions aren't of the same rows.
// CHECK-LABEL: func.func @two_reductions
// CHECK-NEXT: relax.call_kernel @sum
// CHECK-NEXT: relax.call_kernel @softmax
func.func @two_reductions(%x: tensor<5x8x64xf32>) -> tensor<8x64xf32> {
  %0 = relax.sum %x {axes = array<i64: 0>} : (tensor<5x8x64xf32>) -> tensor<8x64xf32>
  %1 = relax.softmax %0 : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %1 : tensor<8x64xf32>
}

// The operands of an op with its own strategy are read from memory.
// CHECK-LABEL: func.func @into_packed
// CHECK-NEXT: relax.call_kernel @exp
// CHECK-NEXT: relax.call_kernel @packed_matmul
func.func @into_packed(%x: tensor<8x64xf32>, %p: tensor<6x640xi8>) -> tensor<8x96xf32> {
  %0 = relax.exp %x : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %1 = relax.packed_matmul %0, %p {format = "q4_1", rows = 96 : i64} : (tensor<8x64xf32>, tensor<6x640xi8>) -> tensor<8x96xf32>
  return %1 : tensor<8x96xf32>
}

// An epilogue that reads the product elsewhere than at its own place needs it in memory.
// CHECK-LABEL: func.func @transposed_epilogue
// CHECK-NEXT: relax.call_kernel @matmul
// CHECK-NEXT: relax.call_kernel @permute
func.func @transposed_epilogue(%x: tensor<8x64xf32>, %w: tensor<96x64xf32>) -> tensor<96x8xf32> {
  %0 = relax.matmul %x, %w {transpose_b} : (tensor<8x64xf32>, tensor<96x64xf32>) -> tensor<8x96xf32>
  %1 = relax.permute %0 {permutation = array<i64: 1, 0>} : (tensor<8x96xf32>) -> tensor<96x8xf32>
  return %1 : tensor<96x8xf32>
}

// Nor can a broadcast of the product be an epilogue.
// CHECK-LABEL: func.func @broadcast_of_product
// CHECK-NEXT: relax.call_kernel @matmul
// CHECK-NEXT: relax.call_kernel @add
func.func @broadcast_of_product(%x: tensor<8x64xf32>, %w: tensor<96x64xf32>, %y: tensor<3x8x96xf32>) -> tensor<3x8x96xf32> {
  %0 = relax.matmul %x, %w {transpose_b} : (tensor<8x64xf32>, tensor<96x64xf32>) -> tensor<8x96xf32>
  %1 = relax.add %0, %y : (tensor<8x96xf32>, tensor<3x8x96xf32>) -> tensor<3x8x96xf32>
  return %1 : tensor<3x8x96xf32>
}

// Opaque programs stay alone.
// CHECK-LABEL: func.func @opaque
// CHECK-NEXT: relax.call_kernel @quantize_activations
// CHECK-NEXT: relax.call_kernel @exp
func.func @opaque(%x: tensor<8x64xf32>) -> tensor<8x1x2xf32> {
  %0:3 = relax.quantize_activations %x {planes = 1 : i64} : (tensor<8x64xf32>) -> (tensor<8x1x64xi8>, tensor<8x1x2xf32>, tensor<8x1x2xi32>)
  %1 = relax.exp %0#1 : (tensor<8x1x2xf32>) -> tensor<8x1x2xf32>
  return %1 : tensor<8x1x2xf32>
}

// What the producer reads is overwritten before the consumer.
// CHECK-LABEL: func.func @overwritten
// CHECK-NEXT: %[[E:.*]] = relax.call_kernel @exp{{.*}}(%arg0)
// CHECK-NEXT: %[[N:.*]] = relax.call_kernel @new(%arg0) {donates = array<i64: 0>}
// CHECK-NEXT: relax.call_kernel @add{{.*}}(%[[E]], %[[N]])
func.func @overwritten(%x: tensor<4xf32> {relax.donated}) -> tensor<4xf32> {
  %0 = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relax.call_kernel @new(%x) {donates = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relax.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @new(tensor<4xf32>) -> tensor<4xf32> attributes {relax.kernel, relax.kernel_symbols = []}
