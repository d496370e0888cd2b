// The plan of what was outlined was tried where the guard of its caller doesn't hold: it is in place only
// if n is m.
func.func @f(%arg0: tensor<?x?xi8, #relax.shape<[n, m]>>, %arg1: tensor<?x?xi8, #relax.shape<[m, n]>>, %arg2: tensor<?xf32>) -> (tensor<?x?xi32, #relax.shape<[m, n]>>, tensor<?xf32>) attributes {relax.symbols = #relax.symbols<m = [1, ?], n = [0, ?]>} {
  %0 = relax.matmul %arg0, %arg1 {transpose_a} : (tensor<?x?xi8, #relax.shape<[n, m]>>, tensor<?x?xi8, #relax.shape<[m, n]>>) -> tensor<?x?xi32, #relax.shape<[m, n]>>
  %1 = relax.minimum %0, %0 : (tensor<?x?xi32, #relax.shape<[m, n]>>, tensor<?x?xi32, #relax.shape<[m, n]>>) -> tensor<?x?xi32, #relax.shape<[m, n]>>
  %2 = relax.call_packed "fuzz.positive"(%arg2) {pure} : (tensor<?xf32>) -> tensor<?xf32>
  return %1, %2 : tensor<?x?xi32, #relax.shape<[m, n]>>, tensor<?xf32>
}
