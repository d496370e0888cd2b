// RUN: relax-opt %s --relax-raise-attention --relax-verify | FileCheck %s

!q = tensor<2x4x?x8xf32, #relax.shape<[2, 4, t, 8]>>
!k = tensor<2x4x?x8xf32, #relax.shape<[2, 4, s, 8]>>
!v = tensor<2x4x?x6xf32, #relax.shape<[2, 4, s, 6]>>
!y = tensor<2x4x?x6xf32, #relax.shape<[2, 4, t, 6]>>
!s = tensor<2x4x?x?xf32, #relax.shape<[2, 4, t, s]>>
!m = tensor<?x?xf32, #relax.shape<[t, s]>>
!b = tensor<?x?xi1, #relax.shape<[t, s]>>

// A scale, and a mask whose numbers are added.
// CHECK-LABEL: func.func @scaled
// CHECK: %[[Y:.*]] = relax.attention %arg0, %arg1, %arg2, %arg3 {hidden_is_nan, scale = 1.250000e-01 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @scaled(%q: !q, %k: !k, %v: !v, %m: !m) -> !y
    attributes {relax.symbols = #relax.symbols<t = [0, ?], s = [0, ?]>} {
  %eight = arith.constant dense<8.0> : tensor<f32>
  %0 = relax.matmul %q, %k {transpose_b} : (!q, !k) -> !s
  %1 = relax.divide %0, %eight : (!s, tensor<f32>) -> !s
  %2 = relax.add %m, %1 : (!m, !s) -> !s
  %3 = relax.softmax %2 : (!s) -> !s
  %4 = relax.matmul %3, %v : (!s, !v) -> !y
  return %4 : !y
}

