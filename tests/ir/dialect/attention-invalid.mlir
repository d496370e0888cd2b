// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, %b: tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>, %c: tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>) {
  // expected-error @+2 {{relax.attention: dimension 3 of query [b, 8, t, 64] and dimension 3 of key [b, 2, s, 32] are never equal: 64 and 32}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.attention %a, %b, %c : (tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>, tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>) -> tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>
  return
}
// -----
func.func @f(%a: tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, %b: tensor<?x3x?x64xf32, #relax.shape<[b, 3, s, 64]>>, %c: tensor<?x3x?x64xf32, #relax.shape<[b, 3, s, 64]>>) {
  // expected-error @+2 {{relax.attention: the heads of key [b, 3, s, 64] and those of query [b, 8, t, 64] (dimension 1) never divide (first by second): 3 and 8}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.attention %a, %b, %c : (tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, tensor<?x3x?x64xf32, #relax.shape<[b, 3, s, 64]>>, tensor<?x3x?x64xf32, #relax.shape<[b, 3, s, 64]>>) -> tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>
  return
}
// -----
func.func @f(%a: tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, %b: tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, %c: tensor<?x2x?x32xf32, #relax.shape<[b, 2, s + 1, 32]>>) {
  // expected-error @+2 {{relax.attention: dimension 2 of key [b, 2, s, 64] and dimension 2 of value [b, 2, s + 1, 32] are never equal: s and s + 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.attention %a, %b, %c : (tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, tensor<?x2x?x32xf32, #relax.shape<[b, 2, s + 1, 32]>>) -> tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>
  return
}
// -----
func.func @f(%a: tensor<?x64xf32, #relax.shape<[t, 64]>>, %b: tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, %c: tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>) {
  // expected-error @+2 {{relax.attention: expected query of rank 4, found [t, 64]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.attention %a, %b, %c : (tensor<?x64xf32, #relax.shape<[t, 64]>>, tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  return
}
// -----
func.func @f(%a: tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, %b: tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, %c: tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>, %d: tensor<3x?x?xi1, #relax.shape<[3, t, s]>>) {
  // expected-error @+2 {{relax.attention: dimension 0 of mask [3, t, s] and dimension 1 of the scores [b, 8, t, s] are never equal: 3 and 8}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.attention %a, %b, %c, %d : (tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>, tensor<3x?x?xi1, #relax.shape<[3, t, s]>>) -> tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>
  return
}
// -----
func.func @f(%a: tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, %b: tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, %c: tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>, %d: tensor<1x1x1x1x?xi1, #relax.shape<[1, 1, 1, 1, s]>>) {
  // expected-error @+2 {{relax.attention: mask [1, 1, 1, 1, s] must broadcast to the scores [b, 8, t, s]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.attention %a, %b, %c, %d : (tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>, tensor<1x1x1x1x?xi1, #relax.shape<[1, 1, 1, 1, s]>>) -> tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>
  return
}
// -----
func.func @f(%a: tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, %b: tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, %c: tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>, %d: tensor<?x?xi32, #relax.shape<[t, s]>>) {
  // expected-error @+2 {{relax.attention: mask must have elements of i1, or of the scores' type, found i32}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.attention %a, %b, %c, %d : (tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>, tensor<?x?xi32, #relax.shape<[t, s]>>) -> tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>
  return
}
// -----
func.func @f(%a: tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, %b: tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, %c: tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>) {
  // expected-error @+2 {{relax.attention: window must be 0 (none) or more, found -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.attention %a, %b, %c {window = -1 : i64} : (tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>) -> tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>
  return
}
// -----
func.func @f(%a: tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, %b: tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, %c: tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>) {
  // expected-error @+2 {{relax.attention: window must be at most 2^60, found 9223372036854775807}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.attention %a, %b, %c {window = 9223372036854775807 : i64} : (tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>) -> tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>
  return
}
// -----
func.func @f(%a: tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, %b: tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, %c: tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>) {
  // expected-error @+2 {{relax.attention: causal_offset must be in [-2^60, 2^60], found 9223372036854775807}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.attention %a, %b, %c {causal, causal_offset = 9223372036854775807 : i64} : (tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>) -> tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>
  return
}
// -----
func.func @f(%a: tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, %b: tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, %c: tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>) {
  // expected-error @+2 {{relax.attention: causal_offset must be in [-2^60, 2^60], found -9223372036854775807}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.attention %a, %b, %c {causal, causal_offset = -9223372036854775807 : i64} : (tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>) -> tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>
  return
}
// -----
func.func @f(%a: tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, %b: tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, %c: tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>) {
  // expected-error @+2 {{relax.attention: softcap must be 0 (none) or more}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.attention %a, %b, %c {softcap = -1.0 : f64} : (tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, tensor<?x2x?x64xf32, #relax.shape<[b, 2, s, 64]>>, tensor<?x2x?x32xf32, #relax.shape<[b, 2, s, 32]>>) -> tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>
  return
}
// -----
func.func @f(%a: tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, %b: tensor<?x2x?x64xf16, #relax.shape<[b, 2, s, 64]>>, %c: tensor<?x2x?x32xf16, #relax.shape<[b, 2, s, 32]>>) {
  // expected-error @+2 {{relax.attention: the element types of query [b, 8, t, 64] and key [b, 2, s, 64] differ: f32 and f16}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.attention %a, %b, %c : (tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>, tensor<?x2x?x64xf16, #relax.shape<[b, 2, s, 64]>>, tensor<?x2x?x32xf16, #relax.shape<[b, 2, s, 32]>>) -> tensor<?x8x?x64xf32, #relax.shape<[b, 8, t, 64]>>
  return
}
