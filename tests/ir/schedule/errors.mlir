// RUN: relax-opt %s --relax-schedule-kernels --split-input-file --verify-diagnostics

// expected-error @below {{no schedule strategy takes this program}}
func.func private @concat(%x: tensor<4xf32>) -> tensor<8xf32> attributes {relax.kernel, relax.kernel_symbols = []} {
  // expected-note @below {{'tensor.concat' is not understood here}}
  %y = tensor.concat dim(0) %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// expected-error @below {{a tensor program needs every dimension as an expression over its symbols; found 'tensor<?xf32>'}}
func.func private @unknown(%x: tensor<?xf32>) -> tensor<?xf32> attributes {relax.kernel, relax.kernel_symbols = []} {
  return %x : tensor<?xf32>
}

// -----

// expected-error @below {{a tensor program takes and returns ranked tensors; found 'f32'}}
func.func private @scalar(%x: f32) -> tensor<4xf32> attributes {relax.kernel, relax.kernel_symbols = []} {
  %y = tensor.splat %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
