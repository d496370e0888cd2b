// atan2(0, 0) of constants was folded to NaN before it was expanded.
func.func @f(%x: tensor<f32>) -> tensor<3xf32> {
  %0 = relax.arange {dtype = f32, limit = #relax.expr<3>} : () -> tensor<3xf32>
  %1 = relax.atan2 %0, %0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
