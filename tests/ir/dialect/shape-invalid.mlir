// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{relax.reshape: the element counts of [3, 4] and [3, 5] are never equal: 12 and 15}}
  %r = relax.reshape %x : tensor<3x4xf32> to tensor<3x5xf32>
  return
}
// -----
func.func @f(%x: tensor<?xf32, #relax.shape<[2 * n]>>) {
  // expected-error @+1 {{relax.reshape: the element counts of [2 * n] and [2 * m + 1] are never equal: 2 * n and 2 * m + 1; m = 0, n = 0 makes them 0 and 1}}
  %r = relax.reshape %x : tensor<?xf32, #relax.shape<[2 * n]>> to tensor<?xf32, #relax.shape<[2 * m + 1]>>
  return
}
// -----
func.func @f(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+1 {{relax.reshape: the element type must stay}}
  %r = relax.reshape %x : tensor<?x4xf32, #relax.shape<[n, 4]>> to tensor<?x4xf16, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+1 {{relax.match_cast: a value of type [n, 4] can never be [n]: the rank is 2, expected 1}}
  %r = relax.match_cast %x : tensor<?x4xf32, #relax.shape<[n, 4]>> to tensor<?xf32, #relax.shape<[n]>>
  return
}
// -----
func.func @f(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+1 {{relax.match_cast: a value of type [n, 4] can never be [m, 5]: dimension 1 is 4, expected 5}}
  %r = relax.match_cast %x : tensor<?x4xf32, #relax.shape<[n, 4]>> to tensor<?x5xf32, #relax.shape<[m, 5]>>
  return
}
// -----
func.func @f(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+1 {{relax.match_cast: a value of type [n, 4] can never be [n, 4]: the element type is f32, expected f16}}
  %r = relax.match_cast %x : tensor<?x4xf32, #relax.shape<[n, 4]>> to tensor<?x4xf16, #relax.shape<[n, 4]>>
  return
}
// -----
func.func @f(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+1 {{relax.match_cast: a value of type [n, 4] can never be !relax.shape<[n, 4]>: it is tensor<?x4xf32, #relax.shape<[n, 4]>>, expected !relax.shape<[n, 4]>}}
  %r = relax.match_cast %x : tensor<?x4xf32, #relax.shape<[n, 4]>> to !relax.shape<[n, 4]>
  return
}
// -----
func.func @f(%x: !relax.shape<rank 2>) {
  // expected-error @+1 {{relax.match_cast: a value of type !relax.shape<rank 2> can never be !relax.shape<[n]>: the rank is 2, expected 1}}
  %r = relax.match_cast %x : !relax.shape<rank 2> to !relax.shape<[n]>
  return
}
// -----
func.func @f(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>) {
  // expected-error @+2 {{'relax.shape_of' op inferred type(s) }}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.shape_of %x : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> !relax.shape<[4, n]>
  return
}
