// A fill that softmax reads and that is a result, too: softmax's kernel was to store it, and didn't.
func.func @f(%x: tensor<?x?x1x8xbf16, #relax.shape<[m, m, 1, 8]>>) -> (tensor<?x?x1x8xbf16, #relax.shape<[m, m, 1, 8]>>, tensor<?x?x1x8xbf16, #relax.shape<[m, m, 1, 8]>>) attributes {relax.symbols = #relax.symbols<m = [0, 24]>} {
  %0 = relax.full_like %x {value = 1.500000e+00 : bf16} : (tensor<?x?x1x8xbf16, #relax.shape<[m, m, 1, 8]>>) -> tensor<?x?x1x8xbf16, #relax.shape<[m, m, 1, 8]>>
  %1 = relax.softmax %0 : (tensor<?x?x1x8xbf16, #relax.shape<[m, m, 1, 8]>>) -> tensor<?x?x1x8xbf16, #relax.shape<[m, m, 1, 8]>>
  return %0, %1 : tensor<?x?x1x8xbf16, #relax.shape<[m, m, 1, 8]>>, tensor<?x?x1x8xbf16, #relax.shape<[m, m, 1, 8]>>
}
