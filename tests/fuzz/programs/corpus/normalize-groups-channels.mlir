// Parameters of another length than the channels were read beyond their end.
func.func @f(%x: tensor<?x3x3xf32, #relax.shape<[m, 3, 3]>>, %scale: tensor<?xf32, #relax.shape<[n]>>) -> tensor<?x3x3xf32, #relax.shape<[m, 3, 3]>> attributes {relax.symbols = #relax.symbols<m = [1, ?], n = [0, ?]>} {
  %0 = relax.normalize_groups %x, %scale {epsilon = 1.000000e-05 : f64} : (tensor<?x3x3xf32, #relax.shape<[m, 3, 3]>>, tensor<?xf32, #relax.shape<[n]>>) -> tensor<?x3x3xf32, #relax.shape<[m, 3, 3]>>
  return %0 : tensor<?x3x3xf32, #relax.shape<[m, 3, 3]>>
}
