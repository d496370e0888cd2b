// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f(%p: tensor<?xi32, #relax.shape<[t]>>) {
  // expected-error @+2 {{relax.rotary_table: dims must be positive and even, found 7}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.rotary_table %p {base = 1.0e+05 : f64, dims = 7 : i64} : (tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  return
}
// -----
func.func @f(%p: tensor<?xi32, #relax.shape<[t]>>) {
  // expected-error @+2 {{relax.rotary_table: base must be positive}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.rotary_table %p {base = 0.0 : f64, dims = 8 : i64} : (tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x64xf32, #relax.shape<[t, 64]>>
  return
}
// -----
func.func @f(%x: tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, %t: tensor<?x64xf32, #relax.shape<[u, 64]>>) {
  // expected-error @+2 {{relax.rotary: dimension 0 of x [t, 9, 64] must equal dimension 0 of table [u, 64]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.rotary %x, %t : (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, tensor<?x64xf32, #relax.shape<[u, 64]>>) -> tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
  return
}
// -----
func.func @f(%x: tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, %t: tensor<?x128xf32, #relax.shape<[t, 128]>>) {
  // expected-error @+2 {{relax.rotary: dimension 1 of table [t, 128] must be even and at most dimension 2 of x [t, 9, 64]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.rotary %x, %t : (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, tensor<?x128xf32, #relax.shape<[t, 128]>>) -> tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
  return
}
// -----
func.func @f(%k: tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, %u: tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, %st: tensor<?xi32, #relax.shape<[b + 1]>>, %pt: tensor<?x?xi32, #relax.shape<[b, p]>>, %ca: tensor<?xi32, #relax.shape<[b]>>) {
  // expected-error @+2 {{relax.update_slots: layout must be "keys" or "values", found "rows"}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.update_slots %k, %u, %st, %pt, %ca {layout = "rows"} : (tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>
  return
}
// -----
func.func @f(%k: tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, %u: tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, %st: tensor<?xi32, #relax.shape<[b + 1]>>, %pt: tensor<?x?xi32, #relax.shape<[b, p]>>, %ca: tensor<?xi32, #relax.shape<[b]>>) {
  // expected-error @+2 {{relax.update_slots: dimension 1 of pages [g, 3, 64, 32] must equal dimension 1 of values [t, 9, 64]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.update_slots %k, %u, %st, %pt, %ca {layout = "keys"} : (tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>
  return
}
// -----
func.func @f(%k: tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, %u: tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, %st: tensor<?xi32, #relax.shape<[b + 1]>>, %pt: tensor<?x?xi32, #relax.shape<[b, p]>>, %ca: tensor<?xi32, #relax.shape<[b]>>) {
  // expected-error @+2 {{relax.update_slots: dimension 3 of pages [g, 3, 64, 32] must equal dimension 2 of values [t, 3, 64]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.update_slots %k, %u, %st, %pt, %ca {layout = "values"} : (tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>
  return
}
// -----
func.func @f(%k: tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, %u: tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, %st: tensor<?xi32, #relax.shape<[b]>>, %pt: tensor<?x?xi32, #relax.shape<[b, p]>>, %ca: tensor<?xi32, #relax.shape<[b]>>) {
  // expected-error @+2 {{relax.update_slots: dimension 0 of sequence_starts [b] must be b + 1 (one more than the sequences of cached_lengths [b])}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.update_slots %k, %u, %st, %pt, %ca {layout = "keys"} : (tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, tensor<?xi32, #relax.shape<[b]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>
  return
}
// -----
func.func @f(%q: tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, %k: tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, %v: tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>, %st: tensor<?xi32, #relax.shape<[b + 1]>>, %pt: tensor<?x?xi32, #relax.shape<[c, p]>>, %ca: tensor<?xi32, #relax.shape<[b]>>) {
  // expected-error @+2 {{relax.paged_attention: dimension 0 of page_table [c, p] must equal dimension 0 of cached_lengths [b]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.paged_attention %q, %k, %v, %st, %pt, %ca {scale = 0.125 : f64} : (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[c, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
  return
}
// -----
func.func @f(%q: tensor<?x8x64xf32, #relax.shape<[t, 8, 64]>>, %k: tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, %v: tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>, %st: tensor<?xi32, #relax.shape<[b + 1]>>, %pt: tensor<?x?xi32, #relax.shape<[b, p]>>, %ca: tensor<?xi32, #relax.shape<[b]>>) {
  // expected-error @+2 {{relax.paged_attention: the 8 heads of q [t, 8, 64] must be a multiple of the 3 heads of k_pages [g, 3, 64, 32]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.paged_attention %q, %k, %v, %st, %pt, %ca {scale = 0.125 : f64} : (tensor<?x8x64xf32, #relax.shape<[t, 8, 64]>>, tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x8x64xf32, #relax.shape<[t, 8, 64]>>
  return
}
// -----
func.func @f(%q: tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, %k: tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, %st: tensor<?xi32, #relax.shape<[b + 1]>>, %pt: tensor<?x?xi32, #relax.shape<[b, p]>>, %ca: tensor<?xi32, #relax.shape<[b]>>) {
  // expected-error @+2 {{relax.paged_attention: dimension 2 of k_pages [g, 3, 64, 32] must equal dimension 3 of v_pages [g, 3, 64, 32]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.paged_attention %q, %k, %k, %st, %pt, %ca {scale = 0.125 : f64} : (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
  return
}
// -----
func.func @f(%q: tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, %k: tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, %v: tensor<?x3x32x64xf16, #relax.shape<[g, 3, 32, 64]>>, %st: tensor<?xi32, #relax.shape<[b + 1]>>, %pt: tensor<?x?xi32, #relax.shape<[b, p]>>, %ca: tensor<?xi32, #relax.shape<[b]>>) {
  // expected-error @+2 {{relax.paged_attention: k_pages and v_pages must have one element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.paged_attention %q, %k, %v, %st, %pt, %ca {scale = 0.125 : f64} : (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x32x64xf16, #relax.shape<[g, 3, 32, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
  return
}
// -----
func.func @f(%p: tensor<?xi32, #relax.shape<[t]>>) {
  // expected-error @+2 {{relax.rotary_table: factors must be 4, half of dims, found 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.rotary_table %p {base = 1.0 : f64, dims = 8 : i64, factors = array<f64: 1.0, 1.0, 1.0>} : (tensor<?xi32, #relax.shape<[t]>>) -> tensor<?x8xf32, #relax.shape<[t, 8]>>
  return
}
// -----
func.func @f(%q: tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, %k: tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, %v: tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>, %st: tensor<?xi32, #relax.shape<[b + 1]>>, %pt: tensor<?x?xi32, #relax.shape<[b, p]>>, %ca: tensor<?xi32, #relax.shape<[b]>>) {
  // expected-error @+2 {{relax.paged_attention: window must be positive}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.paged_attention %q, %k, %v, %st, %pt, %ca {scale = 0.125 : f64, window = 0 : i64} : (tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>, tensor<?x3x64x32xf32, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x32x64xf32, #relax.shape<[g, 3, 32, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x9x64xf32, #relax.shape<[t, 9, 64]>>
  return
}
// -----
func.func @f(%g: tensor<?x3x64x32xi8, #relax.shape<[g, 3, 64, 32]>>, %x: tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, %st: tensor<?xi32, #relax.shape<[b + 1]>>, %pt: tensor<?x?xi32, #relax.shape<[b, p]>>, %ca: tensor<?xi32, #relax.shape<[b]>>) {
  // expected-error @+2 {{relax.update_slots: dimension 2 of pages [g, 3, 64, 32] must be 68 (the bytes of 64 elements and their scales)}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.update_slots %g, %x, %st, %pt, %ca {layout = "keys"} : (tensor<?x3x64x32xi8, #relax.shape<[g, 3, 64, 32]>>, tensor<?x3x64xf32, #relax.shape<[t, 3, 64]>>, tensor<?xi32, #relax.shape<[b + 1]>>, tensor<?x?xi32, #relax.shape<[b, p]>>, tensor<?xi32, #relax.shape<[b]>>) -> tensor<?x3x64x32xi8, #relax.shape<[g, 3, 64, 32]>>
  return
}
