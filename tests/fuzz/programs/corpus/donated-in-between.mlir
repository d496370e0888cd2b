// A result took over the memory of a donated argument by way of a value in between.
func.func @f(%arg0: tensor<?xbf16, #relax.shape<[m]>> {relax.donated}, %arg1: tensor<?xf32, #relax.shape<[m]>> {relax.donated}) -> (tensor<?x1xf32, #relax.shape<[m, 1]>>, tensor<?x1xf32, #relax.shape<[m, 1]>>) attributes {relax.symbols = #relax.symbols<m = [1, ?]>} {
  %0 = relax.add %arg1, %arg1 : (tensor<?xf32, #relax.shape<[m]>>, tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[m]>>
  %1 = relax.reshape %0 : tensor<?xf32, #relax.shape<[m]>> to tensor<?x1xf32, #relax.shape<[m, 1]>>
  %2 = relax.atanh %1 : (tensor<?x1xf32, #relax.shape<[m, 1]>>) -> tensor<?x1xf32, #relax.shape<[m, 1]>>
  %3 = relax.softplus %1 : (tensor<?x1xf32, #relax.shape<[m, 1]>>) -> tensor<?x1xf32, #relax.shape<[m, 1]>>
  return %2, %3 : tensor<?x1xf32, #relax.shape<[m, 1]>>, tensor<?x1xf32, #relax.shape<[m, 1]>>
}
