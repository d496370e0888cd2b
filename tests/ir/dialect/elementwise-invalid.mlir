// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>, %b: tensor<?x4xf32, #relax.shape<[m, 4]>>) {
  // expected-error @+2 {{relax.add: dimension 0 of lhs [n, 4] and dimension 0 of rhs [m, 4] are neither provably equal nor 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.add %a, %b : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[m, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>, %b: tensor<?x5xf32, #relax.shape<[n, 5]>>) {
  // expected-error @+2 {{relax.multiply: dimension 1 of lhs [n, 4] and dimension 1 of rhs [n, 5] are neither provably equal nor 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.multiply %a, %b : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x5xf32, #relax.shape<[n, 5]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>, %b: tensor<?x4xf32, #relax.shape<[2 * n, 4]>>) {
  // expected-error @+2 {{relax.divide: dimension 0 of lhs [n, 4] and dimension 0 of rhs [2 * n, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.divide %a, %b : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[2 * n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a: tensor<?x4xf32>) {
  // expected-error @+2 {{relax.add: dimension 0 of lhs [?, 4] and dimension 0 of rhs [?, 4] are neither provably equal nor 1; name the unknown dimension by relax.match_cast}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.add %a, %a : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}
// -----
func.func @f(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>, %b: tensor<?x4xf16, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.maximum: the operands' element types differ: f32 and f16}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.maximum %a, %b : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf16, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a: tensor<?xi32, #relax.shape<[n]>>) {
  // expected-error @+2 {{relax.divide: the elements must be floating-point numbers}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.divide %a, %a : (tensor<?xi32, #relax.shape<[n]>>, tensor<?xi32, #relax.shape<[n]>>) -> tensor<?xi32, #relax.shape<[n]>>
  return
}
// -----
func.func @f(%a: tensor<?xi32, #relax.shape<[n]>>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of floating-point numbers}}
  %r = relax.exp %a : (tensor<?xi32, #relax.shape<[n]>>) -> tensor<?xi32, #relax.shape<[n]>>
  return
}
// -----
func.func @f(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{'relax.add' op inferred type(s) }}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.add %a, %a : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[m, 4]>>
  return
}
// -----
func.func @f(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+1 {{relax.cast: the result has the shape [m, 4], the operand [n, 4]}}
  %r = relax.cast %a : tensor<?x4xf32, #relax.shape<[n, 4]>> to tensor<?x4xf16, #relax.shape<[m, 4]>>
  return
}
