// In a branch that is never taken c shall be 1 and 3 * m: each may be, both can't.
func.func @f(%x: tensor<?x?xf32, #relax.shape<[n, c]>>, %scale: tensor<?xf32, #relax.shape<[c]>>, %mean: tensor<1xf32>, %variance: tensor<?xf32, #relax.shape<[3 * m]>>, %other: tensor<?xf32, #relax.shape<[m]>>, %go: tensor<i1>) -> tensor<?x?xf32, #relax.shape<[n, c]>> attributes {relax.symbols = #relax.symbols<m = [1, 24], n = [0, 24], c = [0, 24]>} {
  %0 = relax.not_equal %go, %go : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %1 = relax.if %0 : tensor<i1> -> tensor<?x?xf32, #relax.shape<[n, c]>> {
    %2 = relax.batch_norm %x, %scale, %scale, %mean, %variance : (tensor<?x?xf32, #relax.shape<[n, c]>>, tensor<?xf32, #relax.shape<[c]>>, tensor<?xf32, #relax.shape<[c]>>, tensor<1xf32>, tensor<?xf32, #relax.shape<[3 * m]>>) -> tensor<?x?xf32, #relax.shape<[n, c]>>
    relax.yield %2 : tensor<?x?xf32, #relax.shape<[n, c]>>
  } else {
    relax.yield %x : tensor<?x?xf32, #relax.shape<[n, c]>>
  }
  return %1 : tensor<?x?xf32, #relax.shape<[n, c]>>
}
