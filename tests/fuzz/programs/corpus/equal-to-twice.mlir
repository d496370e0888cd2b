// Where n = 2n was compared, n was called 2n, and 2n then 4n.
func.func @f(%x: tensor<?x?xf32, #relax.shape<[n, 2 * n]>>) -> tensor<?x?xf32, #relax.shape<[2 * n, n]>> attributes {relax.symbols = #relax.symbols<n = [0, 24]>} {
  %0 = relax.matmul %x, %x {transpose_a, transpose_b} : (tensor<?x?xf32, #relax.shape<[n, 2 * n]>>, tensor<?x?xf32, #relax.shape<[n, 2 * n]>>) -> tensor<?x?xf32, #relax.shape<[2 * n, n]>>
  return %0 : tensor<?x?xf32, #relax.shape<[2 * n, n]>>
}
