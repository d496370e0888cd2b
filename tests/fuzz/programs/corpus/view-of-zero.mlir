// u0 becomes 0, which in the shape of a view stood for the dimension of x at that place.
func.func @f(%x: tensor<?xf32, #relax.shape<[m]>>) -> tensor<?x?xf32> attributes {relax.symbols = #relax.symbols<m = [0, 24]>} {
  %0 = arith.constant dense<4> : tensor<1xi64>
  %1 = relax.dynamic_strided_slice %0, %0, %0 {axes = array<i64: 0>, symbols = ["u0"]} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64, #relax.shape<[u0]>>
  %2 = relax.view %x {shape = #relax.shape<[-1, u0]>} : (tensor<?xf32, #relax.shape<[m]>>) -> tensor<?x?xf32, #relax.shape<[floordiv(m, u0), u0]>>
  %3 = relax.erase %2 : tensor<?x?xf32, #relax.shape<[floordiv(m, u0), u0]>> to tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}