// No scale; keys that a permutation transposes, which then isn't needed.
// CHECK-LABEL: func.func @permuted
// CHECK-NEXT: %[[Y:.*]] = relax.attention %arg0, %arg1, %arg2 {hidden_is_nan, scale = 1.000000e+00 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @permuted(%q: !q, %k: !k, %v: !v) -> !y
    attributes {relax.symbols = #relax.symbols<t = [0, ?], s = [0, ?]>} {
  %p = relax.permute %k {permutation = array<i64: 0, 1, 3, 2>} : (!k) -> tensor<2x4x8x?xf32, #relax.shape<[2, 4, 8, s]>>
  %0 = relax.matmul %q, %p : (!q, tensor<2x4x8x?xf32, #relax.shape<[2, 4, 8, s]>>) -> !s
  %1 = relax.softmax %0 {axis = 3 : i64} : (!s) -> !s
  %2 = relax.matmul %1, %v : (!s, !v) -> !y
  return %2 : !y
}

// A soft cap, and a mask of truth values.
// CHECK-LABEL: func.func @capped
// CHECK: relax.attention %arg0, %arg1, %arg2, %arg3 {hidden_is_nan, scale = 5.000000e-01 : f64, softcap = 4.000000e+00 : f64}
// CHECK-NEXT: return
func.func @capped(%q: !q, %k: !k, %v: !v, %m: !b) -> !y
    attributes {relax.symbols = #relax.symbols<t = [0, ?], s = [0, ?]>} {
  %half = arith.constant dense<0.5> : tensor<f32>
  %four = arith.constant dense<4.0> : tensor<f32>
  %hidden = arith.constant dense<0xFF800000> : tensor<f32>
  %0 = relax.matmul %q, %k {transpose_b} : (!q, !k) -> !s
  %1 = relax.multiply %half, %0 : (tensor<f32>, !s) -> !s
  %2 = relax.divide %1, %four : (!s, tensor<f32>) -> !s
  %3 = relax.tanh %2 : (!s) -> !s
  %4 = relax.multiply %3, %four : (!s, tensor<f32>) -> !s
  %5 = relax.where %m, %4, %hidden : (!b, !s, tensor<f32>) -> !s
  %6 = relax.softmax %5 : (!s) -> !s
  %7 = relax.matmul %6, %v : (!s, !v) -> !y
  return %7 : !y
}

// Two dimensions: one head. Float16 with a softmax in float32.
!q2 = tensor<?x8xf16, #relax.shape<[t, 8]>>
!k2 = tensor<?x8xf16, #relax.shape<[s, 8]>>
!s2 = tensor<?x?xf16, #relax.shape<[t, s]>>
// CHECK-LABEL: func.func @half
// CHECK-DAG: %[[Q:.*]] = relax.reshape %arg0 {{.*}} to tensor<1x1x?x8xf16
// CHECK-DAG: %[[K:.*]] = relax.reshape %arg1 {{.*}} to tensor<1x1x?x8xf16
// CHECK-DAG: %[[V:.*]] = relax.reshape %arg2 {{.*}} to tensor<1x1x?x8xf16
// CHECK: %[[Y:.*]] = relax.attention %[[Q]], %[[K]], %[[V]], %arg3
// CHECK-NEXT: %[[R:.*]] = relax.reshape %[[Y]]
// CHECK-NEXT: return %[[R]]
func.func @half(%q: !q2, %k: !k2, %v: !k2, %m: !s2) -> !q2
    attributes {relax.symbols = #relax.symbols<t = [0, ?], s = [0, ?]>} {
  %0 = relax.matmul %q, %k {transpose_b} : (!q2, !k2) -> !s2
  %1 = relax.add %0, %m : (!s2, !s2) -> !s2
  %2 = relax.cast %1 : !s2 to !m
  %3 = relax.softmax %2 : (!m) -> !m
  %4 = relax.cast %3 : !m to !s2
  %5 = relax.matmul %4, %v : (!s2, !k2) -> !q2
  return %5 : !q2
}

// Three query heads for each of two key heads.
!q5 = tensor<?x2x3x?x8xf32, #relax.shape<[b, 2, 3, t, 8]>>
!k5 = tensor<?x2x1x?x8xf32, #relax.shape<[b, 2, 1, s, 8]>>
!s5 = tensor<?x2x3x?x?xf32, #relax.shape<[b, 2, 3, t, s]>>
// CHECK-LABEL: func.func @grouped
// CHECK: relax.attention {{.*}} : (tensor<?x6x?x8xf32, {{.*}}>, tensor<?x2x?x8xf32, {{.*}}>, tensor<?x2x?x8xf32, {{.*}}>, tensor<?x1x1x?xf32, #relax.shape<[b, 1, 1, s]>>)
func.func @grouped(%q: !q5, %k: !k5, %v: !k5, %m: tensor<?x1x1x1x?xf32, #relax.shape<[b, 1, 1, 1, s]>>) -> !q5
    attributes {relax.symbols = #relax.symbols<b = [0, ?], t = [0, ?], s = [0, ?]>} {
  %0 = relax.matmul %q, %k {transpose_b} : (!q5, !k5) -> !s5
  %1 = relax.add %0, %m : (!s5, tensor<?x1x1x1x?xf32, #relax.shape<[b, 1, 1, 1, s]>>) -> !s5
  %2 = relax.softmax %1 : (!s5) -> !s5
  %3 = relax.matmul %2, %v : (!s5, !k5) -> !q5
  return %3 : !q5
}

// The weights are a result too.
// CHECK-LABEL: func.func @weights
// CHECK-NOT: relax.attention
// CHECK: return
func.func @weights(%q: !q, %k: !k, %v: !v) -> (!s, !y)
    attributes {relax.symbols = #relax.symbols<t = [0, ?], s = [0, ?]>} {
  %0 = relax.matmul %q, %k {transpose_b} : (!q, !k) -> !s
  %1 = relax.softmax %0 : (!s) -> !s
  %2 = relax.matmul %1, %v : (!s, !v) -> !y
  return %1, %2 : !s, !y
}

// The softmax goes over queries; what is masked is scaled; hidden scores are only very negative.
// CHECK-LABEL: func.func @other
// CHECK-NOT: relax.attention
// CHECK: return
func.func @other(%q: !q, %k: !k, %v: !v, %m: !m, %b: !b) -> (!y, !y, !y)
    attributes {relax.symbols = #relax.symbols<t = [0, ?], s = [0, ?]>} {
  %half = arith.constant dense<0.5> : tensor<f32>
  %low = arith.constant dense<-1.0e9> : tensor<f32>
  %0 = relax.matmul %q, %k {transpose_b} : (!q, !k) -> !s
  %1 = relax.softmax %0 {axis = 2 : i64} : (!s) -> !s
  %2 = relax.matmul %1, %v : (!s, !v) -> !y
  %3 = relax.matmul %q, %k {transpose_b} : (!q, !k) -> !s
  %4 = relax.add %3, %m : (!s, !m) -> !s
  %5 = relax.multiply %4, %half : (!s, tensor<f32>) -> !s
  %6 = relax.softmax %5 : (!s) -> !s
  %7 = relax.matmul %6, %v : (!s, !v) -> !y
  %8 = relax.matmul %q, %k {transpose_b} : (!q, !k) -> !s
  %9 = relax.where %b, %8, %low : (!b, !s, tensor<f32>) -> !s
  %10 = relax.softmax %9 : (!s) -> !s
  %11 = relax.matmul %10, %v : (!s, !v) -> !y
  return %2, %7, %11 : !y, !y, !y
}

// Heads that the kernel doesn't hold; a rounding that is asked for.
!w = tensor<2x4x?x300xf32, #relax.shape<[2, 4, s, 300]>>
!z = tensor<2x4x?x300xf32, #relax.shape<[2, 4, t, 300]>>
!h = tensor<2x4x?x?xf16, #relax.shape<[2, 4, t, s]>>
// CHECK-LABEL: func.func @unfit
// CHECK-NOT: relax.attention
// CHECK: return
func.func @unfit(%q: !q, %k: !k, %v: !v, %w: !w) -> (!z, !y)
    attributes {relax.symbols = #relax.symbols<t = [0, ?], s = [0, ?]>} {
  %0 = relax.matmul %q, %k {transpose_b} : (!q, !k) -> !s
  %1 = relax.softmax %0 : (!s) -> !s
  %2 = relax.matmul %1, %w : (!s, !w) -> !z
  %3 = relax.matmul %q, %k {transpose_b} : (!q, !k) -> !s
  %4 = relax.cast %3 : !s to !h
  %5 = relax.softmax %4 : (!h) -> !h
  %6 = relax.cast %5 : !h to !s
  %7 = relax.matmul %6, %v : (!s, !v) -> !y
  return %2, %7 : !z, !y
}
