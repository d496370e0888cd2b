// Two calls were grouped around a view of the first's result that the second reads.
func.func @f(%arg0: tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %0 = relax.bitwise_xor %arg0, %arg0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %1 = relax.unsqueeze %0 {axes = array<i64>} : (tensor<i64>) -> tensor<i64>
  %2 = relax.subtract %0, %1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %0, %1, %2 : tensor<i64>, tensor<i64>, tensor<i64>
}
