// A view of unknown sizes said nothing of what it needs, so one that nothing reads went unchecked.
func.func @f(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = relax.view %x {shape = #relax.shape<[-1, 3, 1]>} : (tensor<?x?xf32>) -> tensor<?x3x1xf32>
  return %x : tensor<?x?xf32>
}
