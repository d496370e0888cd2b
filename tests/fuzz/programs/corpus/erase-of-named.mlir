// When x gets a name, the rows of the stack have x's, and only a check says that it is y's size.
func.func @f(%x: tensor<?xf32>, %y: tensor<?x5xf32, #relax.shape<[m, 5]>>) -> tensor<?x?xf32, #relax.shape<[?, 5 * m]>> attributes {relax.symbols = #relax.symbols<m = [0, 24]>} {
  %0 = relax.reshape %y : tensor<?x5xf32, #relax.shape<[m, 5]>> to tensor<?xf32, #relax.shape<[5 * m]>>
  %1 = relax.stack %x, %0 {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32, #relax.shape<[5 * m]>>) -> tensor<2x?xf32, #relax.shape<[2, 5 * m]>>
  %2 = relax.erase %1 : tensor<2x?xf32, #relax.shape<[2, 5 * m]>> to tensor<?x?xf32, #relax.shape<[?, 5 * m]>>
  return %2 : tensor<?x?xf32, #relax.shape<[?, 5 * m]>>
}
