// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>, %b: tensor<?x5xf32, #relax.shape<[n, 5]>>) {
  // expected-error @+2 {{relax.multiply: dimension 1 of lhs [n, 4] and dimension 1 of rhs [n, 5] are never equal, and neither is 1: 4 and 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.multiply %a, %b : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x5xf32, #relax.shape<[n, 5]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>, %b: tensor<?x4xf32, #relax.shape<[m, 4]>>) {
  // What n with m broadcast to isn't n.
  // expected-error @+2 {{'relax.add' op inferred type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.add %a, %b : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[m, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a: tensor<?x4xf32, #relax.shape<[n, 4]>>, %b: tensor<?x4xf32, #relax.shape<[n + 1, 4]>>) {
  // n = 0 and n + 1 = 1 is possible.
  %r = relax.divide %a, %b : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf32, #relax.shape<[n + 1, 4]>>) -> tensor<?x4xf32, #relax.shape<[n + 1 + min(n, 1) - min(n + 1, 1), 4]>>
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
func.func @f(%a: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of floating-point numbers}}
  %r = relax.exp %a : (tensor<4xi32>) -> tensor<4xi32>
  return
}
// -----
func.func @f(%a: tensor<4xi1>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of numbers}}
  %r = relax.add %a, %a : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return
}
// -----
func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of integers}}
  %r = relax.shift_left %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%a: tensor<4xi8>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of bool}}
  %r = relax.logical_and %a, %a : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return
}
// -----
func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{result #0 must be ranked tensor of bool}}
  %r = relax.equal %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%c: tensor<4xf32>, %x: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of bool}}
  %r = relax.where %c, %x, %x : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%c: tensor<3xi1>, %x: tensor<4xf32>) {
  // expected-error @+2 {{relax.where: dimension 0 of condition [3] and dimension 0 of x and y [4] are never equal, and neither is 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.where %c, %x, %x : (tensor<3xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{relax.clip: min must be f64, for the elements are floating-point numbers}}
  %r = relax.clip %x {min = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xui8>) {
  // expected-error @+1 {{relax.clip: max = 256 is no number of ui8}}
  %r = relax.clip %x {max = 256 : i64} : (tensor<4xui8>) -> tensor<4xui8>
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
