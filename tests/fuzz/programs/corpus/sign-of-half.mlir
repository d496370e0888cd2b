// A sign that was rounded to float16 and back: LLVM called a function that no kernel has.
func.func @f(%x: tensor<?xf16, #relax.shape<[n]>>) -> tensor<?xf16, #relax.shape<[n]>> attributes {relax.symbols = #relax.symbols<n = [0, 24]>} {
  %3 = relax.cos %x : (tensor<?xf16, #relax.shape<[n]>>) -> tensor<?xf16, #relax.shape<[n]>>
  %4 = relax.log1p %3 : (tensor<?xf16, #relax.shape<[n]>>) -> tensor<?xf16, #relax.shape<[n]>>
  return %4 : tensor<?xf16, #relax.shape<[n]>>
}
