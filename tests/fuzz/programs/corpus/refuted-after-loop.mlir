// Once it was known what a loop carries, an op in a branch that is not taken was an error of the program.
func.func @f(%x: tensor<?x3xf32, #relax.shape<[m, 3]>>) -> tensor<?x?xf32> attributes {relax.symbols = #relax.symbols<m = [0, 24]>} {
  %zero = arith.constant dense<0> : tensor<i64>
  %sizes = relax.shape_of %x : (tensor<?x3xf32, #relax.shape<[m, 3]>>) -> !relax.shape<[m, 3]>
  %dims = relax.shape_to_tensor %sizes : (!relax.shape<[m, 3]>) -> tensor<2xi64>
  %shape = relax.tensor_to_shape %dims : (tensor<2xi64>) -> !relax.shape<rank 2>
  %y = relax.reshape_to %x, %shape : (tensor<?x3xf32, #relax.shape<[m, 3]>>, !relax.shape<rank 2>) -> tensor<?x?xf32>
  %never = relax.less %zero, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = relax.if %never : tensor<i1> -> tensor<?x?xf32> {
    %0:2 = relax.while (%i = %zero, %v = %y) : (tensor<i64>, tensor<?x?xf32>) {
      %1 = relax.less %i, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
      relax.condition %1 : tensor<i1>
    } do (%i, %v) {
      relax.yield %i, %v : tensor<i64>, tensor<?x?xf32>
    }
    %values, %indices = relax.topk %0#1 {axis = 1 : i64, k = #relax.expr<4>} : (tensor<?x?xf32>) -> (tensor<?x4xf32>, tensor<?x4xi64>)
    relax.yield %values : tensor<?x4xf32>
  } else {
    relax.yield %y : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
