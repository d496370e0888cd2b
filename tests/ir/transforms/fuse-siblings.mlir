// RUN: relax-opt %s --relax-legalize --relax-classify-kernels --relax-fuse-kernels --relax-deduplicate-kernels --relax-verify | FileCheck %s
// Two layers that read one table of angles and one page table: in each of them q, k and v are one kernel,
// and so are rotating q and k and storing k and v.

// CHECK-LABEL: func.func @layers
// CHECK-NEXT:  relax.call_kernel @rotary_table
// CHECK-NEXT:  relax.call_kernel @matmul_matmul_matmul{{[_0-9]*}}(
// CHECK-NOT:   relax.call_kernel
// CHECK:       relax.call_kernel @rotary_rotary_update_slots_update_slots{{[_0-9]*}}(
// CHECK-NEXT:  relax.call_kernel @paged_attention
// CHECK-NOT:   relax.call_kernel
// CHECK:       relax.call_kernel @matmul_matmul_matmul{{[_0-9]*}}(
// CHECK-NOT:   relax.call_kernel
// CHECK:       relax.call_kernel @rotary_rotary_update_slots_update_slots{{[_0-9]*}}(
// CHECK-NEXT:  relax.call_kernel @paged_attention
// CHECK-NOT:   relax.call_kernel
// CHECK:       return
!x = tensor<?x64xf32, #relax.shape<[t, 64]>>
!kv = tensor<?x32xf32, #relax.shape<[t, 32]>>
!q = tensor<?x4x16xf32, #relax.shape<[t, 4, 16]>>
!k = tensor<?x2x16xf32, #relax.shape<[t, 2, 16]>>
!a = tensor<?x16xf32, #relax.shape<[t, 16]>>
!keys = tensor<?x2x16x8xf32, #relax.shape<[g, 2, 16, 8]>>
!values = tensor<?x2x8x16xf32, #relax.shape<[g, 2, 8, 16]>>
!i = tensor<?xi32, #relax.shape<[t]>>
!s = tensor<?xi32, #relax.shape<[b + 1]>>
!t = tensor<?x?xi32, #relax.shape<[b, p]>>
!c = tensor<?xi32, #relax.shape<[b]>>
func.func @layers(%x: !x, %positions: !i, %s: !s, %t: !t, %c: !c, %wq: tensor<64x64xf32>, %wk: tensor<32x64xf32>, %wv: tensor<32x64xf32>,
                  %k0: !keys {relax.donated}, %v0: !values {relax.donated}, %k1: !keys {relax.donated}, %v1: !values {relax.donated})
    -> (!q, !keys, !values, !keys, !values)
    attributes {relax.symbols = #relax.symbols<t = [1, 512], b = [1, 16], p = [1, 64], g = [1, ?]>} {
  %angles = relax.rotary_table %positions {base = 1.0e4 : f64, dims = 16} : (!i) -> !a
  %q0 = relax.matmul %x, %wq {transpose_b} : (!x, tensor<64x64xf32>) -> !x
  %q0h = relax.reshape %q0 : !x to !q
  %q0r = relax.rotary %q0h, %angles : (!q, !a) -> !q
  %e0 = relax.matmul %x, %wk {transpose_b} : (!x, tensor<32x64xf32>) -> !kv
  %e0h = relax.reshape %e0 : !kv to !k
  %e0r = relax.rotary %e0h, %angles : (!k, !a) -> !k
  %u0 = relax.matmul %x, %wv {transpose_b} : (!x, tensor<32x64xf32>) -> !kv
  %u0h = relax.reshape %u0 : !kv to !k
  %k0n = relax.update_slots %k0, %e0r, %s, %t, %c {layout = "keys"} : (!keys, !k, !s, !t, !c) -> !keys
  %v0n = relax.update_slots %v0, %u0h, %s, %t, %c {layout = "values"} : (!values, !k, !s, !t, !c) -> !values
  %o0 = relax.paged_attention %q0r, %k0n, %v0n, %s, %t, %c {scale = 0.25 : f64} : (!q, !keys, !values, !s, !t, !c) -> !q
  %x1 = relax.reshape %o0 : !q to !x
  %q1 = relax.matmul %x1, %wq {transpose_b} : (!x, tensor<64x64xf32>) -> !x
  %q1h = relax.reshape %q1 : !x to !q
  %q1r = relax.rotary %q1h, %angles : (!q, !a) -> !q
  %e1 = relax.matmul %x1, %wk {transpose_b} : (!x, tensor<32x64xf32>) -> !kv
  %e1h = relax.reshape %e1 : !kv to !k
  %e1r = relax.rotary %e1h, %angles : (!k, !a) -> !k
  %u1 = relax.matmul %x1, %wv {transpose_b} : (!x, tensor<32x64xf32>) -> !kv
  %u1h = relax.reshape %u1 : !kv to !k
  %k1n = relax.update_slots %k1, %e1r, %s, %t, %c {layout = "keys"} : (!keys, !k, !s, !t, !c) -> !keys
  %v1n = relax.update_slots %v1, %u1h, %s, %t, %c {layout = "values"} : (!values, !k, !s, !t, !c) -> !values
  %o1 = relax.paged_attention %q1r, %k1n, %v1n, %s, %t, %c {scale = 0.25 : f64} : (!q, !keys, !values, !s, !t, !c) -> !q
  return %o1, %k0n, %v0n, %k1n, %v1n : !q, !keys, !values, !keys, !values
}

