// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.permute: the permutation must name each dimension of [n, 4] once}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.permute %a0 {permutation = array<i64: 0, 0>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.permute: the permutation must name each dimension of [n, 4] once}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.permute %a0 {permutation = array<i64: 0>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.permute: the permutation must name each dimension of [n, 4] once}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.permute %a0 {permutation = array<i64: 0, 2>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.permute: the permutation must name each dimension of [n, 4] once}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.permute %a0 {permutation = array<i64: -3, 0>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.broadcast_to: dimension 1 of x [n, 4] and that of the shape [n, 5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.broadcast_to %a0 {shape = #relax.shape<[n, 5]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x5xf32, #relax.shape<[n, 5]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.broadcast_to: x [n, 4] has more dimensions than the shape [4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.broadcast_to %a0 {shape = #relax.shape<[4]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.view: the shape [-1, -1] leaves more than one dimension open}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.view %a0 {shape = #relax.shape<[-1, -1]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.view: x [n, 4] has no dimension 2, which the 0 in the shape [n, 4, 0] refers to}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.view %a0 {shape = #relax.shape<[n, 4, 0]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.view: the shape [n, -2] has a negative dimension}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.view %a0 {shape = #relax.shape<[n, -2]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<3x5xf32>) {
  // expected-error @+2 {{relax.view: the element counts of [3, 5] and [-1, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.view %a0 {shape = #relax.shape<[-1, 4]>} : (tensor<3x5xf32>) -> tensor<3x4xf32>
  return
}
// -----
func.func @f(%a0: tensor<3x5xf32>) {
  // expected-error @+2 {{relax.view: the element counts of [3, 5] and [4, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.view %a0 {shape = #relax.shape<[4, 4]>} : (tensor<3x5xf32>) -> tensor<4x4xf32>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.squeeze: dimension 1 of x [n, 4] and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.squeeze %a0 {axes = array<i64: 1>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.squeeze: axis 2 is not one of [n, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.squeeze %a0 {axes = array<i64: 2>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return
}
// -----
func.func @f(%a0: tensor<1x1xf32>) {
  // expected-error @+2 {{relax.squeeze: axis -2 of [1, 1] is named twice}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.squeeze %a0 {axes = array<i64: 0, -2>} : (tensor<1x1xf32>) -> tensor<1xf32>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.unsqueeze: the axes must be different places of the result, which has 4 dimensions; found -4}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.unsqueeze %a0 {axes = array<i64: 0, -4>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<1x?x4x1xf32, #relax.shape<[1, n, 4, 1]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.flatten: start_axis 1 is behind end_axis 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.flatten %a0 {start_axis = 1 : i64, end_axis = 0 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.flatten: axis 2 is not one of [n, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.flatten %a0 {start_axis = 2 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?x5xf32, #relax.shape<[n, 5]>>) {
  // expected-error @+2 {{relax.concat: dimension 1 of operand 0 [n, 4] and dimension 1 of operand 1 [n, 5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.concat %a0, %a1 {axis = 0 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x5xf32, #relax.shape<[n, 5]>>) -> tensor<?x4xf32, #relax.shape<[2 * n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?xf32, #relax.shape<[n]>>) {
  // expected-error @+2 {{relax.concat: the ranks of operands 0 [n, 4] and 1 [n] differ}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.concat %a0, %a1  : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?xf32, #relax.shape<[n]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?x4xf16, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.concat: the element types of operands 0 and 1 differ: f32 and f16}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.concat %a0, %a1  : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x4xf16, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[2 * n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.concat: axis 2 is not one of [n, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.concat %a0 {axis = 2 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<?x5xf32, #relax.shape<[n, 5]>>) {
  // expected-error @+2 {{relax.stack: dimension 1 of operand 0 [n, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.stack %a0, %a1  : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<?x5xf32, #relax.shape<[n, 5]>>) -> tensor<2x?x4xf32, #relax.shape<[2, n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.stack: the axis must be in [-3, 3), found 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.stack %a0 {axis = 3 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4x1xf32, #relax.shape<[n, 4, 1]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.split: dimension 1 of x [n, 4] and the sum of the sizes [1, 2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = relax.split %a0 {axis = 1 : i64, sizes = #relax.shape<[1, 2]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x1xf32, #relax.shape<[n, 1]>>, tensor<?x2xf32, #relax.shape<[n, 2]>>)
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.split: 0 and the part of size -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = relax.split %a0 {axis = 1 : i64, sizes = #relax.shape<[-1, 5]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x1xf32, #relax.shape<[n, 1]>>, tensor<?x5xf32, #relax.shape<[n, 5]>>)
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.split: the sections 3 and dimension 1 of x [n, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:3 = relax.split %a0 {axis = 1 : i64, sections = 3 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x1xf32, #relax.shape<[n, 1]>>, tensor<?x1xf32, #relax.shape<[n, 1]>>, tensor<?x1xf32, #relax.shape<[n, 1]>>)
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.split: expected either sizes or sections}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.split %a0 {axis = 1 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.split: sections must be in [1, 2^20], found 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.split %a0 {sections = 0 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.split: sections must be in [1, 2^20], found 9223372036854775807}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.split %a0 {sections = 9223372036854775807 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{op inferred type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:3 = relax.split %a0 {axis = 1 : i64, sections = 2 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> (tensor<?x2xf32, #relax.shape<[n, 2]>>, tensor<?x2xf32, #relax.shape<[n, 2]>>, tensor<?x2xf32, #relax.shape<[n, 2]>>)
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.narrow: start + length 5 and dimension 1 of x [n, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.narrow %a0 {axis = 1 : i64, start = #relax.expr<3>, length = #relax.expr<2>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x2xf32, #relax.shape<[n, 2]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.narrow: 0 and start -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.narrow %a0 {axis = 1 : i64, start = #relax.expr<-1>, length = #relax.expr<2>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x2xf32, #relax.shape<[n, 2]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.slice: a step must not be 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.slice %a0 {axes = array<i64: 1>, starts = #relax.shape<[0]>, ends = #relax.shape<[2]>, steps = array<i64: 0>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x2xf32, #relax.shape<[n, 2]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.slice: starts [0, 1] must have 1 entries, one for each axis}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.slice %a0 {axes = array<i64: 1>, starts = #relax.shape<[0, 1]>, ends = #relax.shape<[2]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x2xf32, #relax.shape<[n, 2]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.slice: starts [?] must be known}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.slice %a0 {axes = array<i64: 1>, starts = #relax.shape<[?]>, ends = #relax.shape<[2]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x2xf32, #relax.shape<[n, 2]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.slice: axis 1 of [n, 4] is named twice}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.slice %a0 {axes = array<i64: 1, 1>, starts = #relax.shape<[0, 0]>, ends = #relax.shape<[2, 2]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x2xf32, #relax.shape<[n, 2]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.slice: expected 1 steps, one for each axis, found 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.slice %a0 {axes = array<i64: 1>, starts = #relax.shape<[0]>, ends = #relax.shape<[2]>, steps = array<i64: 1, 1>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x2xf32, #relax.shape<[n, 2]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{op inferred type(s) 'tensor<?x4xf32, #relax.shape<[max(n - 2, 0), 4]>>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.slice %a0 {axes = array<i64: 0>, starts = #relax.shape<[1]>, ends = #relax.shape<[-1]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n - 2, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<1xi32>) {
  // expected-error @+2 {{relax.dynamic_slice: dimension 0 of starts [1] and the number of axes}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.dynamic_slice %a0, %a1 {sizes = #relax.shape<[n, 5]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<1xi32>) -> tensor<?x5xf32, #relax.shape<[n, 5]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<2xi32>) {
  // expected-error @+2 {{relax.dynamic_slice: the size 5 and dimension 1 of x [n, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.dynamic_slice %a0, %a1 {sizes = #relax.shape<[n, 5]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<2xi32>) -> tensor<?x5xf32, #relax.shape<[n, 5]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<2xf32>) {
  // expected-error @+1 {{operand #1 must be rank-1 tensor of i32 or i64}}
  %r = relax.dynamic_slice %a0, %a1 {sizes = #relax.shape<[n, 4]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<2xf32>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<1xi64>, %a2: tensor<1xi64>) {
  // expected-error @+2 {{relax.dynamic_strided_slice: expected 1 symbols, one for each axis, found 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.dynamic_strided_slice %a0, %a1, %a2 {axes = array<i64: 0>, symbols = ["u", "v"]} : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xf32, #relax.shape<[u, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<1xi64>, %a2: tensor<1xi64>) {
  // expected-error @+2 {{relax.dynamic_strided_slice: "min" can't be the name of a symbol}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.dynamic_strided_slice %a0, %a1, %a2 {axes = array<i64: 0>, symbols = ["min"]} : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xf32, #relax.shape<[u, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<1xi64>, %a2: tensor<1xi32>) {
  // expected-error @+2 {{relax.dynamic_strided_slice: starts and ends must have one element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.dynamic_strided_slice %a0, %a1, %a2 {axes = array<i64: 0>, symbols = ["u"]} : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<1xi64>, tensor<1xi32>) -> tensor<?x4xf32, #relax.shape<[u, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<2xi64>, %a1: tensor<1xi64>) {
  // expected-error @+2 {{relax.slice_bounds: dimension 0 of ends [1] and the number of steps are never equal: 1 and 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = relax.slice_bounds %a0, %a1 {dims = #relax.shape<[n, n]>, steps = array<i64: 1, 1>} : (tensor<2xi64>, tensor<1xi64>) -> (tensor<2xi64>, tensor<2xi64>)
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.pad: low [0] must have 2 entries, one for each dimension}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.pad %a0 {low = #relax.shape<[0]>, high = #relax.shape<[0, 0]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.pad: 0 and what is left of dimension 1 of x [n, 4] with -5 more}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.pad %a0 {low = #relax.shape<[0, -3]>, high = #relax.shape<[0, -2]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.pad: mode must be constant, edge, reflect or wrap, found symmetric}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.pad %a0 {low = #relax.shape<[0, 0]>, high = #relax.shape<[0, 0]>, mode = "symmetric"} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<0x4xf32>) {
  // expected-error @+2 {{relax.pad: 1, as mode edge copies elements, and dimension 0 of x [0, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.pad %a0 {low = #relax.shape<[1, 0]>, high = #relax.shape<[0, 0]>, mode = "edge"} : (tensor<0x4xf32>) -> tensor<1x4xf32>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<f32>) {
  // expected-error @+2 {{relax.pad: mode edge takes no value}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.pad %a0, %a1 {low = #relax.shape<[0, 0]>, high = #relax.shape<[0, 0]>, mode = "edge"} : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<f32>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>, %a1: tensor<1xf32>) {
  // expected-error @+2 {{relax.pad: value must be a scalar of x's element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.pad %a0, %a1 {low = #relax.shape<[0, 0]>, high = #relax.shape<[0, 0]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>, tensor<1xf32>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.tile: repeats [2] must have 2 entries, one for each dimension}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.tile %a0 {repeats = #relax.shape<[2]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.tile: 0 and the repeats -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.tile %a0 {repeats = #relax.shape<[2, -1]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.repeat: 0 and the repeats -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.repeat %a0 {repeats = #relax.expr<-1>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.repeat: axis 2 is not one of [n, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.repeat %a0 {repeats = #relax.expr<2>, axis = 2 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.flip: axis 2 is not one of [n, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.flip %a0 {axes = array<i64: 2>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.roll: shifts [1, 2] must have 1 entries, one for each axis}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.roll %a0 {axes = array<i64: 0>, shifts = #relax.shape<[1, 2]>} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x6x2x2xf32, #relax.shape<[n, 6, 2, 2]>>) {
  // expected-error @+2 {{relax.depth_to_space: 4 and dimension 1 of x [n, 6, 2, 2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.depth_to_space %a0 {block_size = 2 : i64} : (tensor<?x6x2x2xf32, #relax.shape<[n, 6, 2, 2]>>) -> tensor<?x1x4x4xf32, #relax.shape<[n, 1, 4, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{relax.depth_to_space: x must be [N, C, H, W], found [n, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.depth_to_space %a0 {block_size = 2 : i64} : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x4x2x2xf32, #relax.shape<[n, 4, 2, 2]>>) {
  // expected-error @+2 {{relax.depth_to_space: mode must be DCR or CRD, found RGB}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.depth_to_space %a0 {block_size = 2 : i64, mode = "RGB"} : (tensor<?x4x2x2xf32, #relax.shape<[n, 4, 2, 2]>>) -> tensor<?x1x4x4xf32, #relax.shape<[n, 1, 4, 4]>>
  return
}
// -----
func.func @f(%a0: tensor<?x1x3x2xf32, #relax.shape<[n, 1, 3, 2]>>) {
  // expected-error @+2 {{relax.space_to_depth: 2 and dimension 2 of x [n, 1, 3, 2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.space_to_depth %a0 {block_size = 2 : i64} : (tensor<?x1x3x2xf32, #relax.shape<[n, 1, 3, 2]>>) -> tensor<?x4x1x1xf32, #relax.shape<[n, 4, 1, 1]>>
  return
}
// -----
func.func @f(%a0: tensor<?x1x2x2xf32, #relax.shape<[n, 1, 2, 2]>>) {
  // expected-error @+2 {{relax.space_to_depth: block_size must be in [1, 2^20], found 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.space_to_depth %a0 {block_size = 0 : i64} : (tensor<?x1x2x2xf32, #relax.shape<[n, 1, 2, 2]>>) -> tensor<?x1x2x2xf32, #relax.shape<[n, 1, 2, 2]>>
  return
}
