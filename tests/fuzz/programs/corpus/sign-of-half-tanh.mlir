// LLVM took the sign of a float16 from the float64 that it was rounded from.
func.func @f(%x: tensor<?x1xf16>) -> (tensor<?x1xf16>, tensor<?x1xf16>) {
  %0 = relax.atan2 %x, %x : (tensor<?x1xf16>, tensor<?x1xf16>) -> tensor<?x1xf16>
  %1 = relax.tanh %0 : (tensor<?x1xf16>) -> tensor<?x1xf16>
  return %0, %1 : tensor<?x1xf16>, tensor<?x1xf16>
}
