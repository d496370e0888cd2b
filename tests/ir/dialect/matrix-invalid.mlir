// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<?x576xf32, #relax.shape<[t, 576]>>, %b: tensor<1536x64xf32>) {
  // expected-error @+2 {{relax.matmul: dimension 1 of a [t, 576] and dimension 0 of b [1536, 64] are never equal: 576 and 1536; a is argument 0; b is argument 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.matmul %a, %b : (tensor<?x576xf32, #relax.shape<[t, 576]>>, tensor<1536x64xf32>) -> tensor<?x576xf32, #relax.shape<[t, 576]>>
  return
}
// -----
func.func @f(%a: tensor<?x576xf32, #relax.shape<[t, 576]>>, %b: tensor<1536x64xf32>) {
  // expected-error @+2 {{relax.matmul: dimension 1 of a [t, 576] and dimension 1 of b [1536, 64] are never equal: 576 and 64}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.matmul %a, %b {transpose_b} : (tensor<?x576xf32, #relax.shape<[t, 576]>>, tensor<1536x64xf32>) -> tensor<?x576xf32, #relax.shape<[t, 576]>>
  return
}
// -----
func.func @f(%a: tensor<576x?xf32, #relax.shape<[576, t]>>, %b: tensor<64x1536xf32>) {
  // expected-error @+2 {{relax.matmul: dimension 0 of a [576, t] and dimension 0 of b [64, 1536] are never equal: 576 and 64}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.matmul %a, %b {transpose_a} : (tensor<576x?xf32, #relax.shape<[576, t]>>, tensor<64x1536xf32>) -> tensor<576x?xf32, #relax.shape<[576, t]>>
  return
}
// -----
func.func @f(%a: tensor<?x?xf32, #relax.shape<[n, k]>>, %b: tensor<?x?xf32, #relax.shape<[k + 1, m]>>) {
  // expected-error @+2 {{relax.matmul: dimension 1 of a [n, k] and dimension 0 of b [k + 1, m] are never equal: k and k + 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.matmul %a, %b : (tensor<?x?xf32, #relax.shape<[n, k]>>, tensor<?x?xf32, #relax.shape<[k + 1, m]>>) -> tensor<?x?xf32, #relax.shape<[n, k]>>
  return
}
// -----
func.func @f(%a: tensor<?x5xf32, #relax.shape<[n, 5]>>, %b: tensor<f32>) {
  // expected-error @+2 {{relax.matmul: expected operands of rank 1 or more, found a [n, 5] and b []}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.matmul %a, %b : (tensor<?x5xf32, #relax.shape<[n, 5]>>, tensor<f32>) -> tensor<?x5xf32, #relax.shape<[n, 5]>>
  return
}
// -----
func.func @f(%a: tensor<?xf32, #relax.shape<[n]>>, %b: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.matmul: an operand of rank 1 has nothing to transpose: a is [n], b is [n, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.matmul %a, %b {transpose_a} : (tensor<?xf32, #relax.shape<[n]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return
}
// -----
func.func @f(%a: tensor<3x?x5xf32, #relax.shape<[3, n, 5]>>, %b: tensor<4x5x2xf32>) {
  // expected-error @+2 {{relax.matmul: dimension 0 of a [3] and dimension 0 of b [4] are never equal, and neither is 1: 3 and 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.matmul %a, %b : (tensor<3x?x5xf32, #relax.shape<[3, n, 5]>>, tensor<4x5x2xf32>) -> tensor<3x?x5xf32, #relax.shape<[3, n, 5]>>
  return
}
// -----
func.func @f(%a: tensor<?x5xf32, #relax.shape<[n, 5]>>, %b: tensor<5x2xf16>) {
  // expected-error @+2 {{relax.matmul: the element types of a [n, 5] and b [5, 2] differ: f32 and f16}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.matmul %a, %b : (tensor<?x5xf32, #relax.shape<[n, 5]>>, tensor<5x2xf16>) -> tensor<?x5xf32, #relax.shape<[n, 5]>>
  return
}
// -----
func.func @f(%a: tensor<?x5xi16, #relax.shape<[n, 5]>>, %b: tensor<5x2xi16>) {
  // expected-error @+2 {{relax.matmul: there is no product of elements of i16; expected f64, f32, f16, bf16, i32, i64, i8 or ui8}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.matmul %a, %b : (tensor<?x5xi16, #relax.shape<[n, 5]>>, tensor<5x2xi16>) -> tensor<?x5xi16, #relax.shape<[n, 5]>>
  return
}
// -----
func.func @f(%a: tensor<?x5xi1, #relax.shape<[n, 5]>>, %b: tensor<5x2xi1>) {
  // expected-error @+2 {{relax.matmul: there is no product of elements of i1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.matmul %a, %b : (tensor<?x5xi1, #relax.shape<[n, 5]>>, tensor<5x2xi1>) -> tensor<?x5xi1, #relax.shape<[n, 5]>>
  return
}
// -----
func.func @f(%a: tensor<?x5xf32, #relax.shape<[n, 5]>>, %b: tensor<5x2xf32>) {
  // expected-error @+2 {{relax.matmul: result_type gives f32 from f16 or bf16, f64 from f32, i64 from i32, i8 or ui8; found f16 from f32}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.matmul %a, %b {result_type = f16} : (tensor<?x5xf32, #relax.shape<[n, 5]>>, tensor<5x2xf32>) -> tensor<?x5xf32, #relax.shape<[n, 5]>>
  return
}
// -----
func.func @f(%a: tensor<?x5xf32, #relax.shape<[n, 5]>>, %b: tensor<4x2xf32>) {
  // expected-error @+2 {{relax.einsum: dimension 1 of operand 0 [n, 5] and dimension 0 of operand 1 [4, 2] are never equal: 5 and 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.einsum %a, %b {equation = "ij,jk->ik"} : (tensor<?x5xf32, #relax.shape<[n, 5]>>, tensor<4x2xf32>) -> tensor<?x5xf32, #relax.shape<[n, 5]>>
  return
}
// -----
func.func @f(%a: tensor<?x5xf32, #relax.shape<[n, 5]>>) {
  // expected-error @+2 {{relax.einsum: "ij,jk->ik" has 2 groups of letters, the op has 1 operands}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.einsum %a {equation = "ij,jk->ik"} : (tensor<?x5xf32, #relax.shape<[n, 5]>>) -> tensor<?x5xf32, #relax.shape<[n, 5]>>
  return
}
// -----
func.func @f(%a: tensor<?x5xf32, #relax.shape<[n, 5]>>, %b: tensor<5xf32>) {
  // expected-error @+2 {{relax.einsum: the group 'jk' of "ij,jk->ik" names 2 dimensions; operand 1 is [5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.einsum %a, %b {equation = "ij,jk->ik"} : (tensor<?x5xf32, #relax.shape<[n, 5]>>, tensor<5xf32>) -> tensor<?x5xf32, #relax.shape<[n, 5]>>
  return
}
// -----
func.func @f(%a: tensor<?x5xf32, #relax.shape<[n, 5]>>, %b: tensor<5x2xf32>) {
  // expected-error @+2 {{relax.einsum: the result of "ij,jk->il" names 'l', which no operand has}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.einsum %a, %b {equation = "ij,jk->il"} : (tensor<?x5xf32, #relax.shape<[n, 5]>>, tensor<5x2xf32>) -> tensor<?x5xf32, #relax.shape<[n, 5]>>
  return
}
// -----
func.func @f(%a: tensor<?x5xf32, #relax.shape<[n, 5]>>, %b: tensor<5x2xf32>) {
  // expected-error @+2 {{relax.einsum: the result of "ij,jk->ii" names 'i' twice}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.einsum %a, %b {equation = "ij,jk->ii"} : (tensor<?x5xf32, #relax.shape<[n, 5]>>, tensor<5x2xf32>) -> tensor<?x5xf32, #relax.shape<[n, 5]>>
  return
}
// -----
func.func @f(%a: tensor<?x5xf32, #relax.shape<[n, 5]>>, %b: tensor<5x2xf32>) {
  // expected-error @+2 {{relax.einsum: '1' in "i1,jk->i" is neither a letter nor '...'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.einsum %a, %b {equation = "i1,jk->i"} : (tensor<?x5xf32, #relax.shape<[n, 5]>>, tensor<5x2xf32>) -> tensor<?x5xf32, #relax.shape<[n, 5]>>
  return
}
// -----
func.func @f(%a: tensor<2x?x5xf32, #relax.shape<[2, n, 5]>>, %b: tensor<3x5x2xf32>) {
  // expected-error @+2 {{relax.einsum: dimension 0 of operand 0 [2] and dimension 0 of operand 1 [3] are never equal, and neither is 1: 2 and 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.einsum %a, %b {equation = "...ij,...jk->...ik"} : (tensor<2x?x5xf32, #relax.shape<[2, n, 5]>>, tensor<3x5x2xf32>) -> tensor<2x?x5xf32, #relax.shape<[2, n, 5]>>
  return
}
// -----
func.func @f(%a: tensor<2x?x5xf32, #relax.shape<[2, n, 5]>>) {
  // expected-error @+2 {{relax.einsum: the operands of "...ij->ij" have dimensions under '...', the result doesn't}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.einsum %a {equation = "...ij->ij"} : (tensor<2x?x5xf32, #relax.shape<[2, n, 5]>>) -> tensor<2x?x5xf32, #relax.shape<[2, n, 5]>>
  return
}
