// RUN: relax-opt %s --relax-legalize --relax-classify-kernels --relax-fuse-kernels --relax-verify | FileCheck %s

!kp = tensor<9x1x64x4xf32>
!vp = tensor<9x1x4x64xf32>
!h = tensor<?x2x64xf32, #relax.shape<[t, 2, 64]>>
!x = tensor<?x128xf32, #relax.shape<[t, 128]>>
!q = tensor<?x1x128xi8, #relax.shape<[t, 1, 128]>>
!s = tensor<?x1x4xf32, #relax.shape<[t, 1, 4]>>
!u = tensor<?x1x4xi32, #relax.shape<[t, 1, 4]>>

// Attention and the quantisation of its result are one program: the rows never lie in memory.
// CHECK-LABEL: func.func @fused
// CHECK-NEXT: %[[Q:.*]]:3 = relax.call_kernel @[[$FUSED:paged_attention_quantize_activations]](
// CHECK-NEXT: return %[[Q]]#0
func.func @fused(%h: !h, %k: !kp, %v: !vp, %b: tensor<2xi32>, %g: tensor<1x9xi32>, %l: tensor<1xi32>) -> (!q, !s, !u)
    attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %0 = relax.paged_attention %h, %k, %v, %b, %g, %l {scale = 0.125 : f64} : (!h, !kp, !vp, tensor<2xi32>, tensor<1x9xi32>, tensor<1xi32>) -> !h
  %1 = relax.reshape %0 : !h to !x
  %2:3 = relax.quantize_activations %1 {planes = 1 : i64} : (!x) -> (!q, !s, !u)
  return %2#0, %2#1, %2#2 : !q, !s, !u
}

// The result is needed as it is, too.
// CHECK-LABEL: func.func @shared
// CHECK: relax.call_kernel @paged_attention{{[_0-9]*}}(
// CHECK: relax.call_kernel @quantize_activations{{[_0-9]*}}(
func.func @shared(%h: !h, %k: !kp, %v: !vp, %b: tensor<2xi32>, %g: tensor<1x9xi32>, %l: tensor<1xi32>) -> (!q, !s, !u, !h)
    attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %0 = relax.paged_attention %h, %k, %v, %b, %g, %l {scale = 0.125 : f64} : (!h, !kp, !vp, tensor<2xi32>, tensor<1x9xi32>, tensor<1xi32>) -> !h
  %1 = relax.reshape %0 : !h to !x
  %2:3 = relax.quantize_activations %1 {planes = 1 : i64} : (!x) -> (!q, !s, !u)
  return %2#0, %2#1, %2#2, %0 : !q, !s, !u, !h
}

// Blocks of 32 lie across heads of 48.
!kp2 = tensor<9x1x48x4xf32>
!vp2 = tensor<9x1x4x48xf32>
!h2 = tensor<?x2x48xf32, #relax.shape<[t, 2, 48]>>
!x2 = tensor<?x96xf32, #relax.shape<[t, 96]>>
!q2 = tensor<?x1x96xi8, #relax.shape<[t, 1, 96]>>
!s2 = tensor<?x1x3xf32, #relax.shape<[t, 1, 3]>>
!u2 = tensor<?x1x3xi32, #relax.shape<[t, 1, 3]>>
// CHECK-LABEL: func.func @across
// CHECK: relax.call_kernel @paged_attention
// CHECK-NOT: paged_attention_quantize
// CHECK: relax.call_kernel @quantize_activations
func.func @across(%h: !h2, %k: !kp2, %v: !vp2, %b: tensor<2xi32>, %g: tensor<1x9xi32>, %l: tensor<1xi32>) -> (!q2, !s2, !u2)
    attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %0 = relax.paged_attention %h, %k, %v, %b, %g, %l {scale = 0.125 : f64} : (!h2, !kp2, !vp2, tensor<2xi32>, tensor<1x9xi32>, tensor<1xi32>) -> !h2
  %1 = relax.reshape %0 : !h2 to !x2
  %2:3 = relax.quantize_activations %1 {planes = 1 : i64} : (!x2) -> (!q2, !s2, !u2)
  return %2#0, %2#1, %2#2 : !q2, !s2, !u2
}

// CHECK: func.func private @[[$FUSED]]({{.*}}relax.kernel
// CHECK: relax.paged_attention
// CHECK-NEXT: tensor.collapse_shape
// CHECK-NEXT: relax.quantize_activations
