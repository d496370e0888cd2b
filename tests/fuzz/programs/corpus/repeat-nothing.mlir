// Merged, a reshape of [m, 0] to [0] had no form in MLIR.
func.func @f(%x: tensor<?xf32, #relax.shape<[m]>>) -> tensor<0xf32> attributes {relax.symbols = #relax.symbols<m = [0, 24]>} {
  %0 = relax.round %x : (tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[m]>>
  %1 = relax.repeat %0 {repeats = #relax.expr<0>} : (tensor<?xf32, #relax.shape<[m]>>) -> tensor<0xf32>
  %2 = relax.negate %1 : (tensor<0xf32>) -> tensor<0xf32>
  return %2 : tensor<0xf32>
}
