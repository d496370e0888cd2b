// RUN: relax-opt %s --relax-verify --split-input-file --verify-diagnostics

// What an op that computes needs to know of its operands: an error says what is missing and how to
// give it. (Ops of one operand that work element by element need no rank.)

func.func @rank(%x: tensor<*xf32>) {
  // expected-error @+1 {{'relax.softmax' op operand #0 must be ranked tensor (relax.match_cast to tensor<?x?xf32>, say, gives a value its rank and element type), but got 'tensor<*xf32>'}}
  %0 = relax.softmax %x : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @rank_of_one(%x: tensor<*xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of numbers (relax.match_cast to tensor<?x?xf32>}}
  %0 = relax.add %x, %y : (tensor<*xf32>, tensor<3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @elements(%x: tensor<?x!relax.any>) {
  // expected-error @+2 {{relax.softmax: x must have elements of floating point, found !relax.any; relax.match_cast gives a value its element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = relax.softmax %x : (tensor<?x!relax.any>) -> tensor<?x!relax.any>
  return
}

// -----

func.func @elements_of_a_product(%x: tensor<?x?x!relax.any>) {
  // expected-error @+2 {{there is no product of elements of !relax.any; expected f64, f32, f16, bf16, i32, i64, i8 or ui8; relax.match_cast gives}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = relax.matmul %x, %x : (tensor<?x?x!relax.any>, tensor<?x?x!relax.any>) -> tensor<?x?x!relax.any>
  return
}

// -----

func.func @elements_of_any_rank(%x: tensor<*x!relax.any>) {
  // expected-error @+1 {{operand #0 must be tensor of floating-point numbers (relax.match_cast to tensor<*xf32>, say, gives a value its element type)}}
  %0 = relax.exp %x : (tensor<*x!relax.any>) -> tensor<*x!relax.any>
  return
}

// -----

// With them known it is fine.
func.func @known(%x: tensor<*x!relax.any>) -> tensor<?x?xf32, #relax.shape<[a, b]>> {
  %0 = relax.match_cast %x : tensor<*x!relax.any> to tensor<?x?xf32, #relax.shape<[a, b]>>
  %1 = relax.softmax %0 : (tensor<?x?xf32, #relax.shape<[a, b]>>) -> tensor<?x?xf32, #relax.shape<[a, b]>>
  return %1 : tensor<?x?xf32, #relax.shape<[a, b]>>
}
