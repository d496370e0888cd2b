// RUN: relax-opt %s --relax-verify | relax-opt --relax-verify | FileCheck %s

// From (n, 2, 2) to as many elements as there are different values. The fresh symbol u has a bound,
// 4 * n, that later passes know; m is only another name for it, so that cast checks nothing.
// CHECK-LABEL: @known
// CHECK: relax.reshape {{.*}} to tensor<?x4xf32, #relax.shape<[n, 4]>>
// CHECK: relax.flatten {{.*}} -> tensor<?xf32, #relax.shape<[4 * n]>>
// CHECK: relax.unique {{.*}} -> tensor<?xf32, #relax.shape<[u]>>
// CHECK: relax.match_cast {{.*}} to tensor<?xf32, #relax.shape<[m]>>
// CHECK: relax.exp {{.*}} -> tensor<?xf32, #relax.shape<[m]>>
func.func @known(%x: tensor<?x2x2xf32, #relax.shape<[n, 2, 2]>>) -> tensor<?xf32, #relax.shape<[m]>>
    attributes {relax.symbols = #relax.symbols<n = [1, 100]>} {
  %0 = relax.reshape %x : tensor<?x2x2xf32, #relax.shape<[n, 2, 2]>> to tensor<?x4xf32, #relax.shape<[n, 4]>>
  %1 = relax.flatten %0 : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?xf32, #relax.shape<[4 * n]>>
  %2 = relax.unique %1 {symbol = "u"} : (tensor<?xf32, #relax.shape<[4 * n]>>) -> tensor<?xf32, #relax.shape<[u]>>
  %3 = relax.match_cast %2 : tensor<?xf32, #relax.shape<[u]>> to tensor<?xf32, #relax.shape<[m]>>
  %4 = relax.exp %3 : (tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[m]>>
  return %4 : tensor<?xf32, #relax.shape<[m]>>
}

// With unknown dimensions: the reshape's element count must be checked when it runs, and u has no
// bound any more. What values say is as precise as before.
// CHECK-LABEL: @unknown
// CHECK: relax.reshape {{.*}} to tensor<?x4xf32>
// CHECK: relax.flatten {{.*}} -> tensor<?xf32>
// CHECK: relax.unique {{.*}} -> tensor<?xf32, #relax.shape<[u]>>
// CHECK: relax.exp {{.*}} -> tensor<?xf32, #relax.shape<[m]>>
func.func @unknown(%x: tensor<?x?x?xf32>) -> tensor<?xf32, #relax.shape<[m]>> {
  %0 = relax.reshape %x : tensor<?x?x?xf32> to tensor<?x4xf32>
  %1 = relax.flatten %0 : (tensor<?x4xf32>) -> tensor<?xf32>
  %2 = relax.unique %1 {symbol = "u"} : (tensor<?xf32>) -> tensor<?xf32, #relax.shape<[u]>>
  %3 = relax.match_cast %2 : tensor<?xf32, #relax.shape<[u]>> to tensor<?xf32, #relax.shape<[m]>>
  %4 = relax.exp %3 : (tensor<?xf32, #relax.shape<[m]>>) -> tensor<?xf32, #relax.shape<[m]>>
  return %4 : tensor<?xf32, #relax.shape<[m]>>
}
