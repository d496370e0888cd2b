// Compiled code has eight dimensions at most, the interpreter any number; the shape of ten is known, and read
// by nothing.
func.func @f(%x: tensor<2x?x2xi64, #relax.shape<[2, m, 2]>>) -> tensor<2x?x2xi64, #relax.shape<[2, m, 2]>> attributes {relax.symbols = #relax.symbols<m = [1, 24]>} {
  %0 = relax.unsqueeze %x {axes = array<i64: 0, 1, 2, 3, 4, 5, 6>} : (tensor<2x?x2xi64, #relax.shape<[2, m, 2]>>) -> tensor<1x1x1x1x1x1x1x2x?x2xi64, #relax.shape<[1, 1, 1, 1, 1, 1, 1, 2, m, 2]>>
  %1 = relax.shape_of %0 : (tensor<1x1x1x1x1x1x1x2x?x2xi64, #relax.shape<[1, 1, 1, 1, 1, 1, 1, 2, m, 2]>>) -> !relax.shape<[1, 1, 1, 1, 1, 1, 1, 2, m, 2]>
  %2 = relax.shape_to_tensor %1 : (!relax.shape<[1, 1, 1, 1, 1, 1, 1, 2, m, 2]>) -> tensor<10xi64>
  %3 = relax.tensor_to_shape %2 : (tensor<10xi64>) -> !relax.shape<rank 10>
  return %x : tensor<2x?x2xi64, #relax.shape<[2, m, 2]>>
}
