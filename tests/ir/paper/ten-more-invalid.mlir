// RUN: relax-opt %s --relax-verify --split-input-file --verify-diagnostics

// 4. More elements than both masks can select.
func.func @selected(%x: tensor<?xf32, #relax.shape<[n]>>, %p: tensor<?xi1, #relax.shape<[n]>>) attributes {relax.symbols = #relax.symbols<n = [0, 100]>} {
  %0 = relax.masked_select %x, %p {symbol = "u"} : (tensor<?xf32, #relax.shape<[n]>>, tensor<?xi1, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[u]>>
  // expected-error @+1 {{[R18] selected: 'less_equal' of n + 1 and u never holds for the symbols of this function; n = 0, u = 0 makes them 1 and 0}}
  relax.guard <less_equal, n + 1, u> "selected"
  return
}
// -----
// 5. A half of something odd.
func.func @half(%x: tensor<?xf32, #relax.shape<[2 * n + 1]>>, %s: !relax.shape<[n]>) attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  // expected-error @+1 {{relax.match_cast: a value of type [2 * n + 1] can never be [2 * h]: dimension 0 is 2 * n + 1, expected 2 * h}}
  %0 = relax.match_cast %x : tensor<?xf32, #relax.shape<[2 * n + 1]>> to tensor<?xf32, #relax.shape<[2 * h]>>
  return
}
// -----
// 6. A loop that claims that its value keeps its extent.
func.func @growing(%x: tensor<1xf32>, %go: tensor<i1>) {
  // expected-error @+1 {{[R14] the second region yields 'tensor<2xf32>' as value 1, which is not provably a 'tensor<1xf32>': dimension 0 is 2, expected 1}}
  %r:2 = relax.while (%g = %go, %v = %x) : (tensor<i1>, tensor<1xf32>) {
    relax.condition %g : tensor<i1>
  } do {
    %longer = relax.concat %v, %v : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    relax.yield %g, %longer : tensor<i1>, tensor<2xf32>
  }
  return
}
// -----
// 10. 16 times 16 is not 255.
// expected-note @+1 {{the callee}}
func.func private @product(tensor<?xf32, #relax.shape<[n]>>, tensor<?xf32, #relax.shape<[m]>>, tensor<?xf32, #relax.shape<[n * m]>>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>}
func.func @door(%a: tensor<16xf32>, %b: tensor<255xf32>) {
  // expected-error @+1 {{[R5] operand 2 of type 'tensor<255xf32>' does not match the callee's 'tensor<?xf32, #relax.shape<[m * n]>>': dimension 0: expected 256 (m * n), found 255}}
  relax.call @product(%a, %a, %b) : (tensor<16xf32>, tensor<16xf32>, tensor<255xf32>) -> ()
  return
}
