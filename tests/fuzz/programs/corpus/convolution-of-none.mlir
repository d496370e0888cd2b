// Of no columns, a kernel of s makes 1 - s: where s is 1 none is left, where it is 0 none is read.
func.func @f(%x: tensor<?x?x0xf32, #relax.shape<[n, m, 0]>>, %w: tensor<?x?x?xf32, #relax.shape<[k, m, s]>>) -> tensor<?x?x?xf32, #relax.shape<[n, k, 1 - s]>> attributes {relax.symbols = #relax.symbols<n = [0, 24], m = [0, 24], k = [0, 24], s = [0, 24]>} {
  %0 = relax.convolution %x, %w {pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<?x?x0xf32, #relax.shape<[n, m, 0]>>, tensor<?x?x?xf32, #relax.shape<[k, m, s]>>) -> tensor<?x?x?xf32, #relax.shape<[n, k, 1 - s]>>
  return %0 : tensor<?x?x?xf32, #relax.shape<[n, k, 1 - s]>>
}
