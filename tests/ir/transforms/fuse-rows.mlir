// RUN: relax-opt %s --relax-legalize --relax-classify-kernels --relax-fuse-kernels --relax-verify | FileCheck %s

!x = tensor<?x64xf32, #relax.shape<[t, 64]>>
!q = tensor<?x1x64xi8, #relax.shape<[t, 1, 64]>>
!s = tensor<?x1x2xf32, #relax.shape<[t, 1, 2]>>
!u = tensor<?x1x2xi32, #relax.shape<[t, 1, 2]>>
!h = tensor<?x4x16xf32, #relax.shape<[t, 4, 16]>>
!a = tensor<?x16xf32, #relax.shape<[t, 16]>>

// Two normalisations, the residual between them, which is needed later, and the quantisation.
// CHECK-LABEL: func.func @residual
// CHECK-NEXT: %[[R:.*]]:4 = relax.call_kernel @rms_norm{{[_0-9]*}}_add_rms_norm{{[_0-9]*}}_quantize_activations(
// CHECK-NEXT: return %[[R]]#0, %[[R]]#1, %[[R]]#2, %[[R]]#3
func.func @residual(%x: !x, %z: !x, %v: tensor<64xf32>) -> (!x, !q, !s, !u)
    attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %0 = relax.rms_norm %x, %v {epsilon = 1.0e-5 : f64} : (!x, tensor<64xf32>) -> !x
  %1 = relax.add %z, %0 : (!x, !x) -> !x
  %2 = relax.rms_norm %1, %v {epsilon = 1.0e-5 : f64} : (!x, tensor<64xf32>) -> !x
  %3:3 = relax.quantize_activations %2 {planes = 1 : i64} : (!x) -> (!q, !s, !u)
  return %1, %3#0, %3#1, %3#2 : !x, !q, !s, !u
}

// A rotary embedding reads its own row only.
// CHECK-LABEL: func.func @rotated
// CHECK-NEXT: %[[R:.*]] = relax.call_kernel @rms_norm{{[_0-9]*}}_rotary(
// CHECK-NEXT: return %[[R]]
func.func @rotated(%h: !h, %v: tensor<16xf32>, %a: !a) -> !h
    attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %0 = relax.rms_norm %h, %v {epsilon = 1.0e-5 : f64} : (!h, tensor<16xf32>) -> !h
  %1 = relax.rotary %0, %a : (!h, !a) -> !h
  return %1 : !h
}

// Rows in another order are other rows.
// CHECK-LABEL: func.func @flipped
// CHECK: relax.call_kernel @rms_norm
// CHECK: relax.call_kernel @flip
func.func @flipped(%h: !h, %v: tensor<16xf32>) -> !h
    attributes {relax.symbols = #relax.symbols<t = [0, ?]>} {
  %0 = relax.rms_norm %h, %v {epsilon = 1.0e-5 : f64} : (!h, tensor<16xf32>) -> !h
  %1 = relax.flip %0 {axes = array<i64: 1>} : (!h) -> !h
  return %1 : !h
}
