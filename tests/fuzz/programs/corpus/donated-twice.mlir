// A donated argument that is two results is memory of one of them only.
func.func @f(%x: tensor<?x?xi64, #relax.shape<[o, m]>> {relax.donated}) -> (tensor<?x?xi64, #relax.shape<[o, m]>>, tensor<?x?xi64, #relax.shape<[o, ?]>>) attributes {relax.symbols = #relax.symbols<m = [0, 24], o = [0, 24]>} {
  %0 = relax.erase %x : tensor<?x?xi64, #relax.shape<[o, m]>> to tensor<?x?xi64, #relax.shape<[o, ?]>>
  return %x, %0 : tensor<?x?xi64, #relax.shape<[o, m]>>, tensor<?x?xi64, #relax.shape<[o, ?]>>
}
