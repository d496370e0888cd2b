// RUN: relax-opt %s --relax-verify --split-input-file --verify-diagnostics

// The bound 4 * n of u is used: with at most 100 rows there are never 401 different values.
func.func @bound(%x: tensor<?x2x2xf32, #relax.shape<[n, 2, 2]>>) attributes {relax.symbols = #relax.symbols<n = [1, 100]>} {
  %1 = relax.flatten %x : (tensor<?x2x2xf32, #relax.shape<[n, 2, 2]>>) -> tensor<?xf32, #relax.shape<[4 * n]>>
  %2 = relax.unique %1 {symbol = "u"} : (tensor<?xf32, #relax.shape<[4 * n]>>) -> tensor<?xf32, #relax.shape<[u]>>
  // expected-error @+1 {{[R18] at least 401: 'less_equal' of 401 and u never holds}}
  relax.guard <less_equal, 401, u> "at least 401"
  return
}
