// RUN: relax-opt %s --relax-prove-guards | FileCheck %s

// CHECK-LABEL: func.func @ranges
// CHECK-SAME: relax.proved_guards =
// CHECK-SAME: by = "the declared ranges of the symbols"{{.*}}what = "n <= 8 (rows of the table)"
// CHECK-SAME: by = "arithmetic"{{.*}}what = "n == n (itself)"
// CHECK-NOT: relax.guard
// CHECK: return
func.func @ranges(%x: tensor<?xf32, #relax.shape<[n]>>) -> tensor<?xf32, #relax.shape<[n]>>
    attributes {relax.symbols = #relax.symbols<n = [1, 8]>} {
  relax.guard <less_equal, n, 8> "rows of the table"
  relax.guard <equal, n, n> "itself"
  return %x : tensor<?xf32, #relax.shape<[n]>>
}

// What was checked before holds behind.
// CHECK-LABEL: func.func @before
// CHECK-SAME: by = "what was checked or introduced before"{{.*}}what = "n + 1 == m + 1 (again)"
// CHECK: relax.guard <equal, n, m> "first"
// CHECK-NOT: relax.guard
// CHECK: return
func.func @before(%x: tensor<?xf32, #relax.shape<[n]>>, %y: tensor<?xf32, #relax.shape<[m]>>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  relax.guard <equal, n, m> "first"
  relax.guard <equal, n + 1, m + 1> "again"
  return
}

// A data-dependent size has its bound.
// CHECK-LABEL: func.func @bound
// CHECK-SAME: what = "u <= 2 * n (rows)"
// CHECK-NOT: relax.guard
// CHECK: return
func.func @bound(%x: tensor<?xf32, #relax.shape<[n]>>, %count: tensor<i64>) -> tensor<?xf32>
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %p = relax.prefix %x, %count {symbol = "u"} : (tensor<?xf32, #relax.shape<[n]>>, tensor<i64>)
      -> tensor<?xf32, #relax.shape<[u]>>
  relax.guard <less_equal, u, 2 * n> "rows"
  %e = relax.erase %p : tensor<?xf32, #relax.shape<[u]>> to tensor<?xf32>
  return %e : tensor<?xf32>
}

// A match_cast that can't fail is marked; one that names an unknown dimension can't.
// CHECK-LABEL: func.func @casts
// CHECK: relax.match_cast %{{.*}} {relax.proved} : tensor<?x4xf32> to
// CHECK: relax.match_cast %{{.*}} : tensor<?x4xf32> to
func.func @casts(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %z: tensor<?xf32, #relax.shape<[n]>>)
    attributes {relax.symbols = #relax.symbols<n = [0, ?]>} {
  %a = relax.match_cast %x : tensor<?x4xf32> to tensor<?x4xf32, #relax.shape<[m, 4]>>
  %b = relax.match_cast %y : tensor<?x4xf32> to tensor<?x4xf32, #relax.shape<[n, 4]>>
  return
}
