// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

// CHECK-LABEL: @f43(
// CHECK: relax.attention {{.*}} -> tensor<?x8x?x32xf32, #relax.shape<[b, 8, t, 32]>>
func.func @f43(%a: tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, %b: tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, %c: tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>) -> tensor<?x8x?x32xf32, #relax.shape<[b, 8, t, 32]>> {
  %r = relax.attention %a, %b, %c : (tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>) -> tensor<?x8x?x32xf32, #relax.shape<[b, 8, t, 32]>>
  return %r : tensor<?x8x?x32xf32, #relax.shape<[b, 8, t, 32]>>
}

// CHECK-LABEL: @f44(
// CHECK: relax.attention {{.*}} -> tensor<?x8x?x32xf32, #relax.shape<[b, 8, t, 32]>>
func.func @f44(%a: tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, %b: tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, %c: tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>, %d: tensor<?x?xi1, #relax.shape<[t, s]>>) -> tensor<?x8x?x32xf32, #relax.shape<[b, 8, t, 32]>> {
  %r = relax.attention %a, %b, %c, %d {align_end, causal} : (tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>, tensor<?x?xi1, #relax.shape<[t, s]>>) -> tensor<?x8x?x32xf32, #relax.shape<[b, 8, t, 32]>>
  return %r : tensor<?x8x?x32xf32, #relax.shape<[b, 8, t, 32]>>
}

// CHECK-LABEL: @f45(
// CHECK: relax.attention {{.*}} -> tensor<?x8x?x32xf32, #relax.shape<[b, 8, t, 32]>>
func.func @f45(%a: tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, %b: tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, %c: tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>, %d: tensor<?x1x1x?xf32, #relax.shape<[b, 1, 1, r]>>) -> tensor<?x8x?x32xf32, #relax.shape<[b, 8, t, 32]>> {
  %r = relax.attention %a, %b, %c, %d {causal_offset = 2 : i64, softcap = 3.0 : f64, window = 128 : i64} : (tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>, tensor<?x1x1x?xf32, #relax.shape<[b, 1, 1, r]>>) -> tensor<?x8x?x32xf32, #relax.shape<[b, 8, t, 32]>>
  return %r : tensor<?x8x?x32xf32, #relax.shape<[b, 8, t, 32]>>
}

// CHECK-LABEL: @f46(
// CHECK: relax.attention {{.*}} -> tensor<?x?x?x64xf32, #relax.shape<[b, h, t, 64]>>
func.func @f46(%a: tensor<?x?x?x64xf32, #relax.shape<[b, h, t, 64]>>, %b: tensor<?x?x?x64xf32, #relax.shape<[b, g, s, 64]>>, %c: tensor<?x?x?x64xf32, #relax.shape<[b, g, s, 64]>>) -> tensor<?x?x?x64xf32, #relax.shape<[b, h, t, 64]>> {
  %r = relax.attention %a, %b, %c : (tensor<?x?x?x64xf32, #relax.shape<[b, h, t, 64]>>, tensor<?x?x?x64xf32, #relax.shape<[b, g, s, 64]>>, tensor<?x?x?x64xf32, #relax.shape<[b, g, s, 64]>>) -> tensor<?x?x?x64xf32, #relax.shape<[b, h, t, 64]>>
  return %r : tensor<?x?x?x64xf32, #relax.shape<[b, h, t, 64]>>
}
