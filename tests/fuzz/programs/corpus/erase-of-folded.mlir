// Once the sizes of y were known, one of e was 4; the formula that stood for it until then isn't
// provably 4, as nothing says there that m * n broadcasts with it.
func.func @f(%x: tensor<?x2x4xi64, #relax.shape<[m * n, 2, 4]>>, %row: tensor<?xf32, #relax.shape<[m]>>, %column: tensor<?xf32, #relax.shape<[n]>>) -> tensor<?x?x?x?xi64> attributes {relax.symbols = #relax.symbols<m = [0, 24], n = [0, 24]>} {
  %0 = relax.shape_of %x : (tensor<?x2x4xi64, #relax.shape<[m * n, 2, 4]>>) -> !relax.shape<[m * n, 2, 4]>
  %1 = relax.shape_to_tensor %0 : (!relax.shape<[m * n, 2, 4]>) -> tensor<3xi64>
  %order = arith.constant dense<[2, 1, 0]> : tensor<3xi64>
  %2 = relax.take %1, %order : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
  %one = arith.constant dense<1> : tensor<1xi64>
  %3 = relax.concat %one, %2 : (tensor<1xi64>, tensor<3xi64>) -> tensor<4xi64>
  %4 = relax.tensor_to_shape %3 {symbols = ["u1", "u2", "u3", "u4"]} : (tensor<4xi64>) -> !relax.shape<[u1, u2, u3, u4]>
  %5 = relax.reshape_to %x, %4 : (tensor<?x2x4xi64, #relax.shape<[m * n, 2, 4]>>, !relax.shape<[u1, u2, u3, u4]>) -> tensor<?x?x?x?xi64, #relax.shape<[u1, u2, u3, u4]>>
  %6 = relax.bitwise_and %x, %5 : (tensor<?x2x4xi64, #relax.shape<[m * n, 2, 4]>>, tensor<?x?x?x?xi64, #relax.shape<[u1, u2, u3, u4]>>) -> tensor<?x?x2x4xi64, #relax.shape<[u1, min(u2, m * n, 1) - min(max(u2, m * n), 1) + max(u2, m * n), 2, 4]>>
  %7 = relax.erase %6 : tensor<?x?x2x4xi64, #relax.shape<[u1, min(u2, m * n, 1) - min(max(u2, m * n), 1) + max(u2, m * n), 2, 4]>> to tensor<?x?x2x?xi64, #relax.shape<[u1, min(u2, m * n, 1) - min(max(u2, m * n), 1) + max(u2, m * n), 2, ?]>>
  %8 = relax.erase %7 : tensor<?x?x2x?xi64, #relax.shape<[u1, min(u2, m * n, 1) - min(max(u2, m * n), 1) + max(u2, m * n), 2, ?]>> to tensor<?x?x?x?xi64>
  return %8 : tensor<?x?x?x?xi64>
}
