// A row without elements, of which none can be taken, isn't a valid slice.
func.func @f(%x: tensor<0x16x8x?xf32, #relax.shape<[0, 16, 8, n]>>, %y: tensor<?xf16, #relax.shape<[o]>>) -> tensor<?x16x8x?xi64, #relax.shape<[o, 16, 8, n]>> attributes {relax.symbols = #relax.symbols<n = [0, ?], o = [0, 24]>} {
  %values, %indices = relax.topk %x {axis = 0 : i64, k = #relax.expr<o>} : (tensor<0x16x8x?xf32, #relax.shape<[0, 16, 8, n]>>) -> (tensor<?x16x8x?xf32, #relax.shape<[o, 16, 8, n]>>, tensor<?x16x8x?xi64, #relax.shape<[o, 16, 8, n]>>)
  return %indices : tensor<?x16x8x?xi64, #relax.shape<[o, 16, 8, n]>>
}
