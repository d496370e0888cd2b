// Once the sizes were known, a claim in a branch that is not taken was an error of the program.
func.func @f(%x: tensor<8x4xi32>) -> tensor<?x?x?xi32> {
  %first = relax.max %x : (tensor<8x4xi32>) -> tensor<i32>
  %last = relax.min %x : (tensor<8x4xi32>) -> tensor<i32>
  %c = relax.less %first, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %sizes = arith.constant dense<[1, 8, 4]> : tensor<3xi64>
  %s = relax.tensor_to_shape %sizes : (tensor<3xi64>) -> !relax.shape<rank 3>
  %0 = relax.reshape_to %x, %s : (tensor<8x4xi32>, !relax.shape<rank 3>) -> tensor<?x?x?xi32>
  %1 = relax.if %c : tensor<i1> -> tensor<?x?x?xi32> {
    %2 = relax.match_cast %0 : tensor<?x?x?xi32> to tensor<?x?x?xi32, #relax.shape<[2 * u, v, w]>>
    relax.yield %2 : tensor<?x?x?xi32, #relax.shape<[2 * u, v, w]>>
  } else {
    relax.yield %0 : tensor<?x?x?xi32>
  }
  return %1 : tensor<?x?x?xi32>
}
