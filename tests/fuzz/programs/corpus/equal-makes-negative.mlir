// n = 1 is compared, and makes 3 * n - 5 negative: no call is right, but the program was compiled for ever.
func.func @f(%x: tensor<?x1x?xf32, #relax.shape<[n, 1, n]>>) -> tensor<?x1x?xf32, #relax.shape<[n, 1, 3 * n - 5]>> attributes {relax.symbols = #relax.symbols<n = [0, 24]>} {
  %0 = relax.transposed_convolution %x, %x {dilations = array<i64: 2>, pads = array<i64: 1, 2>, strides = array<i64: 1>} : (tensor<?x1x?xf32, #relax.shape<[n, 1, n]>>, tensor<?x1x?xf32, #relax.shape<[n, 1, n]>>) -> tensor<?x1x?xf32, #relax.shape<[n, 1, 3 * n - 5]>>
  return %0 : tensor<?x1x?xf32, #relax.shape<[n, 1, 3 * n - 5]>>
}
