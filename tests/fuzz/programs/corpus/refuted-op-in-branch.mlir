// Once the sizes were known, an op in a branch that is not taken was an error of the program.
func.func @f(%x: tensor<8x1xf32>, %y: tensor<1x16xf32>) -> tensor<?x16xf32> {
  %0 = relax.shape_of %x : (tensor<8x1xf32>) -> !relax.shape<[8, 1]>
  %1 = relax.shape_to_tensor %0 : (!relax.shape<[8, 1]>) -> tensor<2xi64>
  %order = arith.constant dense<[1, 0]> : tensor<2xi64>
  %2 = relax.take %1, %order : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %3 = relax.tensor_to_shape %2 {symbols = ["u", "v"]} : (tensor<2xi64>) -> !relax.shape<[u, v]>
  %4 = relax.reshape_to %x, %3 : (tensor<8x1xf32>, !relax.shape<[u, v]>) -> tensor<?x?xf32, #relax.shape<[u, v]>>
  %5 = relax.max %y : (tensor<1x16xf32>) -> tensor<f32>
  %6 = relax.min %y : (tensor<1x16xf32>) -> tensor<f32>
  %7 = relax.less_equal %6, %5 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %8 = relax.if %7 : tensor<i1> -> tensor<?x16xf32> {
    relax.yield %y : tensor<1x16xf32>
  } else {
    %9 = relax.maximum %4, %y : (tensor<?x?xf32, #relax.shape<[u, v]>>, tensor<1x16xf32>) -> tensor<?x16xf32, #relax.shape<[u, 16]>>
    relax.yield %9 : tensor<?x16xf32, #relax.shape<[u, 16]>>
  }
  return %8 : tensor<?x16xf32>
}
