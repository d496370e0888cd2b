// Of what full_like reads only the shape counts: no kernel is made of the ops before it.
func.func @f(%x: tensor<?x16xf16, #relax.shape<[m, 16]>>, %y: tensor<?xf32, #relax.shape<[2 * m]>>) -> tensor<?xf32> attributes {relax.symbols = #relax.symbols<m = [1, 24]>} {
  %0 = relax.less_equal %y, %y : (tensor<?xf32, #relax.shape<[2 * m]>>, tensor<?xf32, #relax.shape<[2 * m]>>) -> tensor<?xi1, #relax.shape<[2 * m]>>
  %1 = relax.masked_select %y, %0 {symbol = "u0"} : (tensor<?xf32, #relax.shape<[2 * m]>>, tensor<?xi1, #relax.shape<[2 * m]>>) -> tensor<?xf32, #relax.shape<[u0]>>
  %2 = relax.lp_norm %1 : (tensor<?xf32, #relax.shape<[u0]>>) -> tensor<?xf32, #relax.shape<[u0]>>
  %3 = relax.rms_norm %2, %2 {epsilon = 1.000000e-05 : f64} : (tensor<?xf32, #relax.shape<[u0]>>, tensor<?xf32, #relax.shape<[u0]>>) -> tensor<?xf32, #relax.shape<[u0]>>
  %4 = relax.full_like %3 {value = 1.500000e+00 : f32} : (tensor<?xf32, #relax.shape<[u0]>>) -> tensor<?xf32, #relax.shape<[u0]>>
  %5 = relax.erase %4 : tensor<?xf32, #relax.shape<[u0]>> to tensor<?xf32>
  return %5 : tensor<?xf32>
}
