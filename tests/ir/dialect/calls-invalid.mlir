// RUN: relax-opt %s --relax-verify --split-input-file --verify-diagnostics

// expected-note @+1 {{the callee, of type '(tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[n]>>) -> ()', is from here}}
func.func private @g(tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[n]>>) attributes {relax.symbols = #relax.symbols<n = [0, ?]>}
func.func @mask(%x: tensor<9xf32>, %y: tensor<8xf32>) {
  // expected-note @+1 {{operand 1 comes from here}}
  %m = relax.exp %y : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error @+1 {{[R5] operand 1 of type 'tensor<8xf32>' does not match the callee's 'tensor<?xf32, #relax.shape<[n]>>': dimension 0: expected 9 (n), found 8}}
  relax.call @g(%x, %m) : (tensor<9xf32>, tensor<8xf32>) -> ()
  return
}
// -----
// expected-note @+1 {{the callee}}
func.func private @g(tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[n * m]>>, tensor<?xf32, #relax.shape<[m]>>) attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>}
func.func @late(%x: tensor<16xf32>, %y: tensor<255xf32>) {
  // expected-error @+1 {{[R5] does not match the callee's parameters: operand 1, dimension 0: expected 256 (m * n), found 255}}
  relax.call @g(%x, %y, %x) : (tensor<16xf32>, tensor<255xf32>, tensor<16xf32>) -> ()
  return
}
// -----
func.func private @g(tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[2 * n]>> attributes {relax.symbols = #relax.symbols<n = [0, ?]>}
func.func @result(%x: tensor<4xf32>) {
  // expected-error @+1 {{[R5] result 0 must have type 'tensor<8xf32>', found 'tensor<?xf32>'}}
  %0 = relax.call @g(%x) : (tensor<4xf32>) -> tensor<?xf32>
  return
}
// -----
func.func private @g(tensor<4xf32>) attributes {relax.impure}
func.func @f(%x: tensor<4xf32>) attributes {relax.impure} {
  // expected-error @+1 {{[R5] @g is relax.impure, so its calls are `impure`}}
  relax.call @g(%x) : (tensor<4xf32>) -> ()
  return
}
// -----
func.func private @g(tensor<4xf32>) attributes {relax.impure}
func.func @f() {
  // expected-error @+1 {{[R5] @g is relax.impure; functions that are values are pure}}
  %0 = relax.function @g : (tensor<4xf32>) -> ()
  return
}
// -----
func.func private @g(tensor<4xf32>) -> tensor<4xf32>
func.func @f() {
  // expected-error @+1 {{[R5] @g of type '(tensor<4xf32>) -> tensor<4xf32>' is not a '(tensor<4xf32>) -> tensor<5xf32>': result 0: dimension 0 is 4, expected 5}}
  %0 = relax.function @g : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// -----
// A function that takes less cannot stand for one that takes more.
func.func private @g(tensor<4xf32>) -> tensor<4xf32>
func.func @f() {
  // expected-error @+1 {{[R5] @g of type}}
  %0 = relax.function @g : (tensor<?xf32>) -> tensor<4xf32>
  return
}
// -----
// expected-note @+1 {{the callee}}
func.func @f(%g: (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>, %x: tensor<4xi32>) {
  // expected-error @+1 {{[R5] operand 0 of type 'tensor<4xi32>' does not match the callee's}}
  %0 = relax.call_indirect %g(%x) : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>, (tensor<4xi32>) -> tensor<4xf32>
  return
}
// -----
// expected-error @+1 {{[R17] has effects and must be relax.impure}}
func.func @f(%x: tensor<4xf32>) {
  // expected-note @+1 {{this op has effects}}
  relax.call_packed "log"(%x) : (tensor<4xf32>) -> ()
  return
}
// -----
// expected-error @+1 {{[R19] the symbol 'n' is only inside expressions of the parameters, so no call can give it a value; add a parameter of type !relax.shape<[n]>}}
func.func @f(%x: tensor<?xf32, #relax.shape<[2 * n]>>) attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  return
}
// -----
func.func @f(%x: tensor<?xf32, #relax.shape<[2 * n]>>, %s: !relax.shape<[n]>) attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  return
}
// -----
func.func @f(%t: tuple<tensor<4xf32>>) {
  // expected-error @+2 {{relax.tuple_get: there is no part 1 in a tuple of 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = relax.tuple_get %t {index = 1} : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  return
}
// -----
// The same for functions that are values.
// expected-error @+1 {{[R19] the symbol 'k' is only inside expressions of the parameters of a function in tuple<(tensor<?xf32, #relax.shape<[2 * k]>>) -> ()>, so no call can give it a value}}
func.func @f(%t: tuple<(tensor<?xf32, #relax.shape<[2 * k]>>) -> ()>) {
  return
}
// -----
// expected-error @+1 {{a rank is from 0 to 256, found 99999999999}}
func.func @f(%t: !relax.shape<rank 99999999999>) {
  return
}
// -----
func.func @f(%t: tensor<100000000000xi64>) {
  // expected-error @+2 {{relax.tensor_to_shape: a shape has at most 256 dimensions, x has 100000000000 elements}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = relax.tensor_to_shape %t : (tensor<100000000000xi64>) -> !relax.shape<*>
  return
}
// -----
// A sequence of 600 where 512 is the most.
// expected-note @+1 {{declared here: #relax.symbols<n = [0, 512]>}}
func.func private @g(tensor<?xf32, #relax.shape<[n]>>) attributes {relax.symbols = #relax.symbols<n = [0, 512]>}
func.func @f(%x: tensor<600xf32>) {
  // expected-error @+1 {{[R18] gives the symbol 'n' of @g the value 600, which can never lie in its range}}
  relax.call @g(%x) : (tensor<600xf32>) -> ()
  return
}
// -----
// expected-note @+1 {{declared here}}
func.func private @g(tensor<?xf32, #relax.shape<[n]>>) attributes {relax.symbols = #relax.symbols<n = [0, ?] divisor 16>}
func.func @f(%x: tensor<?xf32, #relax.shape<[16 * k + 8]>>, %s: !relax.shape<[k]>) attributes {relax.symbols = #relax.symbols<k = [0, ?]>} {
  // expected-error @+1 {{[R18] gives the symbol 'n' of @g the value 16 * k + 8, which can never lie in its range}}
  relax.call @g(%x) : (tensor<?xf32, #relax.shape<[16 * k + 8]>>) -> ()
  return
}
// -----
// In a branch it is an error when it is taken.
func.func private @g(tensor<?xf32, #relax.shape<[n]>>) attributes {relax.symbols = #relax.symbols<n = [0, 512]>}
func.func @f(%x: tensor<600xf32>, %c: tensor<i1>) {
  relax.if %c : tensor<i1> {
    relax.call @g(%x) : (tensor<600xf32>) -> ()
    relax.yield
  } else {
    relax.yield
  }
  return
}
