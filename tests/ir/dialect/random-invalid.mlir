// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f(%s: tensor<4xi64>) {
  // expected-error @+1 {{operand #0 must be tensor<2xi64>}}
  %r:2 = relax.random_uniform %s {shape = #relax.shape<[n]>, dtype = f32} : (tensor<4xi64>) -> (tensor<?xf32, #relax.shape<[n]>>, tensor<2xi64>)
  return
}
// -----
func.func @f(%s: tensor<2xi64>) {
  // expected-error @+2 {{relax.random_normal: dtype must be a floating-point type, found i32}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = relax.random_normal %s {shape = #relax.shape<[4]>, dtype = i32} : (tensor<2xi64>) -> (tensor<4xi32>, tensor<2xi64>)
  return
}
// -----
func.func @f(%s: tensor<2xi64>) {
  // expected-error @+1 {{relax.random_integers: low must be below high, found 3 and 3}}
  %r:2 = relax.random_integers %s {shape = #relax.shape<[4]>, dtype = i32, low = 3 : i64, high = 3 : i64} : (tensor<2xi64>) -> (tensor<4xi32>, tensor<2xi64>)
  return
}
// -----
func.func @f(%s: tensor<2xi64>) {
  // expected-error @+1 {{relax.random_integers: dtype can't hold the numbers from 0 up to 255}}
  %r:2 = relax.random_integers %s {shape = #relax.shape<[4]>, dtype = i8, low = 0 : i64, high = 256 : i64} : (tensor<2xi64>) -> (tensor<4xi8>, tensor<2xi64>)
  return
}
// -----
func.func @f(%s: tensor<2xi64>) {
  // expected-error @+1 {{relax.random_integers: high - low must be at most 2^32}}
  %r:2 = relax.random_integers %s {shape = #relax.shape<[4]>, dtype = i64, low = -9223372036854775808 : i64, high = 9223372036854775807 : i64} : (tensor<2xi64>) -> (tensor<4xi64>, tensor<2xi64>)
  return
}
// -----
func.func @f(%s: tensor<2xi64>) {
  // expected-error @+1 {{relax.random_bernoulli: probability must be within [0, 1], found 1.5}}
  %r:2 = relax.random_bernoulli %s {shape = #relax.shape<[4]>, dtype = i1, probability = 1.5 : f64} : (tensor<2xi64>) -> (tensor<4xi1>, tensor<2xi64>)
  return
}
