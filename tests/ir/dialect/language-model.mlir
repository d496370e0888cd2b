// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

// CHECK-LABEL: @rotary_table
// CHECK: relax.rotary_table %arg0 {base = 1.000000e+05 : f64, dims = 64 : i64} : (tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
func.func @rotary_table(%p: tensor<?xi32, #relax.shape<[t]>>) -> (tensor<?x64xf32, #relax.shape<[t, 64]>>) {
  %r = relax.rotary_table %p {base = 1.000000e+05 : f64, dims = 64 : i64} : (tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  return %r : tensor<?x64xf32, #relax.shape<[t, 64]>>
}

// CHECK-LABEL: @rotary
// CHECK: relax.rotary %arg0, %arg1 : (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, tensor<?x64xf32, #relax.shape<[t, 64]>>) -> tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
func.func @rotary(%x: tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, %t: tensor<?x64xf32, #relax.shape<[t, 64]>>) -> (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>) {
  %r = relax.rotary %x, %t : (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, tensor<?x64xf32, #relax.shape<[t, 64]>>) -> tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
  return %r : tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
}

// CHECK-LABEL: @rotary_interleaved
// CHECK: relax.rotary %arg0, %arg1 {interleaved} : (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, tensor<?x64xf32, #relax.shape<[t, 64]>>) -> tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
func.func @rotary_interleaved(%x: tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, %t: tensor<?x64xf32, #relax.shape<[t, 64]>>) -> (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>) {
  %r = relax.rotary %x, %t {interleaved} : (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, tensor<?x64xf32, #relax.shape<[t, 64]>>) -> tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
  return %r : tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
}

// CHECK-LABEL: @update_keys_f32
// CHECK: relax.update_slots %arg0, %arg1, %arg2, %arg3, %arg4 {layout = "keys"} : (tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>
func.func @update_keys_f32(%k: tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, %u: tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, %st: tensor<?xi32, #relax.shape<[b + 1]>>, %pt: tensor<?x?xi32, #relax.shape<[b, p]>>, %ca: tensor<?xi32, #relax.shape<[b]>>) -> (tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>) {
  %r = relax.update_slots %k, %u, %st, %pt, %ca {layout = "keys"} : (tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>
  return %r : tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>
}

// CHECK-LABEL: @update_values_f32
// CHECK: relax.update_slots %arg0, %arg1, %arg2, %arg3, %arg4 {layout = "values"} : (tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>, tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>
func.func @update_values_f32(%v: tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>, %u: tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, %st: tensor<?xi32, #relax.shape<[b + 1]>>, %pt: tensor<?x?xi32, #relax.shape<[b, p]>>, %ca: tensor<?xi32, #relax.shape<[b]>>) -> (tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>) {
  %r = relax.update_slots %v, %u, %st, %pt, %ca {layout = "values"} : (tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>, tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>
  return %r : tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>
}

// CHECK-LABEL: @attention_f32
// CHECK: relax.paged_attention %arg0, %arg1, %arg2, %arg3, %arg4, %arg5 {scale = 1.250000e-01 : f64} : (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
func.func @attention_f32(%q: tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, %k: tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, %v: tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>, %st: tensor<?xi32, #relax.shape<[b + 1]>>, %pt: tensor<?x?xi32, #relax.shape<[b, p]>>, %ca: tensor<?xi32, #relax.shape<[b]>>) -> (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>) {
  %r = relax.paged_attention %q, %k, %v, %st, %pt, %ca {scale = 1.250000e-01 : f64} : (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
  return %r : tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
}

// CHECK-LABEL: @update_keys_f16
// CHECK: relax.update_slots %arg0, %arg1, %arg2, %arg3, %arg4 {layout = "keys"} : (tensor<?x3x64x32xf16, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x3x64x32xf16, #relax.shape<[g, 3, 64, 32]>>
func.func @update_keys_f16(%k: tensor<?x3x64x32xf16, #relax.shape<[g, 3, 64, 32]>>, %u: tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, %st: tensor<?xi32, #relax.shape<[b + 1]>>, %pt: tensor<?x?xi32, #relax.shape<[b, p]>>, %ca: tensor<?xi32, #relax.shape<[b]>>) -> (tensor<?x3x64x32xf16, #relax.shape<[g, 3, 64, 32]>>) {
  %r = relax.update_slots %k, %u, %st, %pt, %ca {layout = "keys"} : (tensor<?x3x64x32xf16, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x3x64x32xf16, #relax.shape<[g, 3, 64, 32]>>
  return %r : tensor<?x3x64x32xf16, #relax.shape<[g, 3, 64, 32]>>
}

// CHECK-LABEL: @update_values_f16
// CHECK: relax.update_slots %arg0, %arg1, %arg2, %arg3, %arg4 {layout = "values"} : (tensor<?x3x32x64xf16, #relax.shape<[g, 3, 32, 64]>>, tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x3x32x64xf16, #relax.shape<[g, 3, 32, 64]>>
func.func @update_values_f16(%v: tensor<?x3x32x64xf16, #relax.shape<[g, 3, 32, 64]>>, %u: tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, %st: tensor<?xi32, #relax.shape<[b + 1]>>, %pt: tensor<?x?xi32, #relax.shape<[b, p]>>, %ca: tensor<?xi32, #relax.shape<[b]>>) -> (tensor<?x3x32x64xf16, #relax.shape<[g, 3, 32, 64]>>) {
  %r = relax.update_slots %v, %u, %st, %pt, %ca {layout = "values"} : (tensor<?x3x32x64xf16, #relax.shape<[g, 3, 32, 64]>>, tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x3x32x64xf16, #relax.shape<[g, 3, 32, 64]>>
  return %r : tensor<?x3x32x64xf16, #relax.shape<[g, 3, 32, 64]>>
}

// CHECK-LABEL: @attention_f16
// CHECK: relax.paged_attention %arg0, %arg1, %arg2, %arg3, %arg4, %arg5 {scale = 1.250000e-01 : f64} : (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, tensor<?x3x64x32xf16, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x32x64xf16, #relax.shape<[g, 3, 32, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
func.func @attention_f16(%q: tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, %k: tensor<?x3x64x32xf16, #relax.shape<[g, 3, 64, 32]>>, %v: tensor<?x3x32x64xf16, #relax.shape<[g, 3, 32, 64]>>, %st: tensor<?xi32, #relax.shape<[b + 1]>>, %pt: tensor<?x?xi32, #relax.shape<[b, p]>>, %ca: tensor<?xi32, #relax.shape<[b]>>) -> (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>) {
  %r = relax.paged_attention %q, %k, %v, %st, %pt, %ca {scale = 1.250000e-01 : f64} : (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, tensor<?x3x64x32xf16, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x32x64xf16, #relax.shape<[g, 3, 32, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
  return %r : tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
}

// CHECK-LABEL: @attention_window
// CHECK: relax.paged_attention %arg0, %arg1, %arg2, %arg3, %arg4, %arg5 {scale = 1.250000e-01 : f64, soft_cap = 5.000000e+01 : f64, window = 512 : i64} : (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
func.func @attention_window(%q: tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, %k: tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, %v: tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>, %st: tensor<?xi32, #relax.shape<[b + 1]>>, %pt: tensor<?x?xi32, #relax.shape<[b, p]>>, %ca: tensor<?xi32, #relax.shape<[b]>>) -> (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>) {
  %r = relax.paged_attention %q, %k, %v, %st, %pt, %ca {scale = 1.250000e-01 : f64, soft_cap = 5.000000e+01 : f64, window = 512 : i64} : (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
  return %r : tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
}

// CHECK-LABEL: @rotary_table_scaled
// CHECK: relax.rotary_table %arg0 {base = 1.000000e+04 : f64, dims = 4 : i64, factors = array<f64: 1.000000e+00, 4.000000e+00>, scale = 1.250000e+00 : f64}
func.func @rotary_table_scaled(%p: tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x4xf32, #relax.shape<[t, 4]>> {
  %r = relax.rotary_table %p {base = 1.0e+04 : f64, dims = 4 : i64, factors = array<f64: 1.0, 4.0>, scale = 1.25 : f64} : (tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x4xf32, #relax.shape<[t, 4]>>
  return %r : tensor<?x4xf32, #relax.shape<[t, 4]>>
}
