// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+1 {{relax.reshape: the element counts of [n, 4] and [n, 5] are not provably equal: 4 * n and 5 * n}}
  %r = relax.reshape %x : tensor<?x4xf32, #relax.shape<[n, 4]>> to tensor<?x5xf32, #relax.shape<[n, 5]>>
  return
}
// -----
func.func @f(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{relax.reshape: the element counts of [?, 4] and [n, 4] are not provably equal: ? and 4 * n}}
  %r = relax.reshape %x : tensor<?x4xf32> to tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+1 {{relax.reshape: the element type must stay}}
  %r = relax.reshape %x : tensor<?x4xf32, #relax.shape<[n, 4]>> to tensor<?x4xf16, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.permute: the permutation must name each dimension of [n, 4] once}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.permute %x {permutation = array<i64: 0, 0>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.permute: the permutation must name each dimension of [n, 4] once}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.permute %x {permutation = array<i64: 0>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.permute: the permutation must name each dimension of [n, 4] once}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.permute %x {permutation = array<i64: 0, 2>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%t: tensor<?x4xf32, #relax.shape<[n, 4]>>, %i: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+1 {{operand #1 must be rank-1 tensor of i32}}
  %r = relax.take %t, %i : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%t: tensor<f32>, %i: tensor<?xi32, #relax.shape<[n]>>) {
  // expected-error @+2 {{relax.take: expected a table of rank 1 or more}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.take %t, %i : (tensor<f32>, tensor<?xi32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return
}
// -----
func.func @f(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+1 {{relax.match_cast: the ranks differ: [n, 4] and [n]}}
  %r = relax.match_cast %x : tensor<?x4xf32, #relax.shape<[n, 4]>> to tensor<?xf32, #relax.shape<[n]>>
  return
}
// -----
func.func @f(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+1 {{relax.match_cast: dimension 1 of [n, 4] can never be 5}}
  %r = relax.match_cast %x : tensor<?x4xf32, #relax.shape<[n, 4]>> to tensor<?x5xf32, #relax.shape<[m, 5]>>
  return
}
// -----
func.func @f(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+1 {{relax.match_cast: the element type must stay}}
  %r = relax.match_cast %x : tensor<?x4xf32, #relax.shape<[n, 4]>> to tensor<?x4xf16, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+1 {{relax.match_cast: expected two tensors or two shapes}}
  %r = relax.match_cast %x : tensor<?x4xf32, #relax.shape<[n, 4]>> to !relax.object
  return
}
// -----
func.func @f(%x: !relax.shape<rank 2>) {
  // expected-error @+1 {{relax.match_cast: the ranks differ}}
  %r = relax.match_cast %x : !relax.shape<rank 2> to !relax.shape<[n]>
  return
}
// -----
func.func @f(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{'relax.shape_of' op inferred type(s) }}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.shape_of %x : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> !relax.shape<[4, n]>
  return
}
