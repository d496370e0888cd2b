// RUN: relax-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a symbol, an integer or a parenthesis}}
func.func private @f() attributes {a = #relax.expr<n + >}
// -----
// expected-error @+1 {{there is no function 'log' of 1 operands}}
func.func private @f() attributes {a = #relax.expr<log(n)>}
// -----
// expected-error @+1 {{there is no function 'floordiv' of 3 operands}}
func.func private @f() attributes {a = #relax.expr<floordiv(n, 2, 3)>}
// -----
// expected-error @+1 {{'max' cannot be the name of a symbol}}
func.func private @f() attributes {a = #relax.expr<max + 1>}
// -----
// expected-error @+1 {{the shape [n] has 1 dimensions, the tensor has 2}}
func.func private @f(tensor<?x4xf32, #relax.shape<[n]>>)
// -----
// expected-error @+1 {{dimension 1 is 4 in the tensor, but 5 in its shape [n, 5]}}
func.func private @f(tensor<?x4xf32, #relax.shape<[n, 5]>>)
// -----
// expected-error @+1 {{dimension 0 is 3 in the tensor, but n in its shape [n, m]}}
func.func private @f(tensor<3x?xf32, #relax.shape<[n, m]>>)
// -----
// expected-error @+1 {{dimension 0 is dynamic in the tensor, but 3 in its shape [3, n]}}
func.func private @f(tensor<?x?xf32, #relax.shape<[3, n]>>)
// -----
// expected-error @+1 {{has no symbols, so the tensor must not repeat it}}
func.func private @f(tensor<3xf32, #relax.shape<[3]>>)
// -----
// expected-error @+1 {{a rank is from 0 to 256, found -1}}
func.func private @f(!relax.shape<rank -1>)
// -----
// expected-error @+1 {{[R1] the symbol 'n' is declared twice}}
func.func private @f() attributes {relax.symbols = #relax.symbols<n = [0, 1], n = [0, 2]>}
// -----
// expected-error @+1 {{[R1] the symbol 'n' has an empty range [2, 1]}}
func.func private @f() attributes {relax.symbols = #relax.symbols<n = [2, 1]>}
// -----
// expected-error @+1 {{[R1] the divisor of the symbol 'n' must be positive, found 0}}
func.func private @f() attributes {relax.symbols = #relax.symbols<n = [0, 1] divisor 0>}
// -----
// expected-error @+1 {{[R1] 'min' cannot be the name of a symbol}}
func.func private @f() attributes {relax.symbols = #relax.symbols<min = [0, 1]>}
// -----
// expected-error @+1 {{[R1] relax.symbols is a #relax.symbols attribute on a function}}
module attributes {relax.symbols = #relax.symbols<n = [0, 1]>} {}
// -----
// expected-error @+1 {{relax.target is a #relax.target attribute on a module}}
module attributes {relax.target = "x86"} {}
// -----
// expected-error @+1 {{vector_bits must be a power of two from 64 to 4096, found 100}}
module attributes {relax.target = #relax.target<"x", features = [], vector_bits = 100>} {}
// -----
// expected-error @+1 {{expected arena, alias or result, found heap}}
func.func private @f() attributes {a = #relax.storage<heap, 0>}
// -----
// expected-error @+1 {{[R3] relax.kernel_symbols is an array of strings}}
func.func private @f() attributes {relax.kernel_symbols = [0]}
// -----
// expected-error @+1 {{[R6] relax.donated of argument 0 is a unit attribute of a ranked tensor}}
func.func private @f(f32 {relax.donated})
// -----
// expected-error @+1 {{[R9] relax.values of argument 0 is a #relax.values on a tensor of i32}}
func.func private @f(tensor<4xf32> {relax.values = #relax.values<0, 4>})
// -----
// expected-error @+1 {{[R10] relax.ragged: `starts` must be the index of an argument; the function has 1}}
func.func private @f(tensor<4xi32>) attributes {relax.ragged = {starts = 1, cached = 0, limit = #relax.expr<1>, total = #relax.expr<1>}}
// -----
// expected-error @+1 {{[R10] relax.ragged: argument 0 (`starts`) must be a rank-1 tensor of i32}}
func.func private @f(tensor<4xf32>) attributes {relax.ragged = {starts = 0, cached = 0, limit = #relax.expr<1>, total = #relax.expr<1>}}
// -----
// expected-error @+1 {{[R10] relax.ragged: `limit` must be a #relax.expr}}
func.func private @f(tensor<4xi32>) attributes {relax.ragged = {starts = 0, cached = 0, limit = 4, total = #relax.expr<1>}}
