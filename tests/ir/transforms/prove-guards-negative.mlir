// RUN: relax-opt %s --split-input-file --verify-diagnostics --relax-prove-guards | FileCheck %s

// What isn't known stays, and what a branch checked doesn't hold behind it.
// CHECK-LABEL: func.func @unknown
// CHECK: relax.if
// CHECK: relax.guard <equal, n, m> "inside"
// CHECK: relax.guard <equal, n, m> "behind"
// CHECK: relax.guard <less_equal, n, 7> "one less"
func.func @unknown(%c: tensor<i1>, %x: tensor<?xf32, #relax.shape<[n]>>,
                   %y: tensor<?xf32, #relax.shape<[m]>>)
    attributes {relax.symbols = #relax.symbols<n = [1, 8], m = [0, ?]>} {
  relax.if %c : tensor<i1> {
    relax.guard <equal, n, m> "inside"
    relax.yield
  } else {
    relax.yield
  }
  relax.guard <equal, n, m> "behind"
  relax.guard <less_equal, n, 7> "one less"
  return
}

// -----

// On every path it can never hold: an error at compile time, with an example.
func.func @never(%x: tensor<?xf32, #relax.shape<[n]>>)
    attributes {relax.symbols = #relax.symbols<n = [1, 8]>} {
  // expected-error @below {{this check can never hold: n == 9 (columns)}}
  relax.guard <equal, n, 9> "columns"
  return
}

// -----

// In a branch that may not be taken it is a matter of the run.
// CHECK-LABEL: func.func @perhaps
// CHECK: relax.guard <equal, n, 9> "columns"
func.func @perhaps(%c: tensor<i1>, %x: tensor<?xf32, #relax.shape<[n]>>)
    attributes {relax.symbols = #relax.symbols<n = [1, 8]>} {
  relax.if %c : tensor<i1> {
    relax.guard <equal, n, 9> "columns"
    relax.yield
  } else {
    relax.yield
  }
  return
}
