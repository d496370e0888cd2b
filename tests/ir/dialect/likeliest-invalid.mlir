// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @f(%y: tensor<?x96xf32, #relax.shape<[t, 96]>>, %k: tensor<?xi32, #relax.shape<[u]>>) {
  // expected-error @+2 {{relax.likeliest: dimension 0 of logits [t, 96] must equal dimension 0 of counts [u]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.likeliest %y, %k : (tensor<?x96xf32, #relax.shape<[t, 96]>>, tensor<?xi32, #relax.shape<[u]>>) -> tensor<?x96xf32, #relax.shape<[t, 96]>>
  return
}
// -----
func.func @f(%x: tensor<?x1x64xi8, #relax.shape<[t, 1, 64]>>, %d: tensor<?x1x2xf32, #relax.shape<[t, 1, 2]>>, %s: tensor<?x1x2xi32, #relax.shape<[t, 1, 2]>>, %k: tensor<?xi32, #relax.shape<[t]>>) {
  // expected-error @+2 {{relax.likeliest_terms: values [t, 1, 64] must have 2 planes of a multiple of 32 columns}}
  // expected-error @+1 {{failed to infer returned types}}
  %r, %o = relax.likeliest_terms %x, %d, %s, %k : (tensor<?x1x64xi8, #relax.shape<[t, 1, 64]>>, tensor<?x1x2xf32, #relax.shape<[t, 1, 2]>>, tensor<?x1x2xi32, #relax.shape<[t, 1, 2]>>, tensor<?xi32, #relax.shape<[t]>>) -> (tensor<?x3x2xf32, #relax.shape<[t, 3, 2]>>, tensor<?x2xi32, #relax.shape<[t, 2]>>)
  return
}
// -----
func.func @f(%x: tensor<?x2x64xi8, #relax.shape<[t, 2, 64]>>, %d: tensor<?x2x2xf32, #relax.shape<[t, 2, 2]>>, %s: tensor<?x2x2xi32, #relax.shape<[t, 2, 2]>>, %k: tensor<?xi32, #relax.shape<[t]>>, %e: tensor<?x6xf32, #relax.shape<[t, 6]>>, %p: tensor<7x1088xi8>) {
  // expected-error @+2 {{relax.likeliest_threshold: dimension 0 of packed [7, 1088] must be 6 (96 rows of 64 elements in q8_0)}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = relax.likeliest_threshold %x, %d, %s, %k, %e, %p {format = "q8_0", rows = 96 : i64} : (tensor<?x2x64xi8, #relax.shape<[t, 2, 64]>>, tensor<?x2x2xf32, #relax.shape<[t, 2, 2]>>, tensor<?x2x2xi32, #relax.shape<[t, 2, 2]>>, tensor<?xi32, #relax.shape<[t]>>, tensor<?x6xf32, #relax.shape<[t, 6]>>, tensor<7x1088xi8>) -> tensor<?x1xf32, #relax.shape<[t, 1]>>
  return
}
