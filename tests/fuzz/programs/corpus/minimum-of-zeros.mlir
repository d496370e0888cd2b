// The minimum of -0 and 0 was 0, which shows in atan2.
func.func @f(%x: tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[m]>> attributes {relax.symbols = #relax.symbols<m = [0, ?]>} {
  %0 = relax.trunc %x : (tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[m]>>
  %1 = relax.clip %0 {max = 0.000000e+00 : f64} : (tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[m]>>
  %2 = relax.atan2 %1, %1 : (tensor<?xf32, #relax.shape<[m]>>, tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[m]>>
  return %2 : tensor<?xf32, #relax.shape<[m]>>
}
