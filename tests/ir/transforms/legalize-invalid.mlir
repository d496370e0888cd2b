// RUN: relax-opt %s --relax-legalize --split-input-file --verify-diagnostics

func.func @unknown_size(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{with a dimension whose size isn't known; give it a symbol by relax.match_cast}}
  %0 = relax.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Views need no element type, programs do.
func.func @unknown_elements(%x: tensor<4x!relax.any>) -> tensor<8x!relax.any> {
  %0 = relax.flatten %x : (tensor<4x!relax.any>) -> tensor<4x!relax.any>
  // expected-error @+1 {{has an operand or result of type 'tensor<4x!relax.any>', whose element type isn't known; give it one by relax.match_cast, to 'tensor<4xf32>', say}}
  %1 = relax.concat %0, %x : (tensor<4x!relax.any>, tensor<4x!relax.any>) -> tensor<8x!relax.any>
  return %1 : tensor<8x!relax.any>
}

// -----

func.func @unknown_elements_sorted(%x: tensor<4x!relax.any>) -> tensor<4x!relax.any> {
  // expected-error @+1 {{whose element type isn't known}}
  %0 = relax.sort %x : (tensor<4x!relax.any>) -> tensor<4x!relax.any>
  return %0 : tensor<4x!relax.any>
}

// -----

// expected-error @+1 {{has an argument of type 'tensor<1x1x1x1x1x1x1x1x1xf32>', of rank 9; at most 8 dimensions can be compiled}}
func.func @rank(%x: tensor<1x1x1x1x1x1x1x1x1xf32>) {
  return
}

// -----

// expected-error @+1 {{has a result of type 'tensor<1x1x1x1x1x1x1x1x1xf32>', of rank 9}}
func.func @rank_in_tuple(%x: tensor<f32>, %t: tuple<tensor<f32>>) -> tuple<tensor<1x1x1x1x1x1x1x1x1xf32>> {
  %0 = relax.reshape %x : tensor<f32> to tensor<1x1x1x1x1x1x1x1x1xf32>
  %1 = relax.tuple %0 : (tensor<1x1x1x1x1x1x1x1x1xf32>) -> tuple<tensor<1x1x1x1x1x1x1x1x1xf32>>
  return %1 : tuple<tensor<1x1x1x1x1x1x1x1x1xf32>>
}

// -----

func.func @rank_between(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{has a result of type 'tensor<1x1x1x1x1x1x1x1x1xf32>', of rank 9}}
  %0 = relax.reshape %x : tensor<f32> to tensor<1x1x1x1x1x1x1x1x1xf32>
  %1 = relax.sum %0 : (tensor<1x1x1x1x1x1x1x1x1xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
