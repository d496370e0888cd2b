// When x gets names, 3 * u can't be 17, in a branch that doesn't run.
func.func @f(%x: tensor<?x?xf32>, %y: tensor<17xf32>, %c: tensor<i1>) -> tensor<17xf32> {
  %0 = relax.tile %x {repeats = #relax.shape<[2, 3]>} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = relax.if %c : tensor<i1> -> tensor<17xf32> {
    %2 = relax.exp %y : (tensor<17xf32>) -> tensor<17xf32>
    relax.yield %2 : tensor<17xf32>
  } else {
    %2 = relax.add %0, %y : (tensor<?x?xf32>, tensor<17xf32>) -> tensor<?x17xf32>
    %3 = relax.sum %2 {axes = array<i64: 0>} : (tensor<?x17xf32>) -> tensor<17xf32>
    relax.yield %3 : tensor<17xf32>
  }
  return %1 : tensor<17xf32>
}
