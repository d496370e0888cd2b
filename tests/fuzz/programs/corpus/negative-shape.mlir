// A shape may have a negative element for what is known: both sides refuse it, whether it becomes
// a value or not.
func.func @f(%x: tensor<?xf16, #relax.shape<[m]>>) -> tensor<3xi64> attributes {relax.symbols = #relax.symbols<m = [0, 24]>} {
  %0 = relax.erase %x : tensor<?xf16, #relax.shape<[m]>> to tensor<?xf16>
  %1 = relax.match_cast %0 : tensor<?xf16> to tensor<?xf16, #relax.shape<[u0 + 1]>>
  %2 = relax.shape <[1, u0, 2]>
  %3 = relax.shape_to_tensor %2 : (!relax.shape<[1, u0, 2]>) -> tensor<3xi64>
  return %3 : tensor<3xi64>
}