// Biases stand between: what becomes a part of a product doesn't count as far.
// CHECK-LABEL: func.func @biased
// CHECK-NEXT:  relax.call_kernel @matmul_add_matmul_add_matmul_add{{[_0-9]*}}(
// CHECK-NOT:   relax.call_kernel
// CHECK:       relax.call_kernel @rotary_rotary_update_slots_update_slots{{[_0-9]*}}(
// CHECK-NOT:   relax.call_kernel
// CHECK:       return
func.func @biased(%x: !x, %angles: !a, %s: !s, %t: !t, %c: !c, %wq: tensor<64x64xf32>, %wk: tensor<32x64xf32>,
                  %bq: tensor<64xf32>, %bk: tensor<32xf32>, %k0: !keys {relax.donated}, %v0: !values {relax.donated})
    -> (!q, !keys, !values)
    attributes {relax.symbols = #relax.symbols<t = [1, 512], b = [1, 16], p = [1, 64], g = [1, ?]>} {
  %q0 = relax.matmul %x, %wq {transpose_b} : (!x, tensor<64x64xf32>) -> !x
  %q1 = relax.add %q0, %bq : (!x, tensor<64xf32>) -> !x
  %qh = relax.reshape %q1 : !x to !q
  %qr = relax.rotary %qh, %angles : (!q, !a) -> !q
  %e0 = relax.matmul %x, %wk {transpose_b} : (!x, tensor<32x64xf32>) -> !kv
  %e1 = relax.add %e0, %bk : (!kv, tensor<32xf32>) -> !kv
  %eh = relax.reshape %e1 : !kv to !k
  %er = relax.rotary %eh, %angles : (!k, !a) -> !k
  %u0 = relax.matmul %x, %wk {transpose_b} : (!x, tensor<32x64xf32>) -> !kv
  %u1 = relax.add %u0, %bk : (!kv, tensor<32xf32>) -> !kv
  %uh = relax.reshape %u1 : !kv to !k
  %n0 = relax.update_slots %k0, %er, %s, %t, %c {layout = "keys"} : (!keys, !k, !s, !t, !c) -> !keys
  %n1 = relax.update_slots %v0, %uh, %s, %t, %c {layout = "values"} : (!values, !k, !s, !t, !c) -> !values
  return %qr, %n0, %n1 : !q, !keys, !values
}
