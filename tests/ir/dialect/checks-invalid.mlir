// RUN: relax-opt %s --relax-verify --split-input-file --verify-diagnostics

func.func @f(%t: tuple<tensor<4xf32>, tensor<5xf32>>) {
  // expected-error @+1 {{can never be tuple<tensor<4xf32>, tensor<6xf32>>: part 1: dimension 0 is 5, expected 6}}
  %0 = relax.match_cast %t : tuple<tensor<4xf32>, tensor<5xf32>> to tuple<tensor<4xf32>, tensor<6xf32>>
  return
}
// -----
func.func @f(%t: tensor<4x!relax.any>) {
  // expected-error @+1 {{relax.match_cast: a value of type [4] can never be [4, 4]: the rank is 1, expected 2}}
  %0 = relax.match_cast %t : tensor<4x!relax.any> to tensor<4x4xf32>
  return
}
// -----
func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{relax.erase: a value of type [?] is not provably [4]: dimension 0 is ?, expected 4; relax.match_cast checks}}
  %0 = relax.erase %x : tensor<?xf32> to tensor<4xf32>
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{relax.guard: rows: equal of 4 and 5 can never hold}}
  relax.guard <equal, 4, 5> "rows"
  return
}
// -----
// expected-error @+2 {{expected equal, less_equal, divides or broadcast, found greater}}
func.func @f() {
  relax.guard <greater, 4, 5> "rows"
  return
}
// -----
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{relax.check_values: the elements must be integers}}
  relax.check_values %x <0, 4> {what = "take"} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{[R16] nothing determines the new symbol 'a' of 'tensor<?xf32, #relax.shape<[a + b]>>'; it must be a dimension of its own, or in one that can be solved for it}}
  %0 = relax.match_cast %x : tensor<?xf32> to tensor<?xf32, #relax.shape<[a + b]>>
  return
}
// -----
func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{[R16] nothing determines the new symbol 'a'}}
  %0 = relax.match_cast %x : tensor<?xf32> to tensor<?xf32, #relax.shape<[floordiv(a, 2)]>>
  return
}
// -----
func.func @f(%x: tensor<8xi64>, %c: tensor<i64>) {
  // expected-note @+1 {{introduced here}}
  %0 = relax.prefix %x, %c {symbol = "u"} : (tensor<8xi64>, tensor<i64>) -> tensor<?xi64, #relax.shape<[u]>>
  // expected-error @+1 {{[R15] the symbol 'u' has a value already}}
  %1 = relax.prefix %x, %c {symbol = "u"} : (tensor<8xi64>, tensor<i64>) -> tensor<?xi64, #relax.shape<[u]>>
  return
}
// -----
func.func @f(%x: tensor<8xi64>, %c: tensor<i64>) {
  %0 = relax.prefix %x, %c {symbol = "u"} : (tensor<8xi64>, tensor<i64>) -> tensor<?xi64, #relax.shape<[u]>>
  // expected-error @+1 {{[R18] enough rows: 'less_equal' of 9 and u never holds for the symbols of this function; u = 0 makes them 9 and 0}}
  relax.guard <less_equal, 9, u> "enough rows"
  return
}
// -----
// A mask for 9 tokens and a sequence of at most 8: refused when compiled.
func.func @f(%x: tensor<?xf32, #relax.shape<[n]>>, %m: tensor<?xf32, #relax.shape<[m]>>)
    attributes {relax.symbols = #relax.symbols<n = [2, 8], m = [9, 16]>} {
  // expected-error @+1 {{[R18] dimension 0 of lhs [n] and dimension 0 of rhs [m]: 'broadcast' of n and m never holds for the symbols of this function; m = 9, n = 2 makes them 2 and 9}}
  %0 = relax.add %x, %m : (tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[min(m, n, 1) - min(max(m, n), 1) + max(m, n)]>>
  return
}
// -----
func.func @f(%a: tensor<3xf32>, %b: tensor<4xf32>) {
  // expected-note @+1 {{lhs [3] comes from here}}
  %0 = relax.exp %a : (tensor<3xf32>) -> tensor<3xf32>
  // expected-error @+2 {{relax.add: dimension 0 of lhs [3] and dimension 0 of rhs [4] are never equal, and neither is 1: 3 and 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %1 = relax.add %0, %b : (tensor<3xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%v: tensor<2xi64>) {
  // expected-error @+2 {{relax.tensor_to_shape: names 1 symbols for the elements of [2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = relax.tensor_to_shape %v {symbols = ["a"]} : (tensor<2xi64>) -> !relax.shape<[a]>
  return
}
// -----
func.func @f(%x: tensor<4xf32>) {
  %0 = relax.shape <[5]>
  // expected-error @+2 {{relax.reshape_to: the element counts of [4] and [5] are never equal: 4 and 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %1 = relax.reshape_to %x, %0 : (tensor<4xf32>, !relax.shape<[5]>) -> tensor<5xf32>
  return
}
// -----
func.func @f(%x: tensor<?xf32, #relax.shape<[n]>>, %k: !relax.shape<[k]>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?], k = [0, ?]>} {
  %0 = relax.match_cast %x : tensor<?xf32, #relax.shape<[n]>> to tensor<?xf32, #relax.shape<[2 * h]>>
  // expected-error @+1 {{[R18] an odd extent: 'equal' of n and 2 * k + 1 never holds}}
  relax.guard <equal, n, 2 * k + 1> "an odd extent"
  return
}
// -----
// In a branch too: a type is no size.
func.func @f(%x: tensor<4xf32>, %c: tensor<i1>) {
  relax.if %c : tensor<i1> {
    // expected-error @+1 {{relax.match_cast: a value of type [4] can never be [4, 4]: the rank is 1, expected 2}}
    %0 = relax.match_cast %x : tensor<4xf32> to tensor<4x4xf32>
    relax.yield
  } else {
    relax.yield
  }
  return
}
