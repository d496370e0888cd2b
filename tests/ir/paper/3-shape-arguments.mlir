// RUN: relax-opt %s --relax-verify | relax-opt --relax-verify | FileCheck %s

// A function of a shape, called with shapes of every precision, directly and as a value: each result
// is as precise as the signature and the argument make it.
!subfn = (!relax.shape<[n, m]>) -> tensor<?xf32, #relax.shape<[n * m]>>

func.func private @subfn(%s: !relax.shape<[n, m]>) -> tensor<?xf32, #relax.shape<[n * m]>>
    attributes {relax.symbols = #relax.symbols<n = [0, ?], m = [0, ?]>} {
  %0 = relax.full {shape = #relax.shape<[n * m]>, value = 1.0 : f32} : () -> tensor<?xf32, #relax.shape<[n * m]>>
  return %0 : tensor<?xf32, #relax.shape<[n * m]>>
}

// CHECK-LABEL: @main
func.func @main(%p: !relax.shape<[k, ?]>, %r: !relax.shape<rank 2>, %any: !relax.shape<*>)
    attributes {relax.symbols = #relax.symbols<k = [0, ?]>} {
  %f = relax.function @subfn : !subfn
  %constant = relax.shape <[3, 4]>
  %symbolic = relax.shape <[2 * k, k + 1]>
  // CHECK: relax.call @subfn(%{{.*}}) : (!relax.shape<[3, 4]>) -> tensor<12xf32>
  %0 = relax.call @subfn(%constant) : (!relax.shape<[3, 4]>) -> tensor<12xf32>
  // CHECK: relax.call @subfn(%{{.*}}) : (!relax.shape<[2 * k, k + 1]>) -> tensor<?xf32, #relax.shape<[2 * k + 2 * k * k]>>
  %1 = relax.call @subfn(%symbolic) : (!relax.shape<[2 * k, k + 1]>) -> tensor<?xf32, #relax.shape<[2 * k * (k + 1)]>>
  // CHECK: relax.call @subfn(%{{.*}}) : (!relax.shape<[k, ?]>) -> tensor<?xf32>
  %2 = relax.call @subfn(%p) : (!relax.shape<[k, ?]>) -> tensor<?xf32>
  // CHECK: relax.call @subfn(%{{.*}}) : (!relax.shape<rank 2>) -> tensor<?xf32>
  %3 = relax.call @subfn(%r) : (!relax.shape<rank 2>) -> tensor<?xf32>
  // CHECK: relax.call @subfn(%{{.*}}) : (!relax.shape<*>) -> tensor<?xf32>
  %4 = relax.call @subfn(%any) : (!relax.shape<*>) -> tensor<?xf32>
  // CHECK: relax.call_indirect %{{.*}}(%{{.*}}) : {{.*}}, (!relax.shape<[3, 4]>) -> tensor<12xf32>
  %5 = relax.call_indirect %f(%constant) : !subfn, (!relax.shape<[3, 4]>) -> tensor<12xf32>
  // CHECK: relax.call_indirect %{{.*}}(%{{.*}}) : {{.*}}, (!relax.shape<rank 2>) -> tensor<?xf32>
  %6 = relax.call_indirect %f(%r) : !subfn, (!relax.shape<rank 2>) -> tensor<?xf32>
  return
}
