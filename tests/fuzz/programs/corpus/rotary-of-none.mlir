// A table without angles, of which none can be read.
func.func @f(%x: tensor<?x3x4xf32, #relax.shape<[t, 3, 4]>>, %table: tensor<?x0xf32, #relax.shape<[t, 0]>>) -> (tensor<?x3x4xf32, #relax.shape<[t, 3, 4]>>, tensor<?x3x4xf32, #relax.shape<[t, 3, 4]>>) attributes {relax.symbols = #relax.symbols<t = [0, 24]>} {
  %0 = relax.rotary %x, %table : (tensor<?x3x4xf32, #relax.shape<[t, 3, 4]>>, tensor<?x0xf32, #relax.shape<[t, 0]>>) -> tensor<?x3x4xf32, #relax.shape<[t, 3, 4]>>
  %1 = relax.rotary %x, %table {interleaved} : (tensor<?x3x4xf32, #relax.shape<[t, 3, 4]>>, tensor<?x0xf32, #relax.shape<[t, 0]>>) -> tensor<?x3x4xf32, #relax.shape<[t, 3, 4]>>
  return %0, %1 : tensor<?x3x4xf32, #relax.shape<[t, 3, 4]>>, tensor<?x3x4xf32, #relax.shape<[t, 3, 4]>>
}
