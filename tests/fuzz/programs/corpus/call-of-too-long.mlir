// A call that is made for its result's shape only isn't made, so nobody hears that n * n is too large for @g.
func.func private @g(%x: tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[m]>> attributes {relax.symbols = #relax.symbols<m = [0, 24]>} {
  %0 = relax.maximum %x, %x : (tensor<?xf32, #relax.shape<[m]>>, tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[m]>>
  return %0 : tensor<?xf32, #relax.shape<[m]>>
}
func.func @f(%x: tensor<?xf32, #relax.shape<[n]>>, %y: tensor<?xf32, #relax.shape<[n * n]>>) -> tensor<?xf32, #relax.shape<[n]>> attributes {relax.symbols = #relax.symbols<n = [0, 24]>} {
  %0 = relax.call @g(%y) : (tensor<?xf32, #relax.shape<[n * n]>>) -> tensor<?xf32, #relax.shape<[n * n]>>
  %1 = relax.shape_of %0 : (tensor<?xf32, #relax.shape<[n * n]>>) -> !relax.shape<[n * n]>
  %2 = relax.shape_to_tensor %1 : (!relax.shape<[n * n]>) -> tensor<1xi64>
  %3 = relax.tensor_to_shape %2 : (tensor<1xi64>) -> !relax.shape<rank 1>
  %4 = relax.negate %x : (tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
  return %4 : tensor<?xf32, #relax.shape<[n]>>
}
