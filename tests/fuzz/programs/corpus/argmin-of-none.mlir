// Of no elements none is the smallest: where the length is known when it runs only, that is an error, too.
func.func @f(%x: tensor<?x?xf32, #relax.shape<[m, n]>>) -> tensor<?xi64, #relax.shape<[m]>> attributes {relax.symbols = #relax.symbols<m = [0, 24], n = [0, 24]>} {
  %0 = relax.slice %x {axes = array<i64: 1>, starts = #relax.shape<[2]>, ends = #relax.shape<[n]>} : (tensor<?x?xf32, #relax.shape<[m, n]>>) -> tensor<?x?xf32, #relax.shape<[m, max(n - 2, 0)]>>
  %1 = relax.argmin %0 {axis = 1 : i64} : (tensor<?x?xf32, #relax.shape<[m, max(n - 2, 0)]>>) -> tensor<?xi64, #relax.shape<[m]>>
  return %1 : tensor<?xi64, #relax.shape<[m]>>
}
