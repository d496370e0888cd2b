// RUN: relax-opt %s --relax-verify --split-input-file --verify-diagnostics

func.func @f(%c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error @+1 {{[R13] the second branch yields 'tensor<5xf32>' as value 0, which is not provably a 'tensor<4xf32>': dimension 0 is 5, expected 4}}
  %r = relax.if %c : tensor<i1> -> tensor<4xf32> {
    relax.yield %a : tensor<4xf32>
  } else {
    relax.yield %b : tensor<5xf32>
  }
  return
}
// -----
func.func @f(%c: tensor<i1>, %a: tensor<4xf32>) {
  // expected-error @+1 {{[R13] the second branch yields 0 values, but there are 1 results}}
  %r = relax.if %c : tensor<i1> -> tensor<4xf32> {
    relax.yield %a : tensor<4xf32>
  } else {
    relax.yield
  }
  return
}
// -----
// Less precise than what both branches give.
func.func @f(%c: tensor<i1>, %a: tensor<4xf32>) {
  // expected-error @+1 {{[R13] result 0 must have type 'tensor<4xf32>', the join of its branches, found 'tensor<?xf32>'}}
  %r = relax.if %c : tensor<i1> -> tensor<?xf32> {
    relax.yield %a : tensor<4xf32>
  } else {
    relax.yield %a : tensor<4xf32>
  }
  return
}
// -----
func.func @f(%c: tensor<i1>) {
  // expected-error @+1 {{[R14] the first region must end in relax.condition}}
  %r = relax.while (%go = %c) : (tensor<i1>) {
    relax.yield %go : tensor<i1>
  } do {
    relax.yield %go : tensor<i1>
  }
  return
}
// -----
func.func @f(%c: tensor<i1>, %x: tensor<1xf32>, %y: tensor<2xf32>) {
  // expected-error @+1 {{[R14] the second region yields 'tensor<2xf32>' as value 1, which is not provably a 'tensor<1xf32>': dimension 0 is 2, expected 1}}
  %r:2 = relax.while (%go = %c, %v = %x) : (tensor<i1>, tensor<1xf32>) {
    relax.condition %go : tensor<i1>
  } do {
    relax.yield %go, %y : tensor<i1>, tensor<2xf32>
  }
  return
}
// -----
func.func @f(%c: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error @+1 {{[R14] the loop starts from 'tensor<2xf32>' as value 1, which is not provably a 'tensor<1xf32>'}}
  %r:2 = relax.while (%go = %c, %v = %x) : (tensor<i1>, tensor<2xf32>) -> (tensor<i1>, tensor<1xf32>) {
    relax.condition %go : tensor<i1>
  } do {
    relax.yield %go, %v : tensor<i1>, tensor<1xf32>
  }
  return
}
// -----
func.func @f(%c: tensor<i1>) {
  // expected-error @+1 {{there are 1 carried values, but 2 types}}
  %r = relax.while (%go = %c) : (tensor<i1>, tensor<i1>) {
    relax.condition %go : tensor<i1>
  } do {
    relax.yield %go : tensor<i1>
  }
  return
}
// -----
func.func @f(%c: tensor<1xi1>) {
  // expected-error @+1 {{operand #0 must be tensor<i1>}}
  relax.if %c : tensor<1xi1> {
    relax.yield
  } else {
    relax.yield
  }
  return
}
// -----
// What a region introduces is unknown after it.
func.func @f(%c: tensor<i1>, %a: tensor<?xf32>) {
  relax.if %c : tensor<i1> {
    %0 = relax.match_cast %a : tensor<?xf32> to tensor<?xf32, #relax.shape<[m]>>
    relax.yield
  } else {
    // expected-error @+1 {{[R2] the symbol 'm' of this op}}
    %1 = relax.symbol_value <m>
    relax.yield
  }
  return
}
// -----
func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<i1>) {
  relax.if %c : tensor<i1> {
    // expected-note @+1 {{introduced here}}
    %0 = relax.match_cast %a : tensor<?xf32> to tensor<?xf32, #relax.shape<[m]>>
    relax.yield
  } else {
    // expected-error @+1 {{[R15] the symbol 'm' is introduced a second time}}
    %1 = relax.match_cast %b : tensor<?xf32> to tensor<?xf32, #relax.shape<[m]>>
    relax.yield
  }
  return
}
