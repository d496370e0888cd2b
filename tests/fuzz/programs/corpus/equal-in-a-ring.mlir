// What is compared is a = c, b = d, c = b, d = a: one name stands for all four.
func.func @f(%x: tensor<?x?x?x?xf32, #relax.shape<[a, b, c, d]>>, %y: tensor<?x?x?x?xf32, #relax.shape<[c, d, b, a]>>) -> tensor<?x?x?x?xf32, #relax.shape<[a, b, c, d]>> attributes {relax.symbols = #relax.symbols<a = [0, 24], b = [0, 24], c = [0, 24], d = [0, 24]>} {
  %0 = relax.attention_weights %x, %y {scale = 0.5 : f64} : (tensor<?x?x?x?xf32, #relax.shape<[a, b, c, d]>>, tensor<?x?x?x?xf32, #relax.shape<[c, d, b, a]>>) -> tensor<?x?x?x?xf32, #relax.shape<[a, b, c, d]>>
  return %0 : tensor<?x?x?x?xf32, #relax.shape<[a, b, c, d]>>
}
