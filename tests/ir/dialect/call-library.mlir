// RUN: relax-opt %s --split-input-file --verify-diagnostics

// A library call with an alternative: by the sizes, one or the other.
func.func @right(%x: tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %y = relax.call_library "f"(%x) {otherwise = @g, when = [#relax.expr<n>], at_least = array<i64: 3>,
      tuned = {at_least = array<i64: 2>, version = "1", cpu = "c"}}
      : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return %y : tensor<?xf32, #relax.shape<[n]>>
}
func.func private @g(tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[m]>>
    attributes {relax.symbols = #relax.symbols<m = [0, ?]>}

// -----

func.func @counts(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{[R22] has 1 expressions in `when`, but 2 numbers in `at_least`}}
  %y = relax.call_library "f"(%x) {otherwise = @counts, when = [#relax.expr<3>], at_least = array<i64: 3, 4>} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @alone(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{[R22] says when it is called, but not what is called `otherwise`}}
  %y = relax.call_library "f"(%x) {when = [#relax.expr<3>], at_least = array<i64: 3>} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @tuned(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{[R22] `tuned` needs at_least with 1 numbers, version and cpu}}
  %y = relax.call_library "f"(%x) {otherwise = @tuned, when = [#relax.expr<3>], at_least = array<i64: 3>,
      tuned = {at_least = array<i64: 3>, version = "1"}} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @missing(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{[R22] `otherwise` is @nowhere, which is not a function}}
  %y = relax.call_library "f"(%x) {otherwise = @nowhere} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-note @+1 {{the callee, of type}}
func.func private @other(tensor<5xf32>) -> tensor<5xf32>
func.func @types(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{[R5]}}
  %y = relax.call_library "f"(%x) {otherwise = @other} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func private @other(tensor<4xf32>) -> tensor<4xf32> attributes {relax.impure}
func.func @effects(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{[R22] `otherwise` is @other, a graph function: it must be pure, and takes no symbols}}
  %y = relax.call_library "f"(%x) {otherwise = @other} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func private @k(%x: tensor<?xf32, #relax.shape<[s0]>>) -> tensor<?xf32, #relax.shape<[s0]>>
    attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
  return %x : tensor<?xf32, #relax.shape<[s0]>>
}
func.func @symbols(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{[R4] gives 0 symbols; @k has 1}}
  %y = relax.call_library "f"(%x) {otherwise = @k} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
