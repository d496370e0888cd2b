// A user's program, merged where its symbols are constants: its tensor.empty kept the sizes.
func.func private @k0(%arg0: tensor<?x?xi32, #relax.shape<[a, b]>>) -> tensor<?x?xi32, #relax.shape<[b, a]>> attributes {relax.kernel, relax.kernel_symbols = ["a", "b"]} {
  %0 = relax.symbol_value <a>
  %1 = relax.symbol_value <b>
  %2 = tensor.empty(%1, %0) : tensor<?x?xi32, #relax.shape<[b, a]>>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<?x?xi32, #relax.shape<[a, b]>>) outs(%2 : tensor<?x?xi32, #relax.shape<[b, a]>>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<?x?xi32, #relax.shape<[b, a]>>
  return %3 : tensor<?x?xi32, #relax.shape<[b, a]>>
}
func.func @f(%arg1: tensor<2x3xi32>) -> tensor<3x2xi32> {
  %0 = relax.call_kernel @k0(%arg1) {symbols = [#relax.expr<2>, #relax.expr<3>]} : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %1 = relax.bitwise_not %0 : (tensor<3x2xi32>) -> tensor<3x2xi32>
  return %1 : tensor<3x2xi32>
}
