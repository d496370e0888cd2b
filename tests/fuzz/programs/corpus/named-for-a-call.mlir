// When x gets a name, the stack's rows have it by the rule, and the call of a program states u.
func.func private @k(%x: tensor<?x?xf32, #relax.shape<[a, b]>>) -> tensor<?xf32, #relax.shape<[a]>> attributes {relax.kernel, relax.kernel_symbols = ["a", "b"]} {
  %a = relax.symbol_value <a>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%a) : tensor<?xf32, #relax.shape<[a]>>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32, #relax.shape<[a]>>) -> tensor<?xf32, #relax.shape<[a]>>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32, #relax.shape<[a, b]>>) outs(%f : tensor<?xf32, #relax.shape<[a]>>) {
  ^bb0(%v: f32, %s: f32):
    %t = arith.addf %s, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32, #relax.shape<[a]>>
  return %r : tensor<?xf32, #relax.shape<[a]>>
}
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = relax.match_cast %x : tensor<?xf32> to tensor<?xf32, #relax.shape<[u]>>
  %1 = relax.stack %x, %0 {axis = -1 : i64} : (tensor<?xf32>, tensor<?xf32, #relax.shape<[u]>>) -> tensor<?x2xf32, #relax.shape<[u, 2]>>
  %2 = relax.call_kernel @k(%1) {symbols = [#relax.expr<u>, #relax.expr<2>]} : (tensor<?x2xf32, #relax.shape<[u, 2]>>) -> tensor<?xf32, #relax.shape<[u]>>
  %3 = relax.erase %2 : tensor<?xf32, #relax.shape<[u]>> to tensor<?xf32>
  return %3 : tensor<?xf32>
}
