// Where u = m + 1 was compared, m + 1 was called u, and m + 4 was not known to be u + 3.
func.func @f(%s: !relax.shape<[m]>, %x: tensor<?x?x?xf32, #relax.shape<[n, u, m + 1]>>, %w: tensor<?x?x?xf32, #relax.shape<[n, m + 1, m + 1]>>) -> tensor<?x?x2xf32, #relax.shape<[n, n, 2]>> attributes {relax.symbols = #relax.symbols<m = [0, ?], n = [0, ?], u = [0, ?]>} {
  %0 = relax.convolution %x, %w {pads = array<i64: 2, 1>, strides = array<i64: 2>} : (tensor<?x?x?xf32, #relax.shape<[n, u, m + 1]>>, tensor<?x?x?xf32, #relax.shape<[n, m + 1, m + 1]>>) -> tensor<?x?x2xf32, #relax.shape<[n, n, 2]>>
  return %0 : tensor<?x?x2xf32, #relax.shape<[n, n, 2]>>
}
